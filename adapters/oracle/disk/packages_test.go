package disk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/disk"
)

// bothWays are watches with the system's events, where it has any, and without.
var bothWays = map[string]func(t *testing.T, root string) *disk.Watch{
	"with events": func(t *testing.T, root string) *disk.Watch {
		t.Helper()
		return watch(t, root)
	},
	"without events": func(t *testing.T, root string) *disk.Watch {
		t.Helper()
		w := watch(t, root)
		disk.Deafen(w)
		return w
	},
}

func TestAnythingInAPackageMayChange(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{
				"a.ts": "", ".git/HEAD": "ref",
				"node_modules/x/index.ts": "", "node_modules/x/package.json": "{}", "node_modules/x/lib/deep/er/types.ts": "",
				"node_modules/x/node_modules/y/index.ts": "", "node_modules/@scope/z/index.ts": "",
				"node_modules/.cache/tool/data.ts": "", "node_modules/x/main.js": "",
				"packages/p/node_modules/q/index.ts": "",
			})
			w := watch(t, root)
			for _, name := range []string{
				"node_modules/x/index.ts", "node_modules/x/package.json", "node_modules/x/lib/deep/er/types.ts",
				"node_modules/x/node_modules/y/index.ts", "node_modules/@scope/z/index.ts", "packages/p/node_modules/q/index.ts",
			} {
				write(t, filepath.Join(root, name), "changed")
				assert.Equal(t, []string{"~" + name}, look(t, w, root))
				require.NoError(t, os.Remove(filepath.Join(root, name)))
				assert.Equal(t, []string{"-" + name}, look(t, w, root))
				write(t, filepath.Join(root, name), "again")
				assert.Equal(t, []string{"+" + name}, look(t, w, root))
			}
			write(t, filepath.Join(root, "node_modules/.cache/tool/data.ts"), "changed")
			write(t, filepath.Join(root, "node_modules/x/main.js"), "changed")
			write(t, filepath.Join(root, ".git/HEAD"), "other")
			assert.Empty(t, look(t, w, root), "caches, code that is not read, version control")
		})
	}
}

// What a package manager does is thousands of changes; few of them say it all.
func TestAnInstallIsReportedByDirectories(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"a.ts": ""})
			w := watch(t, root)
			install := func(version string) {
				for i := range 30 {
					for k := range 10 {
						write(t, filepath.Join(root, fmt.Sprintf("node_modules/p%d/lib/f%d.ts", i, k)), version)
					}
				}
				write(t, filepath.Join(root, "node_modules/.package-lock.json"), version)
			}
			install("one")
			assert.Equal(t, []string{"+node_modules"}, look(t, w, root))
			write(t, filepath.Join(root, "node_modules/new/lib/index.ts"), "")
			write(t, filepath.Join(root, "node_modules/.package-lock.json"), "two")
			assert.Equal(t, []string{"~node_modules/.package-lock.json", "+node_modules/new"}, look(t, w, root))
			write(t, filepath.Join(root, "node_modules/new/lib/index.ts"), "changed")
			assert.Equal(t, []string{"~node_modules/new/lib/index.ts"}, look(t, w, root), "what is new is watched")

			require.NoError(t, os.RemoveAll(filepath.Join(root, "node_modules/new")))
			assert.Equal(t, []string{"-node_modules/new"}, look(t, w, root))

			// npm moves a package aside and another in its place.
			require.NoError(t, os.Rename(filepath.Join(root, "node_modules/p0"), filepath.Join(root, "node_modules/.p0-old")))
			write(t, filepath.Join(root, "node_modules/p0/lib/f1.ts"), "other")
			require.NoError(t, os.RemoveAll(filepath.Join(root, "node_modules/.p0-old")))
			changes := look(t, w, root)
			assert.Contains(t, changes, "~node_modules/p0/lib/f1.ts")
			assert.Contains(t, changes, "-node_modules/p0/lib/f2.ts")

			require.NoError(t, os.RemoveAll(filepath.Join(root, "node_modules")))
			assert.Equal(t, []string{"-node_modules"}, look(t, w, root))
			install("three")
			assert.Equal(t, []string{"+node_modules"}, look(t, w, root))
		})
	}
}

