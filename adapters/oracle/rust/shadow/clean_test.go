package shadow_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/rust/shadow"
)

func TestClean(t *testing.T) {
	root := project(t, files{
		"Cargo.toml":     manifest("one", "[workspace]\nexclude = [\"two\"]"),
		"src/lib.rs":     "pub fn one() {}\n",
		"two/Cargo.toml": manifest("two", "[workspace]"),
		"two/src/lib.rs": "pub fn two() {}\n",
	})
	require.NoError(t, os.Mkdir(filepath.Join(root, "target"), 0o755))
	before := checksum(t, root)
	cache := filepath.Join(t.TempDir(), "cache")
	c := newChecker(t, root, func(o *shadow.Options) { o.CacheDir = cache })
	requireClean(t, c.check("src/lib.rs", nil))
	requireClean(t, c.check("two/src/lib.rs", nil))

	// Another project's shadow is none of ours.
	other := newChecker(t, crate(t), func(o *shadow.Options) { o.CacheDir = cache })
	requireClean(t, other.check("src/lib.rs", nil))
	require.NoError(t, other.Close())

	removed, err := shadow.Clean(root, cache)
	require.Empty(t, removed)
	require.ErrorContains(t, err, "is in use: stop the server that uses it")
	requireClean(t, c.check("src/lib.rs", nil))

	require.NoError(t, c.Close())
	removed, err = shadow.Clean(root, cache)
	require.NoError(t, err)
	require.Len(t, removed, 2)
	for _, dir := range removed {
		require.NoDirExists(t, dir)
	}
	require.NoDirExists(t, filepath.Join(root, "target", "tcg"))
	require.Equal(t, before, checksum(t, root))
	left, err := os.ReadDir(cache)
	require.NoError(t, err)
	require.Len(t, left, 1)

	removed, err = shadow.Clean(root, cache)
	require.NoError(t, err)
	require.Empty(t, removed)
}
