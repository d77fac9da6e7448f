package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

func TestResolveRootFollowsSymlinks(t *testing.T) {
	real := filepath.Join(t.TempDir(), "real")
	require.NoError(t, os.Mkdir(real, 0o755))
	real, err := filepath.EvalSymlinks(real)
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(real, link))

	got, err := workspace.ResolveRoot(link)
	require.NoError(t, err)
	assert.Equal(t, real, got)
}

func TestResolveRootSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))

	for path, detail := range map[string]string{
		filepath.Join(dir, "nowhere"): "does not exist",
		file:                          "is not a directory",
	} {
		_, err := workspace.ResolveRoot(path)
		var rootErr *workspace.RootError
		require.ErrorAs(t, err, &rootErr)
		assert.Equal(t, detail, rootErr.Detail)
		assert.Contains(t, rootErr.Error(), path)
		assert.NotEmpty(t, rootErr.Fix())
	}
}

func TestAbsoluteRootNeedsNoDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	got, err := workspace.AbsoluteRoot("not/yet")
	require.NoError(t, err)
	assert.True(t, filepath.IsAbs(got))
}
