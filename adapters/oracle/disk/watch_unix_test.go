//go:build unix

package disk_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A look must neither wait for a pipe's other end nor read a device without end.
func TestPipesAndDevicesAreNoSources(t *testing.T) {
	root := tree(t, map[string]string{"a.ts": "a"})
	w := watch(t, root)

	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe.ts"), 0o644))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(root, "zero.ts")))
	assert.Empty(t, look(t, w, root))

	write(t, filepath.Join(root, "b.ts"), "b")
	assert.Equal(t, []string{"+b.ts"}, look(t, w, root))
	require.NoError(t, os.Remove(filepath.Join(root, "b.ts")))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(root, "b.ts")))
	assert.Equal(t, []string{"-b.ts"}, look(t, w, root))
}
