package rust

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// installed puts the rust-analyzer that the tests run first on PATH.
func installed(t testing.TB) {
	t.Helper()
	dir := os.Getenv("TCG_TEST_RUST_ANALYZER")
	if dir == "" {
		t.Fatal("TCG_TEST_RUST_ANALYZER is not set; run make test, or set it to a directory with bin/rust-analyzer (rustup component add rust-analyzer rust-src)")
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if source := filepath.Join(dir, "src", "library"); os.Getenv("RUST_SRC_PATH") == "" && exists(source) {
		t.Setenv("RUST_SRC_PATH", source)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// manifest is the Cargo.toml of most test projects.
const manifest = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"

// project writes files into a new directory.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		write(t, filepath.Join(root, name), text)
	}
	return root
}

func write(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// started makes a project and its backend, which is closed with the test. What
// is cached is the test's own.
func started(t testing.TB, options Options, files map[string]string) (root string, b *Backend) {
	t.Helper()
	installed(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root = project(t, files)
	b = New(root, options)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return root, b
}

// validate judges a text that is announced and withdrawn again.
func validate(t testing.TB, b *Backend, path, text string, check oracle.Check) (oracle.Validation, error) {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: path, Text: text}}))
	v, err := b.Validate(t.Context(), oracle.Document{Path: path, Text: text}, check)
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlayClear, Path: path}}))
	return v, err
}

func codes(ds []oracleproto.Diagnostic) []string {
	out := []string{}
	for _, d := range ds {
		out = append(out, d.Code.String())
	}
	return out
}
