package rust

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
)

func TestWhereAnalyzersBuildAndThatItIsCleaned(t *testing.T) {
	cache := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, cache)
	}
	root := project(t, map[string]string{"a/Cargo.toml": manifest, "b/Cargo.toml": manifest, "a/target/debug/x": "", "a/src/lib.rs": ""})
	elsewhere := project(t, map[string]string{"target/debug/x": "", "c/target/debug/x": ""})
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")

	assert.Equal(t, filepath.Join(a, "target", "tcg", "analyzer"), targetDir(root, a))
	dirs := map[string]string{a: targetDir(root, a), b: targetDir(root, b), elsewhere: targetDir(root, elsewhere)}
	for _, workspace := range []string{b, elsewhere} {
		rel, err := filepath.Rel(cache, dirs[workspace])
		require.NoError(t, err)
		assert.True(t, filepath.IsLocal(rel), "a workspace without a target directory, or outside of the root, is not written to")
	}
	for _, dir := range dirs {
		write(t, filepath.Join(dir, "debug", "built"), "")
	}

	removed, err := Clean(root)
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{dirs[a], dirs[b]}, removed)
	assert.NoDirExists(t, filepath.Join(a, "target", "tcg"))
	assert.FileExists(t, filepath.Join(a, "target", "debug", "x"))
	assert.NoDirExists(t, dirs[b])
	assert.DirExists(t, dirs[elsewhere], "another project's")
	removed, err = Clean(root)
	require.NoError(t, err)
	assert.Empty(t, removed)
}

func TestChangesToWhatIsBuiltAreNotTheUsers(t *testing.T) {
	root := project(t, map[string]string{
		"target/CACHEDIR.TAG": "", "target/tcg/x/tree/src/lib.rs": "", "src/target/mod.rs": "", "src/lib.rs": "",
	})
	var paths []string
	change := func(kind oracle.ChangeKind, rel string) oracle.Change {
		return oracle.Change{Kind: kind, Path: filepath.Join(root, filepath.FromSlash(rel))}
	}
	for _, c := range sources([]oracle.Change{
		change(oracle.DiskCreated, "target/tcg/x/tree/src/lib.rs"), change(oracle.DiskChanged, "target/tcg/x/tree/Cargo.toml"),
		change(oracle.DiskChanged, "src/target/mod.rs"), change(oracle.DiskDeleted, "src/lib.rs"), change(oracle.OverlaySet, "target/a.rs"),
	}) {
		rel, err := filepath.Rel(root, c.Path)
		require.NoError(t, err)
		paths = append(paths, filepath.ToSlash(rel))
	}
	assert.Equal(t, []string{"src/target/mod.rs", "src/lib.rs", "target/a.rs"}, paths)
}
