package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/disk"
)

func tree(tb testing.TB, files map[string]string) string {
	tb.Helper()
	root, err := filepath.EvalSymlinks(tb.TempDir())
	require.NoError(tb, err)
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

// watch starts watching a tree. What a test has only just written may be
// reported by the first look, which is dropped.
func watch(tb testing.TB, root string) *disk.Watch {
	tb.Helper()
	w := disk.New(root, rules)
	tb.Cleanup(w.Close)
	require.NoError(tb, w.Baseline(tb.Context()))
	_, err := w.Look(tb.Context())
	require.NoError(tb, err)
	w.Told()
	return w
}

func isSource(name string) bool { return filepath.Ext(name) == ".ts" }

// rules are those of a language much like TypeScript.
var rules = disk.Rules{
	Relevant:     isSource,
	ProjectFiles: []string{"project.conf"},
	Packages: disk.Packages{
		Dir:      "node_modules",
		Markers:  []string{".package-lock.json"},
		Skip:     []string{".cache"},
		Relevant: func(name string) bool { return isSource(name) || name == "package.json" },
	},
}

// look returns the changes as "+path", "~path" and "-path".
func look(t *testing.T, w *disk.Watch, root string) []string {
	t.Helper()
	changes, err := w.Look(t.Context())
	require.NoError(t, err)
	w.Told()
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
	w := watch(t, root)
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
			old := time.Now().Add(-time.Hour)
			require.NoError(t, os.Chtimes(path, old, old))
			require.Equal(t, []string{"~src/b.ts"}, look(t, w, root))
			info, err := os.Stat(path)
			require.NoError(t, err)
			write(t, path+".tmp", "B")
			require.NoError(t, os.Chtimes(path+".tmp", info.ModTime(), info.ModTime()))
			require.NoError(t, os.Rename(path+".tmp", path))
		}, []string{"~src/b.ts"}},
		{"move directories so that one takes the other's name", func() {
			write(t, filepath.Join(root, "new/deep/c.ts"), "another c")
			look(t, w, root)
			require.NoError(t, os.Rename(filepath.Join(root, "src"), filepath.Join(root, "old")))
			require.NoError(t, os.Rename(filepath.Join(root, "new"), filepath.Join(root, "src")))
		}, []string{"-new/deep/c.ts", "+old/b.ts", "+old/deep/c.ts", "+old/old.ts", "-src/b.ts", "~src/deep/c.ts", "-src/old.ts"}},
		{"rewrite in a directory that has moved", func() { write(t, filepath.Join(root, "old/deep/c.ts"), "here") }, []string{"~old/deep/c.ts"}},
		{"delete a directory and make it anew", func() {
			require.NoError(t, os.RemoveAll(filepath.Join(root, "old")))
			write(t, filepath.Join(root, "old/b.ts"), "anew")
		}, []string{"~old/b.ts", "-old/deep/c.ts", "-old/old.ts"}},
		{"rewrite in a directory made anew", func() { write(t, filepath.Join(root, "old/b.ts"), "again") }, []string{"~old/b.ts"}},
		{"move it back", func() {
			require.NoError(t, os.RemoveAll(filepath.Join(root, "src")))
			require.NoError(t, os.Rename(filepath.Join(root, "old"), filepath.Join(root, "src")))
			write(t, filepath.Join(root, "src/old.ts"), "")
			write(t, filepath.Join(root, "src/deep/c.ts"), "c")
		}, []string{"-old/b.ts", "+src/b.ts", "~src/deep/c.ts", "+src/old.ts"}},
		{"remove a tree", func() { require.NoError(t, os.RemoveAll(filepath.Join(root, "src"))) }, []string{"-src/b.ts", "-src/deep/c.ts", "-src/old.ts"}},
	}
	for _, s := range steps {
		s.do()
		assert.Equal(t, s.want, look(t, w, root), s.name)
		assert.Empty(t, look(t, w, root), "%s is reported once", s.name)
	}
}

