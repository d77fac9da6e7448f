package typescript

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/pool"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/tcgfamily/oracleproto"
)

// installSeparately gives a directory an installation of its own.
func installSeparately(t *testing.T, dir string) {
	t.Helper()
	var l locator
	c, err := l.locate(installed(t))
	require.NoError(t, err)
	store := filepath.Join(dir, "node_modules")
	install(t, filepath.Join(store, "typescript"), c.version)
	platform := filepath.Dir(filepath.Dir(platformExe(store)))
	require.NoError(t, os.MkdirAll(filepath.Dir(platform), 0o755))
	require.NoError(t, os.Symlink(filepath.Dir(filepath.Dir(c.entry)), platform))
}

// packages is a monorepo whose packages install typescript separately, and a
// question about each.
func packages(t *testing.T, names ...string) (root string, docs []oracle.Document) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range names {
		write(t, filepath.Join(root, name, "tsconfig.json"), strictConfig)
		installSeparately(t, filepath.Join(root, name))
		docs = append(docs, oracle.Document{
			Path: filepath.Join(root, name, "src/a.ts"),
			Text: "import { dep } from './dep';\nexport const n: number = dep;\n",
		})
		write(t, filepath.Join(root, name, "src/dep.ts"), "export const dep = 1;\n")
	}
	return root, docs
}

// alive are the processes this test has started and not reaped.
func alive(t *testing.T) int {
	t.Helper()
	return len(childtest.Descendants(t, os.Getpid()))
}

func codesAbout(t *testing.T, b *Backend, doc oracle.Document) []string {
	t.Helper()
	v, err := b.Validate(t.Context(), doc, oracle.Check{})
	require.NoError(t, err)
	return codesOf(v.Diagnostics)
}

func TestNoMoreCompilersThanAllowed(t *testing.T) {
	root, docs := packages(t, "a", "b", "c", "d")
	for _, allowed := range []int{1, 3} {
		b := New(root, pool.Options{Max: allowed, IdleAfter: time.Hour})
		// The overlay is of the package that is evicted time and again.
		dep := filepath.Join(root, "a/src/dep.ts")
		require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: dep, Text: "export const dep = 'x';\n"}}))
		for range 2 {
			for i, doc := range docs {
				want := []string{}
				if i == 0 {
					want = []string{"2322"}
				}
				assert.Equal(t, want, codesAbout(t, b, doc), doc.Path)
				assert.LessOrEqual(t, alive(t), allowed)
			}
		}
		assert.Equal(t, allowed, alive(t), "no fewer than allowed either")
		// Withdrawn while its compiler is stopped.
		require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlayClear, Path: dep}}))
		assert.Empty(t, codesAbout(t, b, docs[0]))
		// The one asked the longest ago makes room, not the one in use.
		assert.Contains(t, b.compilers.Alive(), compilerOf(t, b, docs[0]).key())
		require.NoError(t, b.Close())
		assert.Zero(t, alive(t))
	}
}

func compilerOf(t *testing.T, b *Backend, doc oracle.Document) compiler {
	t.Helper()
	c, err := b.locator.locate(filepath.Dir(doc.Path))
	require.NoError(t, err)
	return c
}

func TestTheCompilerAskedTheLongestAgoMakesRoom(t *testing.T) {
	root, docs := packages(t, "a", "b", "c")
	b := New(root, pool.Options{Max: 2, IdleAfter: time.Hour})
	defer func() { require.NoError(t, b.Close()) }()
	runs := func(doc oracle.Document) bool {
		return slices.Contains(b.compilers.Alive(), compilerOf(t, b, doc).key())
	}
	for _, i := range []int{0, 1, 0, 2} {
		assert.Empty(t, codesAbout(t, b, docs[i]))
	}
	assert.True(t, runs(docs[0]), "it was asked again")
	assert.False(t, runs(docs[1]))
	assert.True(t, runs(docs[2]))
}

func TestIdleCompilersAreStoppedAndStartedAgain(t *testing.T) {
	root, docs := packages(t, "a", "b")
	const idle = 300 * time.Millisecond
	b := New(root, pool.Options{Max: 3, IdleAfter: idle})
	defer func() { require.NoError(t, b.Close()) }()
	dep := filepath.Join(root, "a/src/dep.ts")
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: dep, Text: "export const dep = 'x';\n"}}))
	for range 3 {
		assert.Equal(t, []string{"2322"}, codesAbout(t, b, docs[0]))
		assert.Empty(t, codesAbout(t, b, docs[1]))
		require.Eventually(t, func() bool { return alive(t) == 0 }, 30*time.Second, 10*time.Millisecond, "nobody asks them")
	}
}

// TestACompilerAtWorkIsNotIdle has questions that take longer than a compiler
// may be idle.
func TestACompilerAtWorkIsNotIdle(t *testing.T) {
	root, docs := packages(t, "a")
	b := New(root, pool.Options{Max: 1, IdleAfter: time.Millisecond})
	defer func() { require.NoError(t, b.Close()) }()
	for range 3 {
		assert.Empty(t, codesAbout(t, b, docs[0]))
		s, err := b.Scope(t.Context(), docs[0], oracleproto.Position{Line: 2}, false)
		require.NoError(t, err)
		assert.NotEmpty(t, s.Symbols)
	}
	require.Eventually(t, func() bool { return alive(t) == 0 }, 30*time.Second, 10*time.Millisecond)
}

// TestClosingWhileCompilersCome has Close meet starts, evictions and idleness.
func TestClosingWhileCompilersCome(t *testing.T) {
	root, docs := packages(t, "a", "b")
	for i := range 8 {
		b := New(root, pool.Options{Max: 1, IdleAfter: time.Millisecond})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, doc := range docs {
				_, _ = b.Validate(ctx, doc, oracle.Check{}) // an answer or an error, as the race goes
			}
		}()
		time.Sleep(time.Duration(i) * 40 * time.Millisecond) // the moment of the closing
		require.NoError(t, b.Close())
		<-done
		cancel()
		require.Zero(t, alive(t))
	}
}
