package native

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// shop is a crate with what the analyzer treats in its own way.
var shop = map[string]string{
	"Cargo.toml":           manifest + "[features]\nextra = []\n",
	"src/lib.rs":           "pub mod cart;\n#[cfg(windows)]\nmod win;\npub fn f() -> u8 { 1 }\n",
	"src/cart.rs":          "pub mod deep;\npub struct Cart { pub total: u32 }\n",
	"src/cart/deep.rs":     "pub fn d() {}\n",
	"src/win.rs":           "pub fn w() {}\n",
	"src/orphan.rs":        "pub fn o() {}\n",
	"src/cart/orphan.rs":   "pub fn o() {}\n",
	"src/lonely/orphan.rs": "pub fn o() {}\n",
	"tests/it.rs":          "#[test]\nfn it() { assert_eq!(shop::f(), 1); }\n",
}

func TestValidateOneCrate(t *testing.T) {
	root, b := started(t, shop)
	lib := filepath.Join(root, "src", "lib.rs")
	in := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }

	t.Run("places are in UTF-16", func(t *testing.T) {
		v := validate(t, b, lib, "pub fn f() { let _ = \"😀é\"; let _: u8 = \"x\"; }\n")
		require.Equal(t, []string{"E0308"}, codes(v.Diagnostics))
		d := v.Diagnostics[0]
		assert.Equal(t, [4]int{1, 40, 1, 43}, [4]int{d.Line, d.Character, d.EndLine, d.EndCharacter})
		assert.Equal(t, in("Cargo.toml"), v.ConfigFile)
		assert.Equal(t, oracleproto.CoverageNative, v.Coverage)
	})

	t.Run("unreliable errors are warnings", func(t *testing.T) {
		v := validate(t, b, lib, "pub fn f() { let _x = Vec::new(); nosuch!(); }\n")
		require.Contains(t, codes(v.Diagnostics), "unresolved-macro-call")
		for _, d := range v.Diagnostics {
			if code := d.Code.String(); code == "E0282" || code == "unresolved-macro-call" {
				assert.Equal(t, "warning", d.Category, code)
			}
		}
	})

	t.Run("macros", func(t *testing.T) {
		v := validate(t, b, lib, "macro_rules! one { ($e:expr) => { $e } }\npub fn f() -> u8 { one!(1, 2) }\ncompile_error!(\"boom\");\n")
		require.Equal(t, []string{"macro-error", "macro-error"}, codes(v.Diagnostics))
		assert.Equal(t, "boom", v.Diagnostics[1].Message)
	})

	t.Run("code left out by a cfg is named", func(t *testing.T) {
		v := validate(t, b, lib, "#[cfg(feature = \"extra\")]\npub fn x() -> u8 { \"s\" }\npub fn f() {}\n")
		assert.Empty(t, v.Diagnostics)
		require.Len(t, v.Advice, 1)
		assert.Contains(t, v.Advice[0], `lines 1 to 2 (feature = "extra" is disabled)`)
	})

	t.Run("no file of a crate", func(t *testing.T) {
		set(t, b, lib, shop["src/lib.rs"])
		for name, says := range map[string]string{
			"src/orphan.rs":        "add `mod orphan;` to src/lib.rs",
			"src/cart/orphan.rs":   "add `mod orphan;` to src/cart.rs",
			"src/lonely/orphan.rs": "make src/lonely.rs with the line `mod orphan;`",
			"src/win.rs":           "line 3 of src/lib.rs declares it under #[cfg(windows)]",
			"src/bin/new.rs":       "cargo makes a file here a target of its own once it is on disk",
		} {
			v := validate(t, b, in(name), "pub fn o() -> u8 { \"s\" }\n")
			assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown, name)
			assert.Contains(t, strings.Join(v.Advice, "\n"), says, name)
			changed(t, b, oracle.OverlayClear, in(name))
		}
		info, err := b.Type(t.Context(), set(t, b, in("src/orphan.rs"), "pub fn o() {}\n"), oracleproto.Position{Line: 1, Character: 7})
		require.NoError(t, err)
		assert.Empty(t, info.Display)
		assert.Contains(t, strings.Join(info.Advice, "\n"), "mod orphan;")
		changed(t, b, oracle.OverlayClear, in("src/orphan.rs"))
	})

	t.Run("modules in memory", func(t *testing.T) {
		set(t, b, in("src/fresh.rs"), "pub fn g() -> u8 { super::h() }\n")
		v := validate(t, b, lib, "mod fresh;\npub fn h() -> u8 { 1 }\npub fn f() -> String { fresh::g() }\n")
		assert.Equal(t, []string{"E0308"}, codes(v.Diagnostics))
		v = validate(t, b, in("src/fresh.rs"), "pub fn g() -> u8 { super::h(1) }\n")
		assert.Equal(t, []string{"E0107"}, codes(v.Diagnostics))
		changed(t, b, oracle.OverlayClear, in("src/fresh.rs"))
		v = validate(t, b, lib, "mod fresh;\npub fn f() {}\n")
		assert.Equal(t, []string{"E0583"}, codes(v.Diagnostics))
	})

	t.Run("an overlay hides the disk until it is cleared", func(t *testing.T) {
		cart := in("src/cart.rs")
		const user = "pub mod cart;\npub fn f(c: cart::Cart) -> u32 { c.total }\n"
		for range 20 {
			set(t, b, cart, "pub struct Cart { pub sum: u32 }\n")
			require.NotEmpty(t, validate(t, b, lib, user).Diagnostics)
			changed(t, b, oracle.OverlayClear, cart)
			require.Empty(t, validate(t, b, lib, user).Diagnostics)
		}
	})

	t.Run("edits on disk", func(t *testing.T) {
		cart := in("src/cart.rs")
		const user = "pub mod cart;\npub fn f(c: cart::Cart) -> u32 { c.total }\n"
		for range 20 {
			write(t, cart, "pub mod deep;\npub struct Cart { pub sum: u32 }\n")
			changed(t, b, oracle.DiskChanged, cart)
			require.NotEmpty(t, validate(t, b, lib, user).Diagnostics)
			write(t, cart, "\ufeff"+shop["src/cart.rs"])
			changed(t, b, oracle.DiskChanged, cart)
			require.Empty(t, validate(t, b, lib, user).Diagnostics)
		}
	})

	t.Run("a target that appears and vanishes", func(t *testing.T) {
		bin := in("src/bin/tool.rs")
		write(t, bin, "fn main() { let _: u8 = shop::f(); }\n")
		changed(t, b, oracle.DiskCreated, bin)
		set(t, b, lib, shop["src/lib.rs"])
		v := validate(t, b, bin, "fn main() { let _: String = shop::f(); }\n")
		assert.Empty(t, v.Unknown)
		assert.Equal(t, []string{"E0308"}, codes(v.Diagnostics))
		require.NoError(t, os.Remove(bin))
		changed(t, b, oracle.DiskDeleted, bin)
		changed(t, b, oracle.OverlayClear, bin)
		assert.Empty(t, validate(t, b, lib, shop["src/lib.rs"]).Diagnostics)
	})

	t.Run("test code", func(t *testing.T) {
		v := validate(t, b, lib, shop["src/lib.rs"]+"#[cfg(test)]\nmod tests { #[test] fn t() { let _: u8 = \"s\"; } }\n")
		assert.Equal(t, []string{"E0308"}, codes(v.Diagnostics))
		v = validate(t, b, in("tests/it.rs"), "#[test]\nfn it() { let _: String = shop::f(); }\n")
		assert.Equal(t, []string{"E0308"}, codes(v.Diagnostics))
	})

	t.Run("nothing is written", func(t *testing.T) {
		for name, text := range shop {
			if name == "src/cart.rs" { // written by the test itself
				continue
			}
			got, err := os.ReadFile(in(name))
			require.NoError(t, err)
			assert.Equal(t, text, string(got), name)
		}
		assert.NoFileExists(t, in("Cargo.lock"))
	})

	t.Run("given up while it works", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		doc := set(t, b, lib, slowText(400))
		cancel()
		_, err := b.Validate(ctx, doc, oracle.Check{})
		require.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, validate(t, b, lib, shop["src/lib.rs"]).Diagnostics)
	})
}

