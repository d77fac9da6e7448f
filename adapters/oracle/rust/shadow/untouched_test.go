package shadow_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/rust/shadow"
	"vibevm.org/tcgfamily/child"
)

// TestNothingOfTheUsersIsWritten has a build script that generates a source
// next to the others, a lock file that is out of date, and a target directory.
func TestNothingOfTheUsersIsWritten(t *testing.T) {
	root := project(t, files{
		"Cargo.toml": manifest("writer", "[dependencies]\ndep = { path = \"dep\" }", "[workspace]"),
		"Cargo.lock": "# written by hand\nversion = 3\n",
		"build.rs": `fn main() {
    println!("cargo:rerun-if-changed=src/input.txt");
    let n = std::fs::read_to_string("src/input.txt").unwrap();
    std::fs::write("src/generated.rs", format!("pub const N: u8 = {n};\n")).unwrap();
    std::fs::write("src/extra.rs", "pub const EXTRA: u8 = 1;\n").unwrap();
}
`,
		"src/input.txt":    "1",
		"src/generated.rs": "pub const N: u8 = 1;\n",
		"src/lib.rs":       "mod generated;\nmod extra;\npub fn f() -> u8 { generated::N + extra::EXTRA + dep::d() }\n",
		"dep/Cargo.toml":   manifest("dep"),
		"dep/src/lib.rs":   "pub fn d() -> u8 { 1 }\n",
		".gitignore":       "target\n",
	})
	require.NoError(t, os.MkdirAll(filepath.Join(root, "target", "debug"), 0o755))
	before := checksum(t, root)
	c := newChecker(t, root)
	requireClean(t, c.check("src/lib.rs", nil))
	// What the script generates follows the texts.
	result := c.check("src/lib.rs", files{"src/input.txt": "\"x\""})
	require.False(t, result.Reached, "%+v", result)
	require.Equal(t, filepath.Join(root, "src", "generated.rs"), result.Elsewhere[0].File)
	require.Equal(t, "E0308", result.Elsewhere[0].Code.String())
	requireClean(t, c.check("src/lib.rs", nil))
	require.Equal(t, []string{"E0308"}, codes(c.check("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 'c' }\n"})))
	require.Equal(t, []string{"E0425"}, codes(c.check("build.rs", files{"build.rs": "fn main() { nowhere() }\n"})))
	requireClean(t, c.check("build.rs", nil))
	require.Equal(t, before, checksum(t, root))
	require.DirExists(t, filepath.Join(root, "target", "tcg"))
}

func TestAFailingBuildScriptIsNoVerdict(t *testing.T) {
	c := newChecker(t, project(t, files{
		"Cargo.toml": manifest("fails"),
		"build.rs":   "fn main() { panic!(\"no such luck\") }\n",
		"src/lib.rs": "pub fn f() {}\n",
	}))
	result := c.check("src/lib.rs", nil)
	require.False(t, result.Reached)
	require.Len(t, result.Elsewhere, 1)
	require.Contains(t, result.Elsewhere[0].Message, "failed to run custom build command for `fails")
	require.Contains(t, result.Elsewhere[0].Message, "no such luck")
	require.NotContains(t, result.Elsewhere[0].Message, "backtrace:")
}

func TestNoBuildScripts(t *testing.T) {
	root := filepath.Join(project(t, files{
		"ws/Cargo.toml":          "[workspace]\nmembers = [\"plain\", \"scripted\", \"user\", \"derive\"]\nresolver = \"2\"\n",
		"ws/plain/Cargo.toml":    manifest("plain"),
		"ws/plain/src/lib.rs":    "pub fn p() {}\n",
		"ws/scripted/Cargo.toml": manifest("scripted"),
		"ws/scripted/build.rs":   "fn main() { std::fs::write(std::env::var(\"TCG_TEST_TRACE\").unwrap(), \"\").unwrap(); }\n",
		"ws/scripted/src/lib.rs": "pub fn s() {}\n",
		"ws/user/Cargo.toml":     manifest("user", "[dependencies]\nscripted = { path = \"../scripted\" }\n[dev-dependencies]\nderive = { path = \"../derive\" }"),
		"ws/user/src/lib.rs":     "pub fn u() { scripted::s() }\n",
		"ws/derive/Cargo.toml":   manifest("derive", "[lib]\nproc-macro = true"),
		"ws/derive/src/lib.rs":   "",
	}), "ws")
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("TCG_TEST_TRACE", trace)
	c := newChecker(t, root, func(o *shadow.Options) { o.NoBuildScripts = true })
	requireClean(t, c.check("plain/src/lib.rs", nil))
	require.Equal(t, []string{"E0308"}, codes(c.check("plain/src/lib.rs", files{"plain/src/lib.rs": "pub fn p() -> u8 { 'c' }\n"})))
	for _, file := range []string{"scripted/src/lib.rs", "user/src/lib.rs"} {
		_, err := c.ask(c.request(file, nil))
		require.EqualValues(t, "build-scripts-off", kind(t, err))
		require.ErrorContains(t, err, "procedural macros of scripted,")
		require.ErrorContains(t, err, "E0433")
	}
	request := c.request("user/src/lib.rs", nil)
	request.Tests = true
	_, err := c.ask(request)
	require.ErrorContains(t, err, "derive")
	require.NoFileExists(t, trace, "a build script ran")

	allowed := newChecker(t, root)
	requireClean(t, allowed.check("user/src/lib.rs", nil))
	require.FileExists(t, trace)
}

