package typescript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// strictConfig is the tsconfig.json of most test projects.
const strictConfig = `{"compilerOptions": {"strict": true, "noEmit": true, "jsx": "preserve", "module": "esnext", "moduleResolution": "bundler"}, "include": ["src"]}`

// validate asks about a text that is announced and withdrawn again.
func validate(t *testing.T, b *Backend, path, text string) oracle.Validation {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: path, Text: text}}))
	v, err := b.Validate(t.Context(), oracle.Document{Path: path, Text: text}, oracle.Check{})
	require.NoError(t, err)
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlayClear, Path: path}}))
	return v
}

func changed(t *testing.T, b *Backend, kind oracle.ChangeKind, path string) {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: kind, Path: path}}))
}

func codesOf(ds []oracleproto.Diagnostic) []string {
	out := []string{}
	for _, d := range ds {
		out = append(out, d.Code.String())
	}
	return out
}

func TestPackagesInstalled(t *testing.T) {
	root := project(t, map[string]string{"tsconfig.json": strictConfig})
	require.NoError(t, os.Remove(filepath.Join(root, "node_modules")))
	require.NoError(t, os.Mkdir(filepath.Join(root, "node_modules"), 0o755))
	b := New(root, DefaultOptions())
	defer func() { require.NoError(t, b.Close()) }()
	file, text := filepath.Join(root, "src/a.ts"), "import { x } from 'pkg';\nexport const s: string = x;\n"
	doc := oracle.Document{Path: file, Text: text}

	_, err := b.Validate(t.Context(), doc, oracle.Check{})
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, oracleproto.KindTypeScriptMissing, e.Kind)

	for _, name := range []string{"typescript", "@typescript"} {
		require.NoError(t, os.Symlink(filepath.Join(installed(t), "node_modules", name), filepath.Join(root, "node_modules", name)))
	}
	require.Equal(t, []string{"2307"}, codesOf(validate(t, b, file, text).Diagnostics))
	write(t, filepath.Join(root, "node_modules/pkg/package.json"), `{"name": "pkg", "types": "i.d.ts"}`)
	write(t, filepath.Join(root, "node_modules/pkg/i.d.ts"), "export const x: string;\n")
	changed(t, b, oracle.DiskChanged, filepath.Join(root, "node_modules/.package-lock.json"))
	require.Empty(t, validate(t, b, file, text).Diagnostics)
}

// TestEachFileHasItsOwnCompiler covers a monorepo whose packages install
// typescript separately.
func TestEachFileHasItsOwnCompiler(t *testing.T) {
	root := project(t, map[string]string{"a/tsconfig.json": strictConfig, "b/tsconfig.json": strictConfig})
	b := New(root, DefaultOptions())
	defer func() { require.NoError(t, b.Close()) }()
	require.NoError(t, os.Symlink(filepath.Join(installed(t), "node_modules"), filepath.Join(root, "a/node_modules")))
	store := filepath.Join(root, "b/node_modules")
	install(t, filepath.Join(store, "typescript"), "7.0.2")
	c, err := b.locator.locate(root)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(platformExe(store)), 0o755))
	require.NoError(t, os.Symlink(filepath.Dir(c.entry), filepath.Dir(platformExe(store))+"2"))
	require.NoError(t, os.Remove(filepath.Dir(platformExe(store))))
	require.NoError(t, os.Rename(filepath.Dir(platformExe(store))+"2", filepath.Dir(platformExe(store))))

	text := "export const s: string = 1;\n"
	for range 2 {
		for _, dir := range []string{"a", "b"} {
			v := validate(t, b, filepath.Join(root, dir, "src/x.ts"), text)
			assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics))
			assert.Equal(t, filepath.Join(root, dir, "tsconfig.json"), v.ConfigFile)
		}
	}
	assert.Len(t, b.compilers.Alive(), 2)
}
