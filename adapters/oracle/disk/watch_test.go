package disk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/disk"
)

func tree(tb testing.TB, files map[string]string) string {
	tb.Helper()
	root := tb.TempDir()
	for name, text := range files {
		write(tb, filepath.Join(root, name), text)
	}
	return root
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o644))
}

// look returns the changes as "+path", "~path" and "-path".
func look(t *testing.T, w *disk.Watch, root string) []string {
	t.Helper()
	changes, err := w.Look(t.Context())()
	require.NoError(t, err)
	marks := map[oracle.ChangeKind]string{oracle.DiskCreated: "+", oracle.DiskChanged: "~", oracle.DiskDeleted: "-"}
	out := []string{}
	for _, c := range changes {
		rel, err := filepath.Rel(root, c.Path)
		require.NoError(t, err)
		out = append(out, marks[c.Kind]+filepath.ToSlash(rel))
	}
	return out
}

func TestEveryKindOfChangeIsFoundOnceByTheNextLook(t *testing.T) {
	root := tree(t, map[string]string{"a.ts": "a", "src/b.ts": "b", "src/deep/c.ts": "c"})
	w := disk.New(root)
	require.NoError(t, w.Baseline(t.Context()))
	assert.Empty(t, look(t, w, root))

	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"rewrite", func() { write(t, filepath.Join(root, "a.ts"), "changed") }, []string{"~a.ts"}},
		{"rewrite with the same size at once", func() { write(t, filepath.Join(root, "a.ts"), "CHANGED") }, []string{"~a.ts"}},
		{"create", func() { write(t, filepath.Join(root, "src/new.ts"), "") }, []string{"+src/new.ts"}},
		{"create in a new directory", func() { write(t, filepath.Join(root, "x/y/z.ts"), "") }, []string{"+x/y/z.ts"}},
		{"rename", func() {
			require.NoError(t, os.Rename(filepath.Join(root, "src/new.ts"), filepath.Join(root, "src/old.ts")))
		}, []string{"-src/new.ts", "+src/old.ts"}},
		{"replace by rename, keeping size and times", func() {
			path := filepath.Join(root, "src/b.ts")
			info, err := os.Stat(path)
			require.NoError(t, err)
			write(t, path+".tmp", "B")
			require.NoError(t, os.Chtimes(path+".tmp", info.ModTime(), info.ModTime()))
			require.NoError(t, os.Rename(path+".tmp", path))
		}, []string{"~src/b.ts"}},
		{"remove a tree", func() { require.NoError(t, os.RemoveAll(filepath.Join(root, "src"))) }, []string{"-src/b.ts", "-src/deep/c.ts", "-src/old.ts"}},
	}
	for _, s := range steps {
		s.do()
		assert.Equal(t, s.want, look(t, w, root), s.name)
		assert.Empty(t, look(t, w, root), "%s is reported once", s.name)
	}
}

func TestInstalledPackagesAreWatchedThroughTheirMarkersOnly(t *testing.T) {
	root := tree(t, map[string]string{"node_modules/x/index.d.ts": "", ".git/HEAD": "ref", "a.ts": ""})
	w := disk.New(root)
	require.NoError(t, w.Baseline(t.Context()))
	write(t, filepath.Join(root, "node_modules/x/index.d.ts"), "changed")
	write(t, filepath.Join(root, ".git/HEAD"), "other")
	assert.Empty(t, look(t, w, root))
	write(t, filepath.Join(root, "node_modules/.package-lock.json"), "{}")
	assert.Equal(t, []string{"+node_modules/.package-lock.json"}, look(t, w, root))
}

func TestALookCutShortLosesNothing(t *testing.T) {
	root := tree(t, map[string]string{"a.ts": "a", "b/c.ts": "c", "d/e.ts": "e"})
	w := disk.New(root)
	require.NoError(t, w.Baseline(t.Context()))
	write(t, filepath.Join(root, "a.ts"), "changed")
	require.NoError(t, os.Remove(filepath.Join(root, "b/c.ts")))

	ctx := &endsAfter{Context: t.Context(), calls: 2}
	_, err := w.Look(ctx)()
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"~a.ts", "-b/c.ts"}, look(t, w, root))
}

// endsAfter is a context that ends after a number of looks at it.
type endsAfter struct {
	context.Context
	calls int
}

func (c *endsAfter) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

func TestAMissingRootHasNothingToReport(t *testing.T) {
	root := filepath.Join(t.TempDir(), "later")
	w := disk.New(root)
	require.NoError(t, w.Baseline(t.Context()))
	assert.Empty(t, look(t, w, root))
	write(t, filepath.Join(root, "a.ts"), "")
	assert.Equal(t, []string{"+a.ts"}, look(t, w, root))
}

func BenchmarkLookOver1000Files(b *testing.B) {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("src/dir%d/file%d.ts", i/20, i)] = "export {}"
	}
	root := tree(b, files)
	old := time.Now().Add(-time.Hour)
	require.NoError(b, filepath.WalkDir(root, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, old, old)
	}))
	w := disk.New(root)
	require.NoError(b, w.Baseline(b.Context()))
	for b.Loop() {
		changes, err := w.Look(b.Context())()
		if err != nil || len(changes) != 0 {
			b.Fatal(changes, err)
		}
	}
}