// TestTheFirstRunIsSeeded has the user's target directory hold what a first
// run needs, so that it is not compiled again.
func TestTheFirstRunIsSeeded(t *testing.T) {
	root := project(t, files{
		".cargo/config.toml":                   "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"vendor\"\n",
		"Cargo.toml":                           manifest("one", "[dependencies]\nvendored = \"1\""),
		"src/lib.rs":                           "pub fn one() -> u8 { vendored::v() }\n",
		"vendor/vendored/Cargo.toml":           "[package]\nname = \"vendored\"\nversion = \"1.0.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n",
		"vendor/vendored/src/lib.rs":           "pub fn v() -> u8 { 1 }\n",
		"vendor/vendored/build.rs":             "use std::io::Write;\nfn main() {\n    println!(\"cargo:rerun-if-changed=build.rs\");\n    let trace = std::env::var(\"TCG_TEST_TRACE\").unwrap();\n    let mut f = std::fs::OpenOptions::new().create(true).append(true).open(trace).unwrap();\n    f.write_all(b\"x\").unwrap();\n}\n",
		"vendor/vendored/.cargo-checksum.json": "{\"files\":{}}",
	})
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("TCG_TEST_TRACE", trace)
	cargo, err := child.LookPath("cargo")
	require.NoError(t, err)
	_, err = child.Run(t.Context(), child.Spec{Path: cargo, Args: []string{"check", "--offline", "-q"}, Dir: root}, nil)
	require.NoError(t, err)
	ran := func() int {
		text, err := os.ReadFile(trace)
		require.NoError(t, err)
		return strings.Count(string(text), "x")
	}
	require.Equal(t, 1, ran())
	before := checksum(t, root)
	c := newChecker(t, root)
	requireClean(t, c.check("src/lib.rs", nil))
	require.Equal(t, []string{"E0308"}, codes(c.check("src/lib.rs", files{"src/lib.rs": "pub fn one() -> u16 { vendored::v() }\n"})))
	require.Equal(t, 1, ran(), "the dependency was built again")
	require.Equal(t, before, checksum(t, root))

	// No file is shared with the user's target: cargo would write to both.
	user := map[string]os.FileInfo{}
	shared := 0
	for _, tree := range []string{"target/debug", "target/tcg"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, filepath.FromSlash(tree)), func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if tree == "target/debug" {
				user[path] = info
				return nil
			}
			for _, other := range user {
				if os.SameFile(info, other) {
					shared++
				}
			}
			return nil
		}))
	}
	require.NotEmpty(t, user)
	require.Zero(t, shared)
}

func TestATargetDirectoryOverItsBoundIsStartedAfresh(t *testing.T) {
	root := crate(t)
	require.NoError(t, os.Mkdir(filepath.Join(root, "target"), 0o755))
	targets := func() []string {
		found, err := filepath.Glob(filepath.Join(root, "target", "tcg", "*", "target-*"))
		require.NoError(t, err)
		return found
	}
	var seen []string
	for range 2 {
		c := newChecker(t, root, func(o *shadow.Options) { o.MaxBytes = 1 })
		requireClean(t, c.check("src/lib.rs", nil))
		require.NoError(t, c.Close())
		require.Len(t, targets(), 1)
		seen = append(seen, targets()...)
	}
	require.NotEqual(t, seen[0], seen[1])
}
