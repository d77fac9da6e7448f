package disk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/disk"
)

// The kernel keeps a limited number of events and then says only that there
// were more.
func TestAFullQueueLosesNothing(t *testing.T) {
	b, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	require.NoError(t, err)
	most, err := strconv.Atoi(strings.TrimSpace(string(b)))
	require.NoError(t, err)

	root := tree(t, map[string]string{"a.ts": "a", "b/b.ts": "b", "c/c.ts": "c", "node_modules/x/lib/index.ts": "", "node_modules/x/lib/gone.ts": ""})
	w := watch(t, root)
	for range 2 { // and after the first time everything is watched as before
		for i := range most + 100 { // in turn, since equal events in a row are one
			require.NoError(t, os.Chmod(filepath.Join(root, []string{"a.ts", "b/b.ts"}[i%2]), 0o600))
		}
		write(t, filepath.Join(root, "c/c.ts"), "changed")
		write(t, filepath.Join(root, "node_modules/x/lib/index.ts"), "changed")
		require.NoError(t, os.Remove(filepath.Join(root, "node_modules/x/lib/gone.ts")))
		changes := look(t, w, root)
		assert.Subset(t, changes, []string{"~c/c.ts", "~node_modules/x/lib/index.ts", "-node_modules/x/lib/gone.ts"})
		require.True(t, disk.Hears(w))
		write(t, filepath.Join(root, "node_modules/x/lib/gone.ts"), "back")
		assert.Equal(t, []string{"+node_modules/x/lib/gone.ts"}, look(t, w, root))
		write(t, filepath.Join(root, "c/c.ts"), "again")
		assert.Equal(t, []string{"~c/c.ts"}, look(t, w, root))
	}
}

// A repository may have more packages than the system has watches for.
func TestWithTooFewWatchesPackagesAreWatchedByTheirDirectories(t *testing.T) {
	t.Cleanup(disk.Crowd(25))
	files := map[string]string{"a.ts": ""}
	for i := range 20 {
		files[fmt.Sprintf("node_modules/p%d/lib/deep/index.ts", i)] = ""
		files[fmt.Sprintf("node_modules/p%d/package.json", i)] = "{}"
	}
	root := tree(t, files)
	w := watch(t, root)
	require.True(t, disk.Coarse(w))
	require.True(t, disk.Hears(w))

	write(t, filepath.Join(root, "node_modules/p3/package.json"), "{ }")
	assert.Equal(t, []string{"~node_modules/p3/package.json"}, look(t, w, root))
	write(t, filepath.Join(root, "a.ts"), "changed")
	assert.Equal(t, []string{"~a.ts"}, look(t, w, root))
	require.NoError(t, os.RemoveAll(filepath.Join(root, "node_modules/p4")))
	assert.Equal(t, []string{"-node_modules/p4"}, look(t, w, root))
}

// Watches that packages no longer need are free again.
func TestInstallingAgainAndAgainDoesNotUseWatchesUp(t *testing.T) {
	t.Cleanup(disk.Crowd(40))
	root := tree(t, map[string]string{"a.ts": ""})
	w := watch(t, root)
	for i := range 10 {
		for k := range 10 {
			write(t, filepath.Join(root, fmt.Sprintf("node_modules/p%d/lib/index.ts", k)), fmt.Sprint(i))
		}
		assert.Equal(t, []string{"+node_modules"}, look(t, w, root))
		write(t, filepath.Join(root, "node_modules/p3/lib/index.ts"), "changed")
		assert.Equal(t, []string{"~node_modules/p3/lib/index.ts"}, look(t, w, root))
		require.NoError(t, os.RemoveAll(filepath.Join(root, "node_modules")))
		assert.Equal(t, []string{"-node_modules"}, look(t, w, root))
	}
	assert.False(t, disk.Coarse(w))
}

// Where there are events, a link elsewhere and an edit that keeps size and time
// are told apart.
func TestAnEditOfAStoresFileThatKeepsSizeAndTimeIsFound(t *testing.T) {
	root := tree(t, map[string]string{"a.ts": "", "node_modules/x/index.ts": "one"})
	path := filepath.Join(root, "node_modules/x/index.ts")
	require.NoError(t, os.Link(path, filepath.Join(t.TempDir(), "index.ts")))
	awaitAge(t, path)
	w := watch(t, root)
	info, err := os.Stat(path)
	require.NoError(t, err)
	write(t, path, "two")
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	assert.Equal(t, []string{"~node_modules/x/index.ts"}, look(t, w, root))
}
