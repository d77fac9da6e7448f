package typescript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// installed is the directory whose node_modules holds the TypeScript that the
// tests run.
func installed(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TCG_TEST_TYPESCRIPT")
	if dir == "" {
		t.Fatal("TCG_TEST_TYPESCRIPT is not set; run make test, or install typescript 7 somewhere (npm install typescript@7) and set it to that directory")
	}
	return dir
}

// project writes files into a new directory in which typescript is installed.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Symlink(filepath.Join(installed(t), "node_modules"), filepath.Join(root, "node_modules")))
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
