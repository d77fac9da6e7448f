package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinkedDirectoriesAreReportedByBothNames(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			elsewhere := tree(t, map[string]string{"one/deep/x.ts": "", "two/x.ts": ""})
			rel, err := filepath.Rel(elsewhere, t.TempDir())
			require.NoError(t, err)
			root := filepath.Join(elsewhere, rel)
			write(t, filepath.Join(root, "packages/b/y.ts"), "")
			link(t, filepath.Join(elsewhere, "one"), filepath.Join(root, "lib"))
			link(t, "packages/b", filepath.Join(root, "b"))
			w := watch(t, root)
			outside := func(name string) string {
				rel, err := filepath.Rel(root, filepath.Join(elsewhere, name))
				require.NoError(t, err)
				return filepath.ToSlash(rel)
			}

			write(t, filepath.Join(elsewhere, "one/deep/x.ts"), "changed")
			assert.ElementsMatch(t, []string{"~" + outside("one/deep/x.ts"), "~lib/deep/x.ts"}, look(t, w, root))
			write(t, filepath.Join(root, "packages/b/y.ts"), "changed")
			assert.ElementsMatch(t, []string{"~packages/b/y.ts", "~b/y.ts"}, look(t, w, root))

			link(t, filepath.Join(elsewhere, "two"), filepath.Join(root, "lib"))
			assert.Contains(t, look(t, w, root), "~lib")
			write(t, filepath.Join(elsewhere, "two/x.ts"), "changed")
			assert.Contains(t, look(t, w, root), "~lib/x.ts")
			write(t, filepath.Join(elsewhere, "one/deep/x.ts"), "again")
			assert.Empty(t, look(t, w, root), "nothing leads there any more")

			// The same directory by another name.
			require.NoError(t, os.Rename(filepath.Join(elsewhere, "two"), filepath.Join(elsewhere, "three")))
			link(t, filepath.Join(elsewhere, "three"), filepath.Join(root, "lib"))
			assert.Contains(t, look(t, w, root), "~lib")
			write(t, filepath.Join(elsewhere, "three/x.ts"), "changed")
			assert.Contains(t, look(t, w, root), "~lib/x.ts")

			require.NoError(t, os.Remove(filepath.Join(root, "lib")))
			assert.Equal(t, []string{"-lib"}, look(t, w, root))
		})
	}
}

func TestPackagesBehindALinkAreFollowed(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			elsewhere := tree(t, map[string]string{"one/x/index.ts": "", "one/.package-lock.json": "{}", "two/x/index.ts": ""})
			root := tree(t, map[string]string{"a.ts": ""})
			link(t, filepath.Join(elsewhere, "one"), filepath.Join(root, "node_modules"))
			w := watch(t, root)
			write(t, filepath.Join(elsewhere, "one/.package-lock.json"), "{ }")
			assert.Contains(t, look(t, w, root), "~node_modules/.package-lock.json")
			write(t, filepath.Join(elsewhere, "one/x/index.ts"), "changed")
			assert.Contains(t, look(t, w, root), "~node_modules/x/index.ts")
			link(t, filepath.Join(elsewhere, "two"), filepath.Join(root, "node_modules"))
			assert.Contains(t, look(t, w, root), "~node_modules")
			write(t, filepath.Join(elsewhere, "two/x/index.ts"), "changed")
			assert.Contains(t, look(t, w, root), "~node_modules/x/index.ts")
		})
	}
}

func TestLinksInCirclesEnd(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"src/a.ts": ""})
			link(t, "..", filepath.Join(root, "src/up"))
			link(t, ".", filepath.Join(root, "self"))
			link(t, "dangling", filepath.Join(root, "dangling"))
			link(t, "/", filepath.Join(root, "everything"))
			w := watch(t, root)
			write(t, filepath.Join(root, "src/a.ts"), "changed")
			assert.Contains(t, look(t, w, root), "~src/a.ts")
			assert.Empty(t, look(t, w, root))
		})
	}
}

func TestALinkThatLedNowhereIsFollowedOnceItDoesNot(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			elsewhere := t.TempDir()
			root := tree(t, map[string]string{"a.ts": ""})
			link(t, filepath.Join(elsewhere, "later"), filepath.Join(root, "lib"))
			w := watch(t, root)
			write(t, filepath.Join(elsewhere, "later/x.ts"), "")
			assert.Contains(t, look(t, w, root), "+lib")
			write(t, filepath.Join(elsewhere, "later/x.ts"), "changed")
			assert.Contains(t, look(t, w, root), "~lib/x.ts")
		})
	}
}