// pnpm keeps packages in a store beside them and links to it, and links the
// store's files to those of all other projects.
func TestAStoreOfLinkedPackagesIsWatchedOnce(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{
				"a.ts": "",
				"node_modules/.pnpm/x@1/node_modules/x/index.ts": "x1",
				"node_modules/.pnpm/x@2/node_modules/x/index.ts": "x2",
				"node_modules/.pnpm/y@1/node_modules/y/index.ts": "y1",
			})
			link(t, ".pnpm/x@1/node_modules/x", filepath.Join(root, "node_modules/x"))
			link(t, "../../y@1/node_modules/y", filepath.Join(root, "node_modules/.pnpm/x@1/node_modules/y"))
			link(t, "../../x@1/node_modules/x", filepath.Join(root, "node_modules/.pnpm/y@1/node_modules/x")) // a cycle
			w := watch(t, root)

			write(t, filepath.Join(root, "node_modules/y/../.pnpm/y@1/node_modules/y/index.ts"), "changed")
			assert.Equal(t, []string{"~node_modules/.pnpm/y@1/node_modules/y/index.ts"}, look(t, w, root))
			write(t, filepath.Join(root, "node_modules/x/index.ts"), "changed")
			assert.Equal(t, []string{"~node_modules/.pnpm/x@1/node_modules/x/index.ts"}, look(t, w, root))
			link(t, ".pnpm/x@2/node_modules/x", filepath.Join(root, "node_modules/x"))
			assert.Equal(t, []string{"+node_modules/x"}, look(t, w, root), "another version")

			// Another project's install adds a name to the file and changes
			// nothing, nor does its removal.
			other := filepath.Join(t.TempDir(), "index.ts")
			require.NoError(t, os.Link(filepath.Join(root, "node_modules/x/index.ts"), other))
			assert.Empty(t, look(t, w, root))
			require.NoError(t, os.Link(other, other+"2"))
			require.NoError(t, os.Remove(other+"2"))
			assert.Empty(t, look(t, w, root))
			write(t, filepath.Join(root, "node_modules/x/index.ts"), "again")
			assert.Equal(t, []string{"~node_modules/.pnpm/x@2/node_modules/x/index.ts"}, look(t, w, root))
		})
	}
}

// A package that is being worked on is linked to its sources.
func TestALinkedPackageIsWatchedWhereItIs(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			elsewhere := tree(t, map[string]string{
				"ui/package.json": "{}", "ui/src/deep/button.ts": "", "ui/project.conf": "", "ui/node_modules/dep/index.ts": "",
				"ui2/src/button.ts": "", "node_modules/above/index.ts": "", "other/x.ts": "",
			})
			root := tree(t, map[string]string{"a.ts": "", "node_modules/x/index.ts": ""})
			link(t, filepath.Join(elsewhere, "ui"), filepath.Join(root, "node_modules/@our/ui"))
			link(t, elsewhere, filepath.Join(elsewhere, "ui/loop"))
			w := watch(t, root)

			for _, name := range []string{"ui/src/deep/button.ts", "ui/node_modules/dep/index.ts", "node_modules/above/index.ts", "ui/project.conf"} {
				write(t, filepath.Join(elsewhere, name), "changed")
				assert.Contains(t, look(t, w, elsewhere), "~"+name)
			}
			write(t, filepath.Join(elsewhere, "ui/src/new.ts"), "")
			assert.Contains(t, look(t, w, elsewhere), "+ui/src/new.ts")

			link(t, filepath.Join(elsewhere, "ui2"), filepath.Join(root, "node_modules/@our/ui"))
			assert.Contains(t, look(t, w, root), "+node_modules/@our/ui")
			write(t, filepath.Join(elsewhere, "ui2/src/button.ts"), "changed")
			assert.Contains(t, look(t, w, elsewhere), "~ui2/src/button.ts")

			require.NoError(t, os.Rename(filepath.Join(elsewhere, "ui2"), filepath.Join(elsewhere, "away")))
			assert.Contains(t, look(t, w, root), "-node_modules/@our/ui")
			require.NoError(t, os.Rename(filepath.Join(elsewhere, "away"), filepath.Join(elsewhere, "ui2")))
			assert.Contains(t, look(t, w, root), "+node_modules/@our/ui")
			write(t, filepath.Join(elsewhere, "ui2/src/button.ts"), "again")
			assert.Contains(t, look(t, w, elsewhere), "~ui2/src/button.ts")
		})
	}
}

