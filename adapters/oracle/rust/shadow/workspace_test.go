package shadow_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

// workspace has a crate that uses another one by path, and one outside.
func workspace(t testing.TB) string {
	t.Helper()
	return filepath.Join(project(t, files{
		"ws/Cargo.toml":           "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"2\"\n",
		"ws/crates/a/Cargo.toml":  manifest("a", "[dependencies]\nb = { path = \"../b\" }\nout = { path = \"../../../out\" }"),
		"ws/crates/a/src/lib.rs":  "pub mod part;\npub fn a() -> u8 { b::b() + out::out() + part::part() }\n",
		"ws/crates/a/src/part.rs": "pub fn part() -> u8 { 3 }\n",
		"ws/crates/a/src/main.rs": "fn main() { println!(\"{}\", a::a()); }\n",
		"ws/crates/a/tests/it.rs": "#[test]\nfn adds() { assert_eq!(a::a(), 6); }\n",
		"ws/crates/b/Cargo.toml":  manifest("b"),
		"ws/crates/b/src/lib.rs":  "pub fn b() -> u8 { 1 }\n",
		"out/Cargo.toml":          manifest("out"),
		"out/src/lib.rs":          "pub fn out() -> u8 { 2 }\n",
	}), "ws")
}

func TestWorkspaceMembersSeeEachOthersTexts(t *testing.T) {
	c := newChecker(t, workspace(t))
	requireClean(t, c.check("crates/a/src/lib.rs", nil))
	requireClean(t, c.check("crates/a/src/main.rs", nil))
	requireClean(t, c.check("crates/b/src/lib.rs", nil))

	// The text of a dependency changes what its users may do.
	changed := files{"crates/b/src/lib.rs": "pub fn b() -> u16 { 1 }\n"}
	requireClean(t, c.check("crates/b/src/lib.rs", changed))
	result := c.check("crates/a/src/lib.rs", changed)
	require.Equal(t, "E0308", codes(result)[0], "%+v", result)
	requireClean(t, c.check("crates/a/src/lib.rs", nil))
}

func TestAnErrorElsewhereIsNoVerdictOnTheFile(t *testing.T) {
	c := newChecker(t, workspace(t))
	for name, test := range map[string]struct {
		asked, broken, text, code string
	}{
		"in a dependency":         {"crates/a/src/lib.rs", "crates/b/src/lib.rs", "pub fn b() -> u8 { \"x\" }\n", "E0308"},
		"in another module":       {"crates/a/src/part.rs", "crates/a/src/lib.rs", "pub mod part;\npub fn a() -> Nowhere { 1 }\n", "E0425"},
		"in the library of a bin": {"crates/a/src/main.rs", "crates/a/src/part.rs", "pub fn part() -> u8 { nowhere }\n", "E0425"},
	} {
		t.Run(name, func(t *testing.T) {
			result := c.check(test.asked, files{test.broken: test.text})
			require.False(t, result.Reached, "%+v", result)
			require.False(t, result.Unlinked)
			require.Empty(t, codes(result))
			require.NotEmpty(t, result.Elsewhere)
			require.Equal(t, filepath.Join(c.root, filepath.FromSlash(test.broken)), result.Elsewhere[0].File)
			require.Equal(t, test.code, result.Elsewhere[0].Code.String())
			require.Positive(t, result.Elsewhere[0].Line)
		})
	}
	// An error of another target is none of the file's.
	requireClean(t, c.check("crates/a/src/part.rs", files{"crates/a/src/main.rs": "fn main() { nowhere() }\n"}))
}

