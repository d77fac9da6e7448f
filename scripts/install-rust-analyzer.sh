#!/bin/sh
# Provides a rust-analyzer that runs for the tests: DIR/bin/rust-analyzer.
#
#   scripts/install-rust-analyzer.sh DIR
#
# In this order:
#   1. the one that DIR has already;
#   2. the toolchain's own, or any other on PATH, if it runs;
#   3. rustup's component, added to the active toolchain;
#   4. Debian's package, unpacked under DIR with everything it is linked with.
#      Nothing is installed into the system. Needs apt-get, dpkg-deb and tar.
#
# Afterwards the program and its standard library sources are in place, or the
# exit status is 1 and the last line says what to do by hand.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
program=$dir/bin/rust-analyzer
stamp=$dir/.installed

say() { echo "rust-analyzer: $*" >&2; }

fail() {
	say "$*"
	say "install it by hand: rustup component add rust-analyzer rust-src; then run make again"
	exit 1
}

runs() { "$1" --version 2>/dev/null </dev/null | grep -q '^rust-analyzer '; }

# Programs are linked with the path they were unpacked to, so a moved checkout
# installs anew.
if [ "$(cat "$stamp" 2>/dev/null)" = "$dir" ] && runs "$program"; then
	exit 0
fi

# found PATH makes DIR/bin/rust-analyzer stand for a program elsewhere.
found() {
	mkdir -p "$dir/bin"
	rm -f "$program"
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$1" >"$program"
	chmod 755 "$program"
	echo "$dir" >"$stamp"
	say "$("$program" --version), $1"
	exit 0
}

# rustup puts a rust-analyzer on PATH that only says the component is missing;
# it is the first of its name there, and others may follow.
try_present() {
	own=$(rustup which rust-analyzer 2>/dev/null) && runs "$own" && found "$own"
	rest=$PATH:
	while [ -n "$rest" ]; do
		candidate=${rest%%:*}/rust-analyzer
		rest=${rest#*:}
		case $candidate in
		/*) [ ! -x "$candidate" ] || ! runs "$candidate" || found "$candidate" ;;
		esac
	done
}

try_present
if command -v rustup >/dev/null; then
	say "adding rustup's component"
	limit=
	! command -v timeout >/dev/null || limit="timeout 300"
	if $limit rustup component add rust-analyzer rust-src >"$dir/rustup.log" 2>&1 </dev/null; then
		try_present
	fi
	say "rustup cannot: $(grep -m1 '^error' "$dir/rustup.log" || echo "see $dir/rustup.log")"
fi

for tool in apt-get dpkg-deb dpkg tar; do
	command -v "$tool" >/dev/null || fail "no way to get one here: neither rustup nor $tool can help"
done

# A release of Debian whose rust-analyzer is at least as new as stable Rust: an
# older one does not understand the procedural macro server of a newer rustc.
# The mirror is the one that this machine uses for its own release.
suites="forky sid"
mirror=$(apt-get indextargets --format '$(SITE)' "Origin: Debian" 2>/dev/null | grep -v security | head -n 1)
[ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep '/debian/*$' | head -n 1)
[ -n "$mirror" ] || fail "apt is not configured with a mirror of Debian"
arch=$(dpkg --print-architecture)

scratch=$(mktemp -d "$dir/download.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

# apt with a state of its own. To it no package is installed, so it selects
# the whole closure down to the C library from the one suite; no package of the
# running system is looked at or touched.
apt() {
	mkdir -p "$scratch/lists/partial" "$scratch/archives/partial"
	: >"$scratch/status"
	apt-get -qq \
		-o Dir::Etc::SourceList="$scratch/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State="$scratch" -o Dir::State::Lists="$scratch/lists" -o Dir::State::status="$scratch/status" \
		-o Dir::Cache="$scratch" -o Dir::Cache::Archives="$scratch/archives" \
		-o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User= \
		-o APT::Install-Recommends=false -o pkgCacheGen::ForceEssential=none \
		-o Acquire::Languages=none -o Acquire::Retries=3 -o Debug::NoLocking=true \
		"$@" </dev/null
}

download() {
	echo "deb [arch=$arch] $mirror $1 main" >"$scratch/sources.list"
	rm -rf "$scratch/lists" "$scratch/archives"
	apt update && apt install --yes --download-only rust-analyzer rust-src patchelf
}

suite=
for s in $suites; do
	say "downloading Debian's package ($s)"
	if download "$s" >"$dir/apt.log" 2>&1; then
		suite=$s
		break
	fi
	say "apt cannot: $(grep -m1 '^E:' "$dir/apt.log" || echo "see $dir/apt.log")"
done
[ -n "$suite" ] || fail "Debian's package could not be downloaded"

rm -rf "$dir/root" "$dir/library" "$dir/bin" "$stamp"
mkdir -p "$dir/root" "$dir/bin"
for deb in "$scratch"/archives/*.deb; do
	case ${deb##*/} in
	rust-src_*) # of the sources the standard library is enough
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" --strip-components=4 --wildcards --no-wildcards-match-slash './usr/src/rustc-*/library'
		;;
	*)
		dpkg-deb -x "$deb" "$dir/root"
		;;
	esac
done
rm -rf "$dir/root/usr/share"

loader=
for f in "$dir/root/usr/lib"/*/ld-linux*.so.*; do
	[ ! -e "$f" ] || loader=$f
done
[ -n "$loader" ] || fail "Debian's C library was not in the download"
libraries=${loader%/*}

# The program finds its loader and its libraries by paths written into it. A
# library path in the environment would do as well, but cargo and rustc, which
# it starts, would inherit it; starting it as an argument of the loader would
# not do, because it has cargo run its own executable in place of rustc, and
# that would be the loader. A RUNPATH in a library would keep the loader from
# looking where the program says.
patchelf() { "$loader" --library-path "$libraries" "$dir/root/usr/bin/patchelf" "$@"; }
for library in "$libraries"/libLLVM*.so*; do
	[ -h "$library" ] || [ ! -f "$library" ] || patchelf --remove-rpath "$library"
done
patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$dir/root/usr/bin/rust-analyzer"

cat >"$program" <<'WRAPPER'
#!/bin/sh
# Without sources of the standard library no type of it is known.
dir=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${RUST_SRC_PATH:-}" ] && [ ! -d "$(rustc --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library" ]; then
	export RUST_SRC_PATH="$dir/library"
fi
exec "$dir/root/usr/bin/rust-analyzer" "$@"
WRAPPER
chmod 755 "$program"
runs "$program" || fail "Debian's program does not run here: $("$program" --version 2>&1 | head -n 1)"
[ -d "$dir/library/core" ] || fail "the sources of the standard library were not in the download"
echo "$dir" >"$stamp"
say "$("$program" --version), from Debian $suite"