func TestManifestsThatChange(t *testing.T) {
	root, b := started(t, map[string]string{
		"Cargo.toml": manifest, "src/lib.rs": "pub fn f() -> u8 { dep::g() }\n",
		"dep/Cargo.toml": strings.Replace(manifest, "shop", "dep", 1), "dep/src/lib.rs": "pub fn g() -> u8 { 1 }\n",
	})
	lib, toml := filepath.Join(root, "src", "lib.rs"), filepath.Join(root, "Cargo.toml")
	const user = "use dep::g;\npub fn f() -> u8 { g() }\n"
	edit := func(text string) {
		t.Helper()
		write(t, toml, text)
		changed(t, b, oracle.DiskChanged, toml)
	}
	kindOf := func() (oracleproto.Kind, string) {
		t.Helper()
		_, err := b.Validate(t.Context(), set(t, b, lib, user), oracle.Check{})
		var e *oracleproto.Error
		require.ErrorAs(t, err, &e)
		assert.NotEmpty(t, e.Recipe)
		return e.Kind, e.Detail
	}

	require.Contains(t, codes(validate(t, b, lib, user).Diagnostics), "E0432")
	edit(manifest + "[dependencies]\ndep = { path = \"dep\" }\n")
	require.Empty(t, validate(t, b, lib, user).Diagnostics, "a dependency was added")

	edit(manifest + "[dependencies]\ndep = { path = \"dep\" }\n[[[")
	kind, _ := kindOf()
	assert.Equal(t, oracleproto.KindManifestBroken, kind)
	edit(manifest + "[dependencies]\ndep = { path = \"dep\" }\n")
	require.Empty(t, validate(t, b, lib, user).Diagnostics, "the manifest was mended")

	edit(manifest + "[dependencies]\ndep = { path = \"dep\" }\nnosuchcrate = \"1\"\n")
	kind, detail := kindOf()
	assert.Equal(t, oracleproto.KindDependenciesMissing, kind)
	assert.Contains(t, detail, "nosuchcrate")
	info, err := b.Type(t.Context(), set(t, b, lib, "pub fn f(s: String) { s.len(); }\n"), oracleproto.Position{Line: 1, Character: 25})
	require.NoError(t, err)
	assert.Contains(t, info.Display, "fn len(&self) -> usize")
	assert.Contains(t, strings.Join(info.Advice, "\n"), "cargo fetch")
	write(t, toml, manifest+"[dependencies]\ndep = { path = \"dep\" }\n") // what was missing comes without being announced
	require.Empty(t, validate(t, b, lib, user).Diagnostics)
}

