package shadow_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/rust/shadow"
	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// refused asks about a file and returns the refusal, which must name a fix.
func refused(t *testing.T, c checker, file string, overlays files) *oracleproto.Error {
	t.Helper()
	_, err := c.ask(c.request(file, overlays))
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Detail)
	require.NotEmpty(t, e.Recipe)
	require.NotContains(t, e.Detail+e.Recipe, string(filepath.Separator)+"tree", "a path of the shadow is shown")
	return e
}

func TestNoManifest(t *testing.T) {
	c := newChecker(t, project(t, files{"src/lib.rs": "pub fn f() {}\n"}))
	require.Equal(t, oracleproto.KindManifestMissing, refused(t, c, "src/lib.rs", nil).Kind)
}

func TestBrokenManifests(t *testing.T) {
	for name, broken := range map[string]files{
		"no TOML":            {"Cargo.toml": "[package\n"},
		"no target":          {"Cargo.toml": manifest("one", "[lib]\npath = \"nowhere.rs\"")},
		"no version":         {"Cargo.toml": "[package]\nedition = \"2021\"\n"},
		"no such edition":    {"Cargo.toml": "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"1066\"\n"},
		"no such dependency": {"Cargo.toml": manifest("one", "[dependencies]\nx = { path = \"nowhere\" }")},
		"no such feature":    {"Cargo.toml": manifest("one", "[features]\na = [\"b\"]")},
		"lock file":          {"Cargo.lock": "no lock\n"},
		"configuration":      {".cargo/config.toml": "[build\n"},
		"toolchain file":     {"rust-toolchain.toml": "[toolchain\n"},
	} {
		t.Run(name, func(t *testing.T) {
			before := newChecker(t, project(t, files{"Cargo.toml": manifest("one"), "src/lib.rs": "pub fn f() {}\n"}))
			write(t, before.root, broken)
			require.Equal(t, oracleproto.KindManifestBroken, refused(t, before, "src/lib.rs", nil).Kind)

			// Broken while the checker runs, and mended.
			during := newChecker(t, project(t, files{"Cargo.toml": manifest("one"), "src/lib.rs": "pub fn f() {}\n"}))
			requireClean(t, during.check("src/lib.rs", nil))
			write(t, during.root, broken)
			require.Equal(t, oracleproto.KindManifestBroken, refused(t, during, "src/lib.rs", nil).Kind)
			write(t, during.root, files{"Cargo.toml": manifest("one")})
			for file := range broken {
				if file != "Cargo.toml" {
					require.NoError(t, os.Remove(filepath.Join(during.root, filepath.FromSlash(file))))
				}
			}
			requireClean(t, during.check("src/lib.rs", nil))
		})
	}
}

func TestABrokenManifestOnlyInMemory(t *testing.T) {
	c := newChecker(t, crate(t))
	require.Equal(t, oracleproto.KindManifestBroken, refused(t, c, "src/lib.rs", files{"Cargo.toml": "[package\n"}).Kind)
	requireClean(t, c.check("src/lib.rs", nil))

	// And one on disk that is mended in memory.
	write(t, c.root, files{"Cargo.toml": "[package\n"})
	requireClean(t, c.check("src/lib.rs", files{"Cargo.toml": manifest("one")}))
}

func TestAPackageOutsideOfTheWorkspaceAroundIt(t *testing.T) {
	c := newChecker(t, project(t, files{
		"Cargo.toml":       "[workspace]\nmembers = [\"in\"]\n",
		"in/Cargo.toml":    manifest("in"),
		"in/src/lib.rs":    "",
		"out/Cargo.toml":   manifest("out"),
		"out/src/lib.rs":   "pub fn f() {}\n",
		"virtual/build.rs": "fn main() {}\n",
	}))
	require.Equal(t, oracleproto.KindManifestBroken, refused(t, c, "out/src/lib.rs", nil).Kind)
	require.Equal(t, oracleproto.KindManifestBroken, refused(t, c, "virtual/build.rs", nil).Kind)
}

// TestMissingDependenciesAreSaidAtOnce must not wait for a network.
func TestMissingDependenciesAreSaidAtOnce(t *testing.T) {
	for name, dependency := range map[string]string{
		"registry": "serde = \"1\"",
		"git":      "x = { git = \"https://example.invalid/x\" }",
	} {
		t.Run(name, func(t *testing.T) {
			c := newChecker(t, project(t, files{"Cargo.toml": manifest("one", "[dependencies]\n"+dependency), "src/lib.rs": "pub fn f() {}\n"}))
			start := time.Now()
			e := refused(t, c, "src/lib.rs", nil)
			require.Less(t, time.Since(start), 30*time.Second)
			require.Equal(t, oracleproto.KindDependenciesMissing, e.Kind)
			require.Equal(t, "run `cargo fetch` in "+c.root+" and ask again", e.Recipe)
		})
	}
}