// npm link leads through the global folder of packages.
func TestAPackageLinkedTwiceFollowsBothLinks(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			elsewhere := tree(t, map[string]string{"one/x.ts": "", "two/x.ts": ""})
			link(t, filepath.Join(elsewhere, "one"), filepath.Join(elsewhere, "global/pkg"))
			root := tree(t, map[string]string{"a.ts": ""})
			link(t, filepath.Join(elsewhere, "global/pkg"), filepath.Join(root, "node_modules/pkg"))
			w := watch(t, root)
			write(t, filepath.Join(elsewhere, "one/x.ts"), "changed")
			assert.Equal(t, []string{"~one/x.ts"}, look(t, w, elsewhere))
			link(t, filepath.Join(elsewhere, "two"), filepath.Join(elsewhere, "global/pkg"))
			assert.Contains(t, look(t, w, root), "+node_modules/pkg")
			write(t, filepath.Join(elsewhere, "two/x.ts"), "changed")
			assert.Equal(t, []string{"~two/x.ts"}, look(t, w, elsewhere))
		})
	}
}

// Without events, more packages than can be compared in time are looked at by
// their own directories.
func TestOfTooManyPackagesOnlyTheirDirectoriesAreCompared(t *testing.T) {
	files := map[string]string{"a.ts": "", "node_modules/.package-lock.json": "{}"}
	for i := range 600 {
		for k := range 9 {
			files[fmt.Sprintf("node_modules/p%d/lib/f%d.ts", i, k)] = ""
		}
		files[fmt.Sprintf("node_modules/p%d/package.json", i)] = "{}"
	}
	root := tree(t, files)
	w := watch(t, root)
	disk.Deafen(w)
	assert.Empty(t, look(t, w, root))
	require.True(t, disk.Coarse(w))

	write(t, filepath.Join(root, "node_modules/p7/package.json"), "{ }")
	assert.Equal(t, []string{"~node_modules/p7/package.json"}, look(t, w, root))
	write(t, filepath.Join(root, "node_modules/.package-lock.json"), "{ }")
	assert.Equal(t, []string{"~node_modules/.package-lock.json"}, look(t, w, root))
	write(t, filepath.Join(root, "node_modules/more/index.ts"), "")
	assert.Equal(t, []string{"+node_modules/more"}, look(t, w, root))
	write(t, filepath.Join(root, "node_modules/p7/lib/f1.ts"), "changed")
	assert.Empty(t, look(t, w, root), "the limit that the documentation states")
	w.Follow([]string{filepath.Join(root, "node_modules/p7/lib/f2.ts")}, lateQuestion)
	assert.Empty(t, look(t, w, root))
	write(t, filepath.Join(root, "node_modules/p7/lib/f2.ts"), "changed")
	assert.Contains(t, look(t, w, root), "~node_modules/p7/lib/f2.ts", "except for what the compiler says it reads")
}

func link(t *testing.T, target, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	_ = os.Remove(path)
	require.NoError(t, os.Symlink(target, path))
}
