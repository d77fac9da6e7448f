//go:build unix

package workspace_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

// A FIFO in the place of a file has no writer; opening it must not wait for
// one.
func TestAFIFOIsNoFile(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "ledger")
	remove(t, root, tsSlot+"/vibe.toml")
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, filepath.FromSlash(tsSlot), "vibe.toml"), 0o600))
	problems := read(t, root).Problems()
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Error(), "no regular file")

	remove(t, root, "vibe.lock")
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "vibe.lock"), 0o600))
	_, err := workspace.ReadInstallation(root)
	_ = requireError(t, err, workspace.CodeLockInvalid)

	remove(t, root, "vibe.toml")
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "vibe.toml"), 0o600))
	_, err = workspace.Discover(root)
	_ = requireError(t, err, workspace.CodeManifestInvalid)
}