func TestHypotheticalFilesAndDirectories(t *testing.T) {
	c := newChecker(t, workspace(t))
	overlays := files{
		"crates/a/src/lib.rs":       "pub mod part;\npub mod deep;\npub fn a() -> u8 { b::b() + out::out() + deep::more::more() }\n",
		"crates/a/src/deep/mod.rs":  "pub mod more;\n",
		"crates/a/src/deep/more.rs": "pub fn more() -> u8 { 1 }\n",
	}
	requireClean(t, c.check("crates/a/src/deep/more.rs", overlays))
	overlays["crates/a/src/deep/more.rs"] = "pub fn more() -> u8 { 'c' }\n"
	require.Equal(t, []string{"E0308"}, codes(c.check("crates/a/src/deep/more.rs", overlays)))

	// A module file that vanishes again.
	delete(overlays, "crates/a/src/deep/more.rs")
	result := c.check("crates/a/src/deep/mod.rs", overlays)
	require.Equal(t, []string{"E0583"}, codes(result), "%+v", result)

	// A program, a test and an example of their own.
	for file, text := range map[string]string{
		"crates/a/src/bin/tool.rs":     "fn main() { a::a(); nowhere(); }\n",
		"crates/a/tests/new.rs":        "#[test]\nfn t() { a::a(); nowhere(); }\n",
		"crates/a/tests/common/mod.rs": "pub fn c() { nowhere(); }\n",
		"crates/a/examples/new.rs":     "fn main() { a::a(); nowhere(); }\n",
	} {
		overlays := files{file: text}
		if file == "crates/a/tests/common/mod.rs" {
			overlays["crates/a/tests/it.rs"] = "mod common;\n#[test]\nfn t() { common::c(); }\n"
		}
		require.Equal(t, []string{"E0425"}, codes(c.check(file, overlays)), file)
	}

	// A package of its own, which the members' pattern covers.
	overlays = files{
		"crates/c/Cargo.toml": manifest("c", "[dependencies]\nb = { path = \"../b\" }"),
		"crates/c/src/lib.rs": "pub fn c() -> u8 { b::b() }\n",
	}
	requireClean(t, c.check("crates/c/src/lib.rs", overlays))
	overlays["crates/c/src/lib.rs"] = "pub fn c() -> u8 { b::nowhere() }\n"
	require.Equal(t, []string{"E0425"}, codes(c.check("crates/c/src/lib.rs", overlays)))

	requireClean(t, c.check("crates/a/src/lib.rs", nil))
	require.NoDirExists(t, filepath.Join(c.root, "crates", "c"))
}

func TestAFileInNoCrate(t *testing.T) {
	c := newChecker(t, workspace(t))
	overlays := files{"crates/a/src/lost.rs": "pub fn f() -> u8 { \"x\" }\n"}
	result := c.check("crates/a/src/lost.rs", overlays)
	require.True(t, result.Unlinked)
	require.False(t, result.Reached)

	overlays["crates/a/src/lib.rs"] = "pub mod part;\n#[cfg(any())]\nmod lost;\npub fn a() -> u8 { 1 }\n"
	result = c.check("crates/a/src/lost.rs", overlays)
	require.True(t, result.Unlinked)
	require.False(t, result.Reached)
}

func TestTestCodeIsCheckedOnRequest(t *testing.T) {
	c := newChecker(t, workspace(t))
	overlays := files{"crates/a/src/part.rs": "pub fn part() -> u8 { 3 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { nowhere(); }\n}\n"}
	requireClean(t, c.check("crates/a/src/part.rs", overlays))
	request := c.request("crates/a/src/part.rs", overlays)
	request.Tests = true
	result, err := c.ask(request)
	require.NoError(t, err)
	require.Equal(t, []string{"E0425"}, codes(result))
	require.Equal(t, 5, result.Diagnostics[0].Line)

	// An error in the tests of another file keeps this one's from being judged.
	request = c.request("crates/a/src/lib.rs", overlays)
	request.Tests = true
	result, err = c.ask(request)
	require.NoError(t, err)
	require.False(t, result.Reached, "%+v", result)
	require.NotEmpty(t, result.Elsewhere)

	requireClean(t, c.check("crates/a/tests/it.rs", nil))
	require.Equal(t, []string{"E0308"}, codes(c.check("crates/a/tests/it.rs", files{"crates/a/tests/it.rs": "#[test]\nfn t() { let _: u8 = \"x\"; }\n"})))
}

