package rust

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// moved is clean to the analyzer and an error to the borrow checker.
const moved = "pub fn f(v: Vec<u8>) -> usize { let w = v; w.len() + v.len() }\n"

func TestDepths(t *testing.T) {
	options := DefaultOptions()
	options.FullBudget = time.Minute
	root, b := started(t, options, map[string]string{
		"Cargo.toml": manifest, "src/lib.rs": "pub mod a;\npub fn f() {}\n", "src/a.rs": "pub fn g() -> u8 { 1 }\n", "src/orphan.rs": "",
	})
	lib := filepath.Join(root, "src", "lib.rs")
	ask := func(file, text string, depth oracleproto.Depth) oracle.Validation {
		t.Helper()
		v, err := validate(t, b, file, text, oracle.Check{Depth: depth})
		require.NoError(t, err)
		return v
	}

	v := ask(lib, moved, oracleproto.DepthNative)
	assert.Empty(t, v.Diagnostics)
	assert.Equal(t, oracleproto.CoverageNative, v.Coverage)
	assert.Contains(t, strings.Join(v.Advice, "\n"), "the borrow checker")

	v = ask(lib, moved, oracleproto.DepthAuto)
	assert.Equal(t, []string{"E0382"}, codes(v.Diagnostics))
	assert.Equal(t, oracleproto.CoverageRustc, v.Coverage)
	assert.Equal(t, "rustc", v.Engine.Name)

	v = ask(lib, "pub fn f() -> u8 { \"s\" }\n", "")
	assert.Equal(t, []string{"E0308"}, codes(v.Diagnostics))
	assert.Equal(t, oracleproto.CoverageNative, v.Coverage, "what the analyzer finds is not checked twice")

	v = ask(lib, "pub fn f() -> u8 { 1 }\n", oracleproto.DepthAuto)
	assert.Empty(t, v.Diagnostics)
	assert.Empty(t, v.Unknown)
	assert.Equal(t, oracleproto.CoverageRustc, v.Coverage)

	v = ask(lib, moved, oracleproto.DepthFull)
	assert.Equal(t, []string{"E0382"}, codes(v.Diagnostics))

	v = ask(filepath.Join(root, "src", "orphan.rs"), "pub fn o() {}\n", oracleproto.DepthAuto)
	assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown)
	assert.Contains(t, strings.Join(v.Advice, "\n"), "`mod orphan;`")

	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: lib, Text: "pub mod a;\nuse nosuch::thing;\n"}}))
	v = ask(filepath.Join(root, "src", "a.rs"), "pub fn g() -> u8 { 2 }\n", oracleproto.DepthAuto)
	assert.Equal(t, oracleproto.ReasonNotReached, v.Unknown)
	assert.Contains(t, strings.Join(v.Advice, "\n"), "lib.rs:2:")
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlayClear, Path: lib}}))

	_, err := validate(t, b, lib, moved, oracle.Check{Depth: "deep"})
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindBadArguments, e.Kind)
	assert.Contains(t, e.Recipe, "auto, native, full")

	v, err = validate(t, b, lib, "#[cfg(test)]\nmod tests { fn t(v: Vec<u8>) -> Vec<u8> { let w = v; v } }\n", oracle.Check{Depth: oracleproto.DepthFull, Tests: true})
	require.NoError(t, err)
	assert.Contains(t, codes(v.Diagnostics), "E0382")
}

// TestABudgetThatEnds holds that an all-clear without rustc's word says so, and
// that the word is there soon.
func TestABudgetThatEnds(t *testing.T) {
	options := DefaultOptions()
	options.FullBudget = time.Nanosecond
	root, b := started(t, options, map[string]string{"Cargo.toml": manifest, "src/lib.rs": ""})
	lib := filepath.Join(root, "src", "lib.rs")
	doc := oracle.Document{Path: lib, Text: moved}
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: lib, Text: moved}}))
	v, err := b.Validate(t.Context(), doc, oracle.Check{})
	require.NoError(t, err)
	if v.Coverage == oracleproto.CoverageNative { // else rustc was done before the analyzer had loaded
		assert.Empty(t, v.Diagnostics)
		assert.Empty(t, v.Unknown)
		advice := strings.Join(v.Advice, "\n")
		assert.Contains(t, advice, "less than cargo check")
		assert.Contains(t, advice, "goes on in the background")
	}
	require.Eventually(t, func() bool {
		v, err := b.Validate(t.Context(), doc, oracle.Check{})
		return err == nil && v.Coverage == oracleproto.CoverageRustc && len(v.Diagnostics) == 1
	}, time.Minute, 50*time.Millisecond)
}

func TestWorkspacesSideBySide(t *testing.T) {
	options := DefaultOptions()
	options.Analyzers.Max = 1
	root, b := started(t, options, map[string]string{
		"one/Cargo.toml": manifest, "one/src/lib.rs": "", "two/Cargo.toml": manifest, "two/src/lib.rs": "", "loose.rs": "",
	})
	check := oracle.Check{Depth: oracleproto.DepthNative}
	for _, file := range []string{"one/src/lib.rs", "two/src/lib.rs", "loose.rs", "one/src/lib.rs"} {
		v, err := validate(t, b, filepath.Join(root, file), "pub fn f(s: String) -> u8 { s.len() }\n", check)
		require.NoError(t, err)
		assert.Empty(t, v.Unknown, file)
		assert.Equal(t, []string{"E0308"}, codes(v.Diagnostics), file)
	}
}