func TestBuildScriptsAndMacros(t *testing.T) {
	files := map[string]string{
		"Cargo.toml":        "[workspace]\nmembers = [\"app\", \"derive\"]\nresolver = \"2\"\n",
		"app/Cargo.toml":    strings.Replace(manifest, "shop", "app", 1) + "[dependencies]\nderive = { path = \"../derive\" }\n",
		"app/build.rs":      "fn main() { println!(\"cargo:rustc-cfg=built\"); }\n",
		"app/src/lib.rs":    "#[derive(derive::Hello)]\npub struct S;\n#[cfg(built)]\npub fn g(s: S) { s.hello(); }\npub fn f(s: S) { g(s) }\n",
		"derive/Cargo.toml": strings.Replace(manifest, "shop", "derive", 1) + "[lib]\nproc-macro = true\n",
		"derive/src/lib.rs": "use proc_macro::TokenStream;\n#[proc_macro_derive(Hello)]\npub fn hello(_: TokenStream) -> TokenStream { \"impl S { pub fn hello(&self) {} }\".parse().unwrap() }\n",
	}
	root, b := started(t, files)
	app := filepath.Join(root, "app", "src", "lib.rs")
	text := files["app/src/lib.rs"]
	v := validate(t, b, app, text)
	require.Empty(t, v.Diagnostics)
	assert.Equal(t, filepath.Join(root, "app", "Cargo.toml"), v.ConfigFile)
	assert.Empty(t, v.Advice)

	macro := filepath.Join(root, "derive", "src", "lib.rs")
	write(t, macro, strings.Replace(files["derive/src/lib.rs"], "fn hello(&self)", "fn hi(&self)", 1))
	changed(t, b, oracle.DiskChanged, macro)
	assert.Equal(t, []string{"E0599"}, codes(validate(t, b, app, text).Diagnostics), "the macro was rebuilt")
	write(t, macro, files["derive/src/lib.rs"])
	changed(t, b, oracle.DiskChanged, macro)
	require.Empty(t, validate(t, b, app, text).Diagnostics)

	script := filepath.Join(root, "app", "build.rs")
	write(t, script, "fn main() {}\n")
	changed(t, b, oracle.DiskChanged, script)
	assert.Equal(t, []string{"E0425"}, codes(validate(t, b, app, text).Diagnostics), "the build script was run again")

	write(t, script, "fn main() { panic!(\"no\") }\n")
	changed(t, b, oracle.DiskChanged, script)
	v = validate(t, b, app, text)
	assert.Equal(t, oracleproto.ReasonProjectBroken, v.Unknown, "what a build script generates is unknown, and so is what is missing")
	assert.Contains(t, strings.Join(v.Advice, "\n"), "run cargo check in "+root)
}