func TestANestedWorkspaceIsItsOwn(t *testing.T) {
	root := project(t, files{
		"Cargo.toml":      manifest("outer", "[workspace]\nexclude = [\"fuzz\"]"),
		"src/lib.rs":      "pub fn outer() -> u8 { 1 }\n",
		"fuzz/Cargo.toml": manifest("fuzz", "[workspace]\n[dependencies]\nouter = { path = \"..\" }"),
		"fuzz/src/lib.rs": "pub fn fuzz() -> u8 { outer::outer() }\n",
	})
	c := newChecker(t, root)
	requireClean(t, c.check("src/lib.rs", nil))
	requireClean(t, c.check("fuzz/src/lib.rs", nil))
	// A text of the outer package counts for the inner one.
	result := c.check("fuzz/src/lib.rs", files{"src/lib.rs": "pub fn outer() -> u16 { 1 }\n"})
	require.Equal(t, []string{"E0308"}, codes(result))
	require.Equal(t, filepath.Join(root, "fuzz", "Cargo.toml"), result.ConfigFile)
}

func TestHypotheticalManifest(t *testing.T) {
	c := newChecker(t, workspace(t))
	overlays := files{
		"crates/a/Cargo.toml": manifest("a"),
		"crates/a/src/lib.rs": "pub mod part;\npub fn a() -> u8 { b::b() }\n",
	}
	// Without the dependency the name is unknown.
	require.Equal(t, []string{"E0433"}, codes(c.check("crates/a/src/lib.rs", overlays)))
	overlays["crates/a/Cargo.toml"] = manifest("a", "[features]\nextra = []\ndefault = [\"extra\"]\n[dependencies]\nb = { path = \"../b\" }")
	overlays["crates/a/src/lib.rs"] = "pub mod part;\n#[cfg(feature = \"extra\")]\npub fn a() -> u8 { nowhere }\n#[cfg(not(feature = \"extra\"))]\npub fn a() -> u8 { 1 }\n"
	require.Equal(t, []string{"E0425"}, codes(c.check("crates/a/src/lib.rs", overlays)))
	requireClean(t, c.check("crates/a/src/lib.rs", nil))
}

// A project that is not on disk at all.
func TestHypotheticalProject(t *testing.T) {
	c := newChecker(t, project(t, files{"README": "nothing here yet\n"}))
	overlays := files{"new/Cargo.toml": manifest("new"), "new/src/main.rs": "fn main() { nowhere() }\n"}
	require.Equal(t, []string{"E0425"}, codes(c.check("new/src/main.rs", overlays)))
	overlays["new/src/main.rs"] = "fn main() {}\n"
	requireClean(t, c.check("new/src/main.rs", overlays))
	require.NoDirExists(t, filepath.Join(c.root, "new"))
}

// TestTheSurroundingsOfAWorkspaceAreThere reaches out of the package, and out
// of the workspace, with `..`, also through what is hypothetical.
func TestTheSurroundingsOfAWorkspaceAreThere(t *testing.T) {
	root := project(t, files{
		"README.md":          "about",
		"rust/Cargo.toml":    "[workspace]\nmembers = [\"a\"]\nresolver = \"2\"\n",
		"rust/a/Cargo.toml":  manifest("a"),
		"rust/a/src/lib.rs":  "#[path = \"../shared/s.rs\"]\nmod s;\npub const ABOUT: &str = include_str!(\"../../../README.md\");\npub const LEN: [u8; s::LEN] = [0; 5];\nconst _: [u8; 5] = [0; ABOUT.len()];\n",
		"rust/a/shared/s.rs": "pub const LEN: usize = 5;\n",
	})
	c := newChecker(t, root)
	requireClean(t, c.check("rust/a/src/lib.rs", nil))
	require.Equal(t, []string{"E0308"}, codes(c.check("rust/a/src/lib.rs", files{"README.md": "longer"})))
	require.Equal(t, []string{"E0308"}, codes(c.check("rust/a/src/lib.rs", files{"rust/a/shared/s.rs": "pub const LEN: usize = 6;\n"})))
	result := c.check("rust/a/shared/s.rs", files{"rust/a/shared/s.rs": "pub const LEN: usize = \"\";\n"})
	require.Equal(t, []string{"E0308"}, codes(result))
	requireClean(t, c.check("rust/a/src/lib.rs", nil))
}

