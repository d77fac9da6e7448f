package relay

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheTreeThatIsWatched(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Setenv("HOME", filepath.Join(top, "home"))
	for _, name := range []string{
		"home/package.json", "home/.git/HEAD",
		"home/repo/.git/HEAD", "home/repo/packages/a/package.json", "home/repo/packages/a/src/x.ts",
		"home/repo/worktrees/w/.git", "home/repo/worktrees/w/src/x.ts",
		"home/mono/package.json", "home/mono/packages/b/package.json", "home/mono/packages/b/src/x.ts",
		"home/loose/src/x.ts",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(top, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(top, name), nil, 0o644))
	}
	l := Language{ProjectFiles: []string{"package.json"}}
	for _, c := range []struct{ root, file, tree, why string }{
		{"home/repo/packages/a", "home/repo/packages/a/src/x.ts", "home/repo", "the checkout around the root"},
		{"home/repo/worktrees/w", "home/repo/worktrees/w/src/x.ts", "home/repo/worktrees/w", "a worktree is a checkout of its own"},
		{"home/mono/packages/b", "home/mono/packages/b/src/x.ts", "home/mono", "the outermost project below the home directory"},
		{"home/loose", "home/loose/src/x.ts", "home/loose", "the root where nothing else is known"},
		{"home", "home/mono/packages/b/src/x.ts", "home/mono", "a home directory is no project"},
		{"home", "home/repo/packages/a/src/x.ts", "home/repo", "a home directory is no checkout, even if it is one"},
	} {
		assert.Equal(t, filepath.Join(top, c.tree), l.tree(filepath.Join(top, c.root), filepath.Join(top, c.file)), c.why)
	}
	assert.Empty(t, l.tree("/", "/x.ts"), "nothing is watched for a file among all files")
}
