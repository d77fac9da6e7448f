package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

// tree writes files below a new directory, whose resolved path it returns. A
// path that ends in a slash becomes a directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, dir, files)
	return dir
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if name[len(name)-1] == '/' {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

const project = "[project]\nname = \"shop\"\nversion = \"1\"\n"

func workspaceOf(members string) string { return "[workspace]\nmembers = [" + members + "]\n" }

func TestTheRootIsFoundUpwards(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files       map[string]string
		start, want string
	}{
		"here":                        {map[string]string{"a/vibe.toml": project}, "a", "a"},
		"above":                       {map[string]string{"a/vibe.toml": project, "a/b/c/": ""}, "a/b/c", "a"},
		"the nearest":                 {map[string]string{"a/vibe.toml": project, "a/b/vibe.toml": project, "a/b/c/": ""}, "a/b/c", "a/b"},
		"a workspace itself":          {map[string]string{"a/vibe.toml": workspaceOf(`"b"`)}, "a", "a"},
		"a member":                    {map[string]string{"a/vibe.toml": workspaceOf(`"b"`), "a/b/vibe.toml": project, "a/b/c/": ""}, "a/b/c", "a"},
		"a member of a project":       {map[string]string{"a/vibe.toml": project + workspaceOf(`"b"`), "a/b/vibe.toml": project}, "a/b", "a"},
		"a member by glob":            {map[string]string{"a/vibe.toml": workspaceOf(`"x", "./pkgs/*/"`), "a/pkgs/b/vibe.toml": project}, "a/pkgs/b", "a"},
		"a member by deep glob":       {map[string]string{"a/vibe.toml": workspaceOf(`"pkgs/**"`), "a/pkgs/b/c/vibe.toml": project}, "a/pkgs/b/c", "a"},
		"glob of one level":           {map[string]string{"a/vibe.toml": workspaceOf(`"pkgs/*"`), "a/pkgs/b/c/vibe.toml": project}, "a/pkgs/b/c", "a/pkgs/b/c"},
		"no member":                   {map[string]string{"a/vibe.toml": workspaceOf(`"x"`), "a/b/vibe.toml": project}, "a/b", "a/b"},
		"a directory of no member":    {map[string]string{"a/vibe.toml": workspaceOf(`"b"`), "a/c/": ""}, "a/c", "a"},
		"a bad glob":                  {map[string]string{"a/vibe.toml": workspaceOf(`"[", "../a/b"`), "a/b/vibe.toml": project}, "a/b", "a/b"},
		"nested":                      {map[string]string{"a/vibe.toml": workspaceOf(`"b"`), "a/b/vibe.toml": workspaceOf(`"c"`), "a/b/c/vibe.toml": project}, "a/b/c", "a"},
		"nested, not a member":        {map[string]string{"a/vibe.toml": workspaceOf(`"x"`), "a/b/vibe.toml": workspaceOf(`"c"`), "a/b/c/vibe.toml": project}, "a/b/c", "a/b"},
		"the topmost of two":          {map[string]string{"a/vibe.toml": workspaceOf(`"b/c"`), "a/b/vibe.toml": workspaceOf(`"c"`), "a/b/c/vibe.toml": project}, "a/b/c", "a"},
		"a member's part":             {map[string]string{"a/vibe.toml": workspaceOf(`"b"`), "a/b/vibe.toml": project, "a/b/c/vibe.toml": project}, "a/b/c", "a/b/c"},
		"past a broken one":           {map[string]string{"a/vibe.toml": workspaceOf(`"b/c"`), "a/b/vibe.toml": "[[[", "a/b/c/vibe.toml": project}, "a/b/c", "a"},
		"below a broken one":          {map[string]string{"vibe.toml": "[[[", "vibe.lock": "[[[", "a/vibe.toml": project}, "a", "a"},
		"below a directory so called": {map[string]string{"vibe.toml/": "", "a/vibe.toml/": "", "a/b/vibe.toml": project}, "a/b", "a/b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, test.files)
			found, err := workspace.Discover(filepath.Join(dir, filepath.FromSlash(test.start)))
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(dir, filepath.FromSlash(test.want)), found.Root)
			assert.NotNil(t, found.Manifest)
		})
	}
}

func TestAStartIsResolved(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a/vibe.toml": workspaceOf(`"b"`), "a/b/vibe.toml": project})
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(filepath.Join(dir, "a", "b"), link))
	found, err := workspace.Discover(link)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "a"), found.Root)
}

func TestNoProjectIsAnError(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a/b/": ""})
	_, err := workspace.Discover(filepath.Join(dir, "a", "b"))
	missing := requireError(t, err, workspace.CodeProjectMissing)
	assert.Contains(t, missing.Error(), filepath.Join(dir, "a", "b"))
	assert.Contains(t, missing.Fix(), "vibe init")

	_, err = workspace.Discover(filepath.Join(dir, "nowhere"))
	var root *workspace.RootError
	require.ErrorAs(t, err, &root)
}

func TestTheNearestManifestHasToBeInOrder(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"outside.toml": project, "a/vibe.toml": "[project]\nnam = 1\n", "b/": ""})
	_, err := workspace.Discover(filepath.Join(dir, "a"))
	invalid := requireError(t, err, workspace.CodeManifestInvalid)
	assert.Equal(t, filepath.Join(dir, "a", "vibe.toml"), invalid.Path)
	assert.Equal(t, 1, invalid.Line)

	require.NoError(t, os.Symlink(filepath.Join(dir, "outside.toml"), filepath.Join(dir, "b", "vibe.toml")))
	_, err = workspace.Discover(filepath.Join(dir, "b"))
	_ = requireError(t, err, workspace.CodeManifestInvalid)
}
