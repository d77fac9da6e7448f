package disk_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/disk"
)

// lateQuestion came after anything a test has written.
var lateQuestion = time.Now().Add(time.Hour)

func TestWhatABackendReadsIsWatchedWhereverItIs(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			elsewhere := tree(t, map[string]string{"base.conf": "one", "words.txt": "one", "shared/src/x.ts": "", "gone.ts": ""})
			root := tree(t, map[string]string{"a.ts": "", "words.txt": "one"})
			at := func(name string) string { return filepath.Join(elsewhere, name) }
			w := watch(t, root)
			w.Follow([]string{at("base.conf"), at("words.txt"), at("shared"), at("gone.ts"), at("later.ts"), filepath.Join(root, "words.txt"), filepath.Join(root, "a.ts")}, lateQuestion)
			assert.Empty(t, look(t, w, root))

			for _, name := range []string{"base.conf", "words.txt", "shared/src/x.ts"} {
				write(t, at(name), "two")
				assert.Equal(t, []string{"~" + name}, look(t, w, elsewhere))
			}
			write(t, filepath.Join(root, "words.txt"), "two")
			write(t, filepath.Join(root, "a.ts"), "two")
			assert.ElementsMatch(t, []string{"~words.txt", "~a.ts"}, look(t, w, root))
			require.NoError(t, os.Remove(at("gone.ts")))
			write(t, at("later.ts"), "")
			write(t, at("shared/src/new.ts"), "")
			assert.ElementsMatch(t, []string{"-gone.ts", "+later.ts", "+shared/src/new.ts"}, look(t, w, elsewhere))

			w.Follow([]string{at("base.conf")}, lateQuestion)
			assert.Empty(t, look(t, w, root))
			write(t, at("words.txt"), "three")
			write(t, filepath.Join(root, "a.ts"), "three")
			assert.Equal(t, []string{"~a.ts"}, look(t, w, root), "what is no longer read is no longer watched, the tree always")
			write(t, at("base.conf"), "three")
			assert.Equal(t, []string{"~base.conf"}, look(t, w, elsewhere))
		})
	}
}

// A directory that is asked for before it is there is watched like any other
// once it is.
func TestAFollowedDirectoryThatIsMadeLater(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			elsewhere, root := tree(t, map[string]string{"other.txt": ""}), tree(t, map[string]string{"a.ts": ""})
			w := watch(t, root)
			w.Follow([]string{filepath.Join(elsewhere, "made")}, lateQuestion)
			assert.Empty(t, look(t, w, elsewhere))
			for range 2 { // it may go and come again
				write(t, filepath.Join(elsewhere, "made/deep/x.ts"), "one")
				assert.Contains(t, look(t, w, elsewhere), "+made/deep/x.ts")
				write(t, filepath.Join(elsewhere, "made/deep/x.ts"), "two")
				write(t, filepath.Join(elsewhere, "made/y.ts"), "")
				assert.ElementsMatch(t, []string{"~made/deep/x.ts", "+made/y.ts"}, look(t, w, elsewhere))
				require.NoError(t, os.RemoveAll(filepath.Join(elsewhere, "made")))
				assert.Contains(t, look(t, w, elsewhere), "-made/deep/x.ts")
			}
		})
	}
}

// The compiler has read a file, and says so after its answer. Which state it
// read of one that changed since the question came, nobody knows.
func TestWhatChangedWhileTheCompilerReadIsReported(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			elsewhere := tree(t, map[string]string{"base.conf": "one", "old.conf": "one", "gone.conf": "", "src/x.ts": "", "src/gone.ts": ""})
			root := tree(t, map[string]string{"a.ts": ""})
			w := watch(t, root)
			awaitAge(t, filepath.Join(elsewhere, "old.conf"))
			question := time.Now()
			write(t, filepath.Join(elsewhere, "base.conf"), "two")
			require.NoError(t, os.Remove(filepath.Join(elsewhere, "gone.conf")))
			require.NoError(t, os.Remove(filepath.Join(elsewhere, "src/gone.ts")))
			var names []string
			for _, name := range []string{"base.conf", "old.conf", "gone.conf", "src"} {
				names = append(names, filepath.Join(elsewhere, name))
			}
			w.Follow(names, question)
			assert.ElementsMatch(t, []string{"~base.conf", "-gone.conf", "+src"}, look(t, w, elsewhere))
			assert.Empty(t, look(t, w, elsewhere))
		})
	}
}

// Packages are recorded behind the first answer.
func TestWhatChangedBehindTheFirstAnswerIsReported(t *testing.T) {
	root := tree(t, map[string]string{
		"a.ts": "", "node_modules/x/lib/index.ts": "", "node_modules/x/lib/gone.ts": "", "node_modules/y/index.ts": "",
	})
	awaitAge(t, filepath.Join(root, "a.ts"))
	w := disk.New(root, rules)
	t.Cleanup(w.Close)
	require.NoError(t, w.Baseline(t.Context()))
	require.NoError(t, os.Remove(filepath.Join(root, "node_modules/x/lib/gone.ts")))
	path := filepath.Join(root, "node_modules/y/index.ts")
	info, err := os.Stat(path)
	require.NoError(t, err)
	write(t, path, "changed")
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	changes := look(t, w, root)
	assert.Contains(t, changes, "~node_modules/y/index.ts")
	assert.True(t, containsAny(changes, "+node_modules/x/lib", "-node_modules/x/lib/gone.ts"), "%v", changes)
	assert.NotContains(t, changes, "~node_modules/x/lib/index.ts")
}

func containsAny(all []string, some ...string) bool {
	for _, have := range all {
		for _, want := range some {
			if have == want {
				return true
			}
		}
	}
	return false
}

// awaitAge waits until a file just written counts as old.
func awaitAge(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return time.Since(info.ModTime()) > 200*time.Millisecond }, 10*time.Second, 10*time.Millisecond)
}

// Other projects share a store of packages with this one, and link its files.
func TestLinkingPackagesElsewhereBehindTheFirstAnswerIsNoChange(t *testing.T) {
	root := tree(t, map[string]string{"a.ts": "", "node_modules/x/package.json": "{}", "node_modules/x/index.ts": ""})
	awaitAge(t, filepath.Join(root, "a.ts"))
	w := disk.New(root, rules)
	t.Cleanup(w.Close)
	elsewhere := t.TempDir()
	for _, name := range []string{"package.json", "index.ts"} {
		require.NoError(t, os.Link(filepath.Join(root, "node_modules/x", name), filepath.Join(elsewhere, name)))
	}
	require.NoError(t, w.Baseline(t.Context()))
	assert.Empty(t, look(t, w, root))
}