func TestBuildScriptsSwitchedOff(t *testing.T) {
	root := project(t, map[string]string{
		"Cargo.toml": manifest,
		"build.rs":   "fn main() { println!(\"cargo:rustc-cfg=built\"); std::fs::write(\"ran\", \"\").unwrap(); }\n",
		"src/lib.rs": "",
	})
	p := projectIn(root)
	p.NoBuildScripts = true
	b := New(p, installed(t))
	defer func() { require.NoError(t, b.Close()) }()
	v := validate(t, b, filepath.Join(root, "src", "lib.rs"), "#[cfg(built)]\npub fn g() {}\npub fn f() { g(); }\npub fn h() -> u8 { \"s\" }\n")
	assert.Empty(t, v.Unknown)
	require.Equal(t, []string{"E0425", "E0308"}, codes(v.Diagnostics))
	assert.Equal(t, "warning", v.Diagnostics[0].Category)
	assert.Equal(t, "error", v.Diagnostics[1].Category)
	assert.Contains(t, strings.Join(v.Advice, "\n"), "E0599")
	assert.NoFileExists(t, filepath.Join(root, "ran"))
}

func TestAFileWithoutAManifest(t *testing.T) {
	root := project(t, map[string]string{"a.rs": "fn main() {}\n"})
	t.Setenv("RUST_SRC_PATH", sourcesOf(t))
	b := New(Project{Root: root, TargetDir: filepath.Join(t.TempDir(), "target"), Sysroot: sysrootOf(t), SysrootSource: sourcesOf(t)}, installed(t))
	defer func() { require.NoError(t, b.Close()) }()
	v := validate(t, b, filepath.Join(root, "a.rs"), "fn main() { let v: Vec<u8> = Vec::new(); let _: String = v.len(); }\n")
	assert.Empty(t, v.Unknown)
	assert.Equal(t, []string{"E0308"}, codes(v.Diagnostics))
	assert.Empty(t, v.ConfigFile)
	v = validate(t, b, filepath.Join(root, "new.rs"), "fn main() { let _: u8 = \"x\"; }\n")
	assert.Equal(t, []string{"E0308"}, codes(v.Diagnostics), "a file that is not on disk")
}
