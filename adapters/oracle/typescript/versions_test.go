package typescript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// packageNames are the names under which TypeScript 5 and 6 are installed.
var packageNames = map[string]string{"5.0.4": "ts50", "5.4.5": "ts54", "5.9.3": "ts59", "6.0.3": "ts60"}

// projectOf writes files into a new directory in which a version of typescript
// is installed.
func projectOf(t testing.TB, version string, files map[string]string) string {
	t.Helper()
	if strings.HasPrefix(version, "7.") {
		return project(t, files)
	}
	dir := os.Getenv("TCG_TEST_TYPESCRIPTS")
	if dir == "" {
		t.Fatal("TCG_TEST_TYPESCRIPTS is not set; run make test, or run npm install in a copy of acceptance/npm/typescripts and set it to that directory")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, "node_modules"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(dir, "node_modules", packageNames[version]), filepath.Join(root, "node_modules/typescript")))
	for name, text := range files {
		write(t, filepath.Join(root, name), text)
	}
	return root
}

// openProject makes a backend for a project of a version.
func openProject(t testing.TB, version string, files map[string]string) (*Backend, string) {
	t.Helper()
	root := projectOf(t, version, files)
	b := New(root, DefaultOptions())
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b, root
}

// marked takes the marks ‸ out of a text and gives their positions.
func marked(text string) (string, []oracleproto.Position) {
	var at []oracleproto.Position
	parts := strings.Split(text, "‸")
	before := ""
	for _, part := range parts[:len(parts)-1] {
		before += part
		units := 0
		for _, r := range before[strings.LastIndexByte(before, '\n')+1:] {
			if units++; r > 0xffff {
				units++
			}
		}
		at = append(at, oracleproto.Position{Line: 1 + strings.Count(before, "\n"), Character: units})
	}
	return strings.Join(parts, ""), at
}

// overlay has a text stand for a file.
func overlay(t testing.TB, b oracle.Backend, path, text string) oracle.Document {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: path, Text: text}}))
	return oracle.Document{Path: path, Text: text}
}
