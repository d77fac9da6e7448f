package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// installed is the rust-analyzer that the tests run.
func installed(t testing.TB) Analyzer {
	t.Helper()
	dir := os.Getenv("TCG_TEST_RUST_ANALYZER")
	if dir == "" {
		t.Fatal("TCG_TEST_RUST_ANALYZER is not set; run make test, or set it to a directory with bin/rust-analyzer (rustup component add rust-analyzer rust-src)")
	}
	return Analyzer{Exe: filepath.Join(dir, "bin", "rust-analyzer"), Version: "installed", Env: append(os.Environ(), "CARGO_NET_OFFLINE=true")}
}

// projectIn is the project whose manifest is in a root.
func projectIn(root string) Project {
	return Project{Root: root, Manifest: filepath.Join(root, "Cargo.toml"), TargetDir: filepath.Join(root, "target", "tcg", "analyzer")}
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

// started makes a project and its backend, which is closed with the test.
func started(t testing.TB, files map[string]string) (root string, b *Backend) {
	t.Helper()
	root = project(t, files)
	b = New(projectIn(root), installed(t))
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return root, b
}

// set makes a text stand for a file.
func set(t testing.TB, b *Backend, path, text string) oracle.Document {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: path, Text: text}}))
	return oracle.Document{Path: path, Text: text}
}

// changed announces a change on disk.
func changed(t testing.TB, b *Backend, kind oracle.ChangeKind, path string) {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: kind, Path: path}}))
}

// validate judges a text that stands for a file until the next one does.
func validate(t testing.TB, b *Backend, path, text string) oracle.Validation {
	t.Helper()
	v, err := b.Validate(t.Context(), set(t, b, path, text), oracle.Check{})
	require.NoError(t, err)
	return v
}

func codes(ds []oracleproto.Diagnostic) []string {
	out := []string{}
	for _, d := range ds {
		out = append(out, d.Code.String())
	}
	return out
}

// sysrootOf is the directory of the toolchain.
func sysrootOf(t testing.TB) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "rustc", "--print", "sysroot").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// sourcesOf is the directory of the standard library's sources: the
// toolchain's, or those that were installed with the analyzer.
func sourcesOf(t testing.TB) string {
	t.Helper()
	for _, dir := range []string{
		filepath.Join(sysrootOf(t), "lib", "rustlib", "src", "rust", "library"),
		filepath.Join(os.Getenv("TCG_TEST_RUST_ANALYZER"), "src", "library"),
	} {
		if exists(dir) {
			return dir
		}
	}
	t.Fatal("the sources of the standard library are not installed: rustup component add rust-src")
	return ""
}
