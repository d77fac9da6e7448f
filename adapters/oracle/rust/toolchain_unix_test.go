//go:build unix

package rust

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

// script makes a program of shell lines.
func script(t *testing.T, path, lines string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755))
	return path
}

// machine has nothing but what a test puts into its directories on PATH.
func machine(t *testing.T, dirs ...string) string {
	t.Helper()
	top := t.TempDir()
	path := ""
	for _, dir := range dirs {
		path += filepath.Join(top, dir) + ":"
	}
	t.Setenv("PATH", path+"relative")
	t.Setenv("CARGO_HOME", filepath.Join(top, "cargo"))
	return top
}

// proxy is what rustup puts on PATH whether the component is there or not.
const proxy = "echo \"error: Unknown binary 'rust-analyzer' in official toolchain\" >&2; echo 'Stack backtrace: 0: x' >&2; exit 1"

func TestTheToolchainsOwnAnalyzerIsTaken(t *testing.T) {
	top := machine(t, "bin")
	own := script(t, filepath.Join(top, "toolchain", "rust-analyzer"), "echo 'rust-analyzer 1.90.0 (abc 2025-09-14)'")
	script(t, filepath.Join(top, "bin", "rustup"), `[ "$1 $2" = "which rust-analyzer" ] && pwd >`+top+`/asked && echo `+own)
	script(t, filepath.Join(top, "bin", "rust-analyzer"), "echo rust-analyzer 1.1.1")
	dir := t.TempDir()
	found, err := resolve(t.Context(), dir)
	require.NoError(t, err)
	assert.Equal(t, own, found.analyzer.Exe)
	assert.Equal(t, "1.90.0", found.analyzer.Version)
	assert.Empty(t, found.advice)
	asked, err := os.ReadFile(filepath.Join(top, "asked"))
	require.NoError(t, err)
	assert.Equal(t, dir+"\n", string(asked), "a rust-toolchain.toml of the project counts")
}

func TestProgramsThatDoNotRunAreSkipped(t *testing.T) {
	top := machine(t, "proxy", "other", "good")
	script(t, filepath.Join(top, "proxy", "rustup"), "echo \"error: 'rust-analyzer' is not installed\" >&2; exit 1")
	script(t, filepath.Join(top, "proxy", "rust-analyzer"), proxy)
	script(t, filepath.Join(top, "other", "rust-analyzer"), "echo something else")
	good := script(t, filepath.Join(top, "good", "rust-analyzer"), "echo rust-analyzer 1.91.0")
	script(t, filepath.Join(top, "good", "rustc"), "echo 'rustc 1.95.0 (59807616e 2026-04-14)'")
	found, err := resolve(t.Context(), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, good, found.analyzer.Exe)
	require.Len(t, found.advice, 1)
	assert.Contains(t, found.advice[0], "rust-analyzer 1.91.0 is much older than rustc 1.95.0")
}

func TestNoAnalyzer(t *testing.T) {
	top := machine(t, "bin")
	script(t, filepath.Join(top, "bin", "rust-analyzer"), proxy)
	script(t, filepath.Join(top, "cargo", "bin", "rustup"), "echo \"error: no such component\" >&2; exit 1")
	dir := t.TempDir()
	t.Chdir(dir)
	script(t, filepath.Join(dir, "relative", "rust-analyzer"), "echo rust-analyzer 1.95.0; touch "+top+"/ran")
	_, err := resolve(t.Context(), dir)
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindRustAnalyzerMissing, e.Kind)
	assert.Contains(t, e.Detail, "bin/rust-analyzer: error: Unknown binary 'rust-analyzer' in official toolchain")
	assert.Contains(t, e.Detail, "rustup which: error: no such component")
	assert.NotContains(t, e.Detail, "backtrace")
	assert.Contains(t, e.Recipe, "rustup component add rust-analyzer")
	assert.NoFileExists(t, filepath.Join(top, "ran"), "a program of the project was run")
}

func TestCargoThatIsMissingOrHasNoToolchain(t *testing.T) {
	top := machine(t, "bin")
	root := project(t, map[string]string{"Cargo.toml": manifest, "src/lib.rs": ""})
	kindOf := func() oracleproto.Kind {
		var l locator
		_, err := l.locate(t.Context(), filepath.Join(root, "src", "lib.rs"))
		var e *oracleproto.Error
		require.ErrorAs(t, err, &e)
		assert.NotEmpty(t, e.Recipe)
		return e.Kind
	}
	assert.Equal(t, oracleproto.KindCargoMissing, kindOf())
	script(t, filepath.Join(top, "bin", "cargo"), "echo \"error: toolchain '1.70.0-x86_64-unknown-linux-gnu' is not installed\" >&2; exit 1")
	assert.Equal(t, oracleproto.KindRustcMissing, kindOf())
	script(t, filepath.Join(top, "bin", "cargo"), "echo 'error: failed to parse manifest' >&2; exit 101")
	assert.Equal(t, oracleproto.KindManifestBroken, kindOf())
}