func TestNoCargo(t *testing.T) {
	c := newChecker(t, crate(t))
	t.Setenv("PATH", t.TempDir())
	require.Equal(t, oracleproto.KindCargoMissing, refused(t, c, "src/lib.rs", nil).Kind)

	c = newChecker(t, crate(t), func(o *shadow.Options) { o.Cargo = filepath.Join(o.Root, "no", "cargo") })
	require.Equal(t, oracleproto.KindCargoMissing, refused(t, c, "src/lib.rs", nil).Kind)
}

func TestNoRustc(t *testing.T) {
	c := newChecker(t, crate(t))
	t.Setenv("RUSTC", filepath.Join(c.root, "no-rustc"))
	require.Equal(t, oracleproto.KindRustcMissing, refused(t, c, "src/lib.rs", nil).Kind)
}

func TestAToolchainThatIsNotInstalled(t *testing.T) {
	if _, err := child.LookPath("rustup"); err != nil {
		t.Fatal("rustup is missing: install Rust from rustup.rs")
	}
	c := newChecker(t, crate(t))
	t.Setenv("RUSTUP_TOOLCHAIN", "") // what runs the tests may have chosen one
	require.NoError(t, os.Unsetenv("RUSTUP_TOOLCHAIN"))
	write(t, c.root, files{"rust-toolchain.toml": "[toolchain]\nchannel = \"1.50.0\"\n"})
	e := refused(t, c, "src/lib.rs", nil)
	require.Equal(t, oracleproto.KindRustcMissing, e.Kind)
	require.Equal(t, "run `rustup toolchain install` in "+c.root+", or `rustup show` to see what is missing", e.Recipe)
}

func TestAFileThatIsNotUTF8(t *testing.T) {
	c := newChecker(t, crate(t))
	require.NoError(t, os.WriteFile(filepath.Join(c.root, "src", "lib.rs"), []byte("pub fn f() {} // \xff\xfe\n"), 0o644))
	result := c.check("src/lib.rs", nil)
	require.Contains(t, codes(result), "")
	require.True(t, result.Reached)
}

func TestNoPlaceForTheShadow(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o644))
	c := newChecker(t, crate(t), func(o *shadow.Options) { o.CacheDir = filepath.Join(blocked, "below") })
	require.Equal(t, oracleproto.KindShadowUnavailable, refused(t, c, "src/lib.rs", nil).Kind)

	if runtime.GOOS == "windows" {
		return // the cache directory is not named by the environment
	}
	c = newChecker(t, crate(t), func(o *shadow.Options) { o.CacheDir = "" })
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	require.Equal(t, oracleproto.KindShadowUnavailable, refused(t, c, "src/lib.rs", nil).Kind)
}

func TestASourceThatVanishes(t *testing.T) {
	c := newChecker(t, crate(t))
	requireClean(t, c.check("src/lib.rs", nil))
	require.NoError(t, os.RemoveAll(filepath.Join(c.root, "src")))
	require.Equal(t, oracleproto.KindManifestBroken, refused(t, c, "src/lib.rs", nil).Kind)
	require.NoError(t, os.RemoveAll(filepath.Join(c.root, "Cargo.toml")))
	require.Equal(t, oracleproto.KindManifestMissing, refused(t, c, "src/lib.rs", nil).Kind)
}

// TestConfigurationAboveTheCheckout is found from the project, though not from
// a shadow elsewhere.
func TestConfigurationAboveTheCheckout(t *testing.T) {
	above := project(t, files{
		".cargo/config.toml":      "[build]\nrustflags = [\"--cfg\", \"above\"]\n",
		"work/.cargo/config.toml": "[env]\nCLOSER = \"yes\"\n",
		"work/one/Cargo.toml":     manifest("one", "[lints.rust]\nunexpected_cfgs = \"allow\""),
		"work/one/src/lib.rs":     "#[cfg(above)]\npub const SEEN: &str = env!(\"CLOSER\");\n#[cfg(not(above))]\ncompile_error!(\"unseen\");\n",
	})
	requireClean(t, newChecker(t, filepath.Join(above, "work", "one")).check("src/lib.rs", nil))
	require.NoError(t, os.Mkdir(filepath.Join(above, "work", "one", "target"), 0o755))
	requireClean(t, newChecker(t, filepath.Join(above, "work", "one")).check("src/lib.rs", nil))
}