func TestWhatWasNotToldIsFoundAgain(t *testing.T) {
	root := tree(t, map[string]string{"a.ts": "a"})
	w := watch(t, root)
	write(t, filepath.Join(root, "b.ts"), "")
	_, err := w.Look(t.Context())
	require.NoError(t, err)
	write(t, filepath.Join(root, "a.ts"), "changed")
	assert.Equal(t, []string{"+b.ts", "~a.ts"}, look(t, w, root))
	assert.Empty(t, look(t, w, root))
}

func TestALookCutShortLosesNothing(t *testing.T) {
	for calls := range 8 {
		root := tree(t, map[string]string{"a.ts": "a", "b/c.ts": "c", "d/e.ts": "e", "gone/deep/f.ts": "f"})
		w := watch(t, root)
		write(t, filepath.Join(root, "a.ts"), "changed")
		write(t, filepath.Join(root, "new.ts"), "")
		require.NoError(t, os.Remove(filepath.Join(root, "b/c.ts")))
		require.NoError(t, os.RemoveAll(filepath.Join(root, "gone")))

		_, err := w.Look(&endsAfter{Context: t.Context(), calls: calls})
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
		found := look(t, w, root)
		slices.Sort(found)
		assert.Equal(t, []string{"+new.ts", "-b/c.ts", "-gone/deep/f.ts", "~a.ts"}, found, "cut after %d", calls)
	}
}

func TestOnlyRelevantNamesAreLookedAt(t *testing.T) {
	root := tree(t, map[string]string{"a.ts": "a"})
	w := watch(t, root)
	write(t, filepath.Join(root, "server.log"), "busy")
	assert.Empty(t, look(t, w, root))
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
	w := watch(t, root)
	assert.Empty(t, look(t, w, root))
	write(t, filepath.Join(root, "a.ts"), "")
	assert.Equal(t, []string{"+a.ts"}, look(t, w, root))
}

func TestChangesThatRaiseNoEventInTheirDirectoryAreFound(t *testing.T) {
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "target.ts"), "one")
	write(t, filepath.Join(elsewhere, "twin.ts"), "one")
	root := tree(t, map[string]string{"a.ts": "a"})
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "target.ts"), filepath.Join(root, "link.ts")))
	require.NoError(t, os.Link(filepath.Join(elsewhere, "twin.ts"), filepath.Join(root, "hard.ts")))
	w := watch(t, root)

	write(t, filepath.Join(elsewhere, "target.ts"), "two")
	assert.Equal(t, []string{"~link.ts"}, look(t, w, root))
	write(t, filepath.Join(elsewhere, "twin.ts"), "two")
	assert.Equal(t, []string{"~hard.ts"}, look(t, w, root))
}

func TestProjectsAndPackagesAboveTheRootAreWatched(t *testing.T) {
	above := tree(t, map[string]string{"x/proj/src/a.ts": "", "project.conf": "one"})
	root := filepath.Join(above, "x/proj/src")
	w := watch(t, root)

	write(t, filepath.Join(above, "project.conf"), "two")
	assert.Equal(t, []string{"~../../../project.conf"}, look(t, w, root))
	write(t, filepath.Join(above, "x/node_modules/.package-lock.json"), "{}")
	assert.Equal(t, []string{"+../../node_modules"}, look(t, w, root))
	write(t, filepath.Join(above, "x/node_modules/.package-lock.json"), "{ }")
	assert.Equal(t, []string{"~../../node_modules/.package-lock.json"}, look(t, w, root))
	write(t, filepath.Join(above, "x/other.ts"), "not below the root")
	assert.Empty(t, look(t, w, root))

	write(t, filepath.Join(above, "z/proj/src/a.ts"), "another")
	require.NoError(t, os.Rename(filepath.Join(above, "x"), filepath.Join(above, "y")))
	require.NoError(t, os.Rename(filepath.Join(above, "z"), filepath.Join(above, "x")))
	assert.Contains(t, look(t, w, root), "~a.ts", "a directory above has moved")
}

