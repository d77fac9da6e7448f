package typescript

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

// install writes a package that looks like typescript; where its platform
// package goes is up to the caller.
func install(t *testing.T, dir, version string) {
	t.Helper()
	write(t, filepath.Join(dir, "package.json"), `{"name": "typescript", "version": "`+version+`"}`)
}

func platformExe(nodeModules string) string {
	name := "tsc"
	if filepath.Separator == '\\' {
		name += ".entry"
	}
	return filepath.Join(nodeModules, "@typescript", platformPackage(), "lib", name)
}

func TestLocateFollowsEveryLayout(t *testing.T) {
	for name, lay := range map[string]func(root string) (exe string){
		"beside": func(root string) string {
			install(t, filepath.Join(root, "node_modules/typescript"), "7.0.2")
			return platformExe(filepath.Join(root, "node_modules"))
		},
		"nested": func(root string) string {
			install(t, filepath.Join(root, "node_modules/typescript"), "7.0.2")
			return platformExe(filepath.Join(root, "node_modules/typescript/node_modules"))
		},
		"hoisted to a parent": func(root string) string {
			install(t, filepath.Join(root, "packages/a/node_modules/typescript"), "7.1.0-beta")
			return platformExe(filepath.Join(root, "node_modules"))
		},
		"pnpm": func(root string) string {
			store := filepath.Join(root, "node_modules/.pnpm/typescript@7.0.2/node_modules")
			install(t, filepath.Join(store, "typescript"), "7.0.2")
			require.NoError(t, os.Symlink(filepath.Join(store, "typescript"), filepath.Join(root, "node_modules/typescript")))
			return platformExe(store)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			want := lay(root)
			write(t, want, "")
			var l locator
			got, err := l.locate(filepath.Join(root, "packages/a/src/deep"))
			require.NoError(t, err)
			assert.Equal(t, want, got.entry)
			assert.NotEmpty(t, got.version)
		})
	}
}

func TestLocateTakesTheLibraryOf5And6(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for dir, version := range map[string]string{"": "6.0.3", "packages/a": "5.0.4"} {
		install(t, filepath.Join(root, dir, "node_modules/typescript"), version)
		write(t, filepath.Join(root, dir, "node_modules/typescript/lib/typescript.js"), "")
	}
	var l locator
	near, err := l.locate(filepath.Join(root, "packages/a/src"))
	require.NoError(t, err)
	assert.Equal(t, 5, near.major)
	far, err := l.locate(filepath.Join(root, "packages/b/src"))
	require.NoError(t, err)
	assert.Equal(t, 6, far.major)
	assert.Equal(t, filepath.Join(root, "node_modules/typescript/lib/typescript.js"), far.entry)
}

func TestLocateTakesTheNearest(t *testing.T) {
	root := t.TempDir()
	var l locator
	for _, dir := range []string{"", "packages/a"} {
		install(t, filepath.Join(root, dir, "node_modules/typescript"), "7.0."+string(rune('0'+len(dir))))
		write(t, platformExe(filepath.Join(root, dir, "node_modules")), "")
	}
	near, err := l.locate(filepath.Join(root, "packages/a/src"))
	require.NoError(t, err)
	far, err := l.locate(filepath.Join(root, "packages/b/src"))
	require.NoError(t, err)
	assert.NotEqual(t, near.entry, far.entry)
	assert.Equal(t, "7.0.0", far.version)
}

func TestLocateSeesInstallUpgradeAndRemoval(t *testing.T) {
	root := t.TempDir()
	var l locator
	_ = requireKind(t, &l, root, oracleproto.KindTypeScriptMissing)
	install(t, filepath.Join(root, "node_modules/typescript"), "7.0.2")
	_ = requireKind(t, &l, root, oracleproto.KindTypeScriptPlatformMissing)
	exe := platformExe(filepath.Join(root, "node_modules"))
	write(t, exe, "old")
	first, err := l.locate(root)
	require.NoError(t, err)

	install(t, filepath.Join(root, "node_modules/typescript"), "7.0.10")
	write(t, exe, "newer")
	second, err := l.locate(root)
	require.NoError(t, err)
	assert.Equal(t, "7.0.10", second.version)
	assert.NotEqual(t, first, second)

	require.NoError(t, os.Chtimes(exe, time.Time{}, time.Now().Add(time.Hour)))
	third, err := l.locate(root)
	require.NoError(t, err)
	assert.NotEqual(t, second, third, "the executable was replaced in place")

	require.NoError(t, os.Remove(exe))
	_ = requireKind(t, &l, root, oracleproto.KindTypeScriptPlatformMissing)
	require.NoError(t, os.RemoveAll(filepath.Join(root, "node_modules")))
	_ = requireKind(t, &l, root, oracleproto.KindTypeScriptMissing)
}

func TestLocateRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		manifest       string
		kind           oracleproto.Kind
		detail, recipe string
	}{
		"5":          {`{"version": "5.9.3"}`, oracleproto.KindTypeScriptMissing, "without lib/typescript.js", "npm install -D typescript@5.9.3"},
		"4":          {`{"version": "4.9.5"}`, oracleproto.KindTypeScriptUnsupported, "too old", "npm install -D typescript@5"},
		"8":          {`{"version": "8.0.0"}`, oracleproto.KindTypeScriptUnsupported, "newer", "npm install -D typescript@7"},
		"no exe":     {`{"version": "7.0.2"}`, oracleproto.KindTypeScriptPlatformMissing, platformPackage(), "npm install --include=optional"},
		"broken":     {`{"version": `, oracleproto.KindTypeScriptMissing, "broken", "npm install -D typescript"},
		"no version": {`{}`, oracleproto.KindTypeScriptMissing, "no version", "npm install -D typescript"},
		"nonsense":   {`{"version": "latest"}`, oracleproto.KindTypeScriptUnsupported, "latest", "npm install -D typescript@5"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "node_modules/typescript/package.json"), tc.manifest)
			e := requireKind(t, new(locator), root, tc.kind)
			assert.Contains(t, e.Detail, tc.detail)
			assert.Contains(t, e.Recipe, tc.recipe)
			assert.Contains(t, e.Recipe, root)
		})
	}
}

func TestRecipeNamesTheDirectoryToInstallIn(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "app/package.json"), "{}")
	e := requireKind(t, new(locator), filepath.Join(root, "app/src/deep"), oracleproto.KindTypeScriptMissing)
	assert.Equal(t, "run npm install -D typescript in "+filepath.Join(root, "app"), e.Recipe)
}

func requireKind(t *testing.T, l *locator, dir string, kind oracleproto.Kind) *oracleproto.Error {
	t.Helper()
	_, err := l.locate(dir)
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, e.Detail)
	return e
}