func TestSourcesThatAreLinks(t *testing.T) {
	root := project(t, files{
		"common/s.rs":     "pub fn s() -> u8 { 1 }\n",
		"ws/Cargo.toml":   "[workspace]\nmembers = [\"a\"]\nresolver = \"2\"\n",
		"ws/a/Cargo.toml": manifest("a"),
		"ws/a/src/lib.rs": "mod s;\nmod dir { pub mod t; }\npub fn a() -> u8 { s::s() + dir::t::t() }\n",
		"common/dir/t.rs": "pub fn t() -> u8 { 1 }\n",
	})
	require.NoError(t, os.Symlink(filepath.Join("..", "..", "..", "common", "s.rs"), filepath.Join(root, "ws", "a", "src", "s.rs")))
	require.NoError(t, os.Symlink(filepath.Join("..", "..", "..", "common", "dir"), filepath.Join(root, "ws", "a", "src", "dir")))
	c := newChecker(t, root)
	requireClean(t, c.check("ws/a/src/lib.rs", nil))
	require.Equal(t, []string{"E0308"}, codes(c.check("ws/a/src/lib.rs", files{"common/s.rs": "pub fn s() -> u16 { 1 }\n"}))[:1])
	require.Equal(t, []string{"E0308"}, codes(c.check("ws/a/src/lib.rs", files{"common/dir/t.rs": "pub fn t() -> u16 { 1 }\n"}))[:1])
	requireClean(t, c.check("ws/a/src/lib.rs", nil))
}

func TestAProjectRootInsideAWorkspace(t *testing.T) {
	root := filepath.Join(workspace(t), "crates", "a")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "..", "..", "target"), 0o755))
	c := newChecker(t, root)
	before := checksum(t, filepath.Dir(filepath.Dir(root)))
	requireClean(t, c.check("src/part.rs", nil))
	require.Equal(t, []string{"E0308"}, codes(c.check("src/part.rs", files{"src/part.rs": "pub fn part() -> u8 { 'c' }\n"})))
	require.Equal(t, before, checksum(t, filepath.Dir(filepath.Dir(root))))
	require.NoDirExists(t, filepath.Join(root, "..", "..", "target", "tcg"), "written outside of the project root")
}

func TestPackagesOfOneNameAreToldApart(t *testing.T) {
	root := project(t, files{
		"ws/Cargo.toml":  manifest("same", "[workspace]\n[dependencies]\nother = { package = \"same\", path = \"../dep\" }"),
		"ws/src/lib.rs":  "pub fn f() -> u8 { other::f() }\n",
		"dep/Cargo.toml": "[package]\nname = \"same\"\nversion = \"0.2.0\"\nedition = \"2021\"\n",
		"dep/src/lib.rs": "pub fn f() -> u8 { 1 }\n",
	})
	c := newChecker(t, root)
	requireClean(t, c.check("ws/src/lib.rs", nil))
	requireClean(t, c.check("dep/src/lib.rs", nil))
	require.Equal(t, []string{"E0308"}, codes(c.check("ws/src/lib.rs", files{"dep/src/lib.rs": "pub fn f() -> u16 { 1 }\n"})))
}

func kind(t testing.TB, err error) oracleproto.Kind {
	t.Helper()
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Detail)
	return e.Kind
}