func TestRandomHistoriesAreFollowedExactly(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		root := tree(t, map[string]string{"d0/f0.ts": "0"})
		w := watch(t, root)
		if seed%3 == 0 {
			disk.Deafen(w)
		}
		know := snapshot(t, root)
		path := func() string {
			p := root
			for range random.IntN(3) {
				p = filepath.Join(p, []string{"d0", "d1", "d2", "node_modules"}[random.IntN(4)])
			}
			return p
		}
		for step := range 60 {
			for range 1 + random.IntN(3) {
				switch random.IntN(6) {
				case 0, 1, 2:
					write(t, filepath.Join(path(), fmt.Sprintf("f%d.ts", random.IntN(3))), fmt.Sprint(random.IntN(4)))
				case 3:
					_ = os.Rename(path(), path()) // may be impossible: that is a history too
				case 4:
					_ = os.Remove(filepath.Join(path(), fmt.Sprintf("f%d.ts", random.IntN(3))))
				case 5:
					if p := path(); p != root {
						require.NoError(t, os.RemoveAll(p))
					}
				}
			}
			learn(t, w, know)
			require.Equal(t, snapshot(t, root), know, "seed %d, step %d", seed, step)
		}
	}
}

// learn takes in what a look reports, as a compiler does.
func learn(t *testing.T, w *disk.Watch, know map[string]string) {
	t.Helper()
	changes, err := w.Look(t.Context())
	require.NoError(t, err)
	for _, c := range changes { // a directory of packages stands for what is in it
		maps.DeleteFunc(know, func(path, _ string) bool {
			return path == c.Path || strings.HasPrefix(path, c.Path+string(filepath.Separator))
		})
		if c.Kind != oracle.DiskDeleted {
			maps.Copy(know, snapshot(t, c.Path))
		}
	}
	w.Told()
}

// The compiler may have read the packages before or after they were recorded.
func TestRandomChangesBehindTheFirstAnswerAreFollowedExactly(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 2))
		files := map[string]string{"a.ts": ""}
		for i := range 40 {
			files[fmt.Sprintf("node_modules/p%d/d%d/f%d.ts", i%8, i%3, i)] = "old"
		}
		root := tree(t, files)
		awaitAge(t, filepath.Join(root, "a.ts"))
		know := snapshot(t, root)
		w := disk.New(root, rules)
		t.Cleanup(w.Close)
		require.NoError(t, w.Baseline(t.Context()))
		if seed%3 == 0 {
			w.Follow(nil, time.Now())
		}
		for range 12 {
			dir := filepath.Join(root, fmt.Sprintf("node_modules/p%d", random.IntN(8)))
			sub := filepath.Join(dir, fmt.Sprintf("d%d", random.IntN(3)))
			switch random.IntN(5) {
			case 0, 1:
				write(t, filepath.Join(sub, fmt.Sprintf("f%d.ts", random.IntN(40))), "new")
			case 2:
				_ = os.Remove(filepath.Join(sub, fmt.Sprintf("f%d.ts", random.IntN(40))))
			case 3:
				require.NoError(t, os.RemoveAll(sub))
			case 4:
				_ = os.Rename(dir, filepath.Join(root, fmt.Sprintf("node_modules/p%d", random.IntN(8))))
			}
		}
		learn(t, w, know)
		require.Equal(t, snapshot(t, root), know, "seed %d", seed)
	}
}

// snapshot reads the sources of a tree, if it is there.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		files[p] = string(b)
		return err
	}))
	return files
}

func TestCachesAreNotLookedInto(t *testing.T) {
	root := tree(t, map[string]string{"a.ts": "", "target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55", "target/out/made.ts": "", "target/out/read.ts": ""})
	w := watch(t, root)
	w.Follow([]string{filepath.Join(root, "target/out/read.ts")}, lateQuestion)
	assert.Empty(t, look(t, w, root))
	for _, name := range []string{"made", "read"} {
		write(t, filepath.Join(root, "target/out", name+".ts"), "changed")
	}
	assert.Equal(t, []string{"~target/out/read.ts"}, look(t, w, root))
}
