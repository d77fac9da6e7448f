package typescript

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

func TestYarnPlugAndPlayIsRefused(t *testing.T) {
	for _, name := range pnpMaps {
		root := t.TempDir()
		write(t, filepath.Join(root, name), "module.exports = {};\n")
		write(t, filepath.Join(root, "packages/a/package.json"), "{}")
		e := requireKind(t, new(locator), filepath.Join(root, "packages/a/src"), oracleproto.KindYarnPnP)
		assert.Contains(t, e.Detail, name)
		assert.Equal(t, "run yarn config set nodeLinker node-modules && yarn install in "+root, e.Recipe)
	}
}

// TestPlugAndPlayOfAnotherProject has the map where it does not decide: what is
// nearer wins, and so do installed packages beside it, which Yarn leaves the
// map of a former linker next to.
func TestPlugAndPlayOfAnotherProject(t *testing.T) {
	for _, pnp := range []string{"", "app"} {
		root := t.TempDir()
		write(t, filepath.Join(root, pnp, ".pnp.cjs"), "")
		modules := filepath.Join(root, "app/node_modules")
		install(t, filepath.Join(modules, "typescript"), "7.0.2")
		write(t, platformExe(modules), "")
		_, err := new(locator).locate(filepath.Join(root, "app/src"))
		require.NoError(t, err, pnp)
	}
	root := t.TempDir()
	write(t, filepath.Join(root, "app/.pnp.cjs"), "")
	install(t, filepath.Join(root, "node_modules/typescript"), "7.0.2")
	_ = requireKind(t, new(locator), filepath.Join(root, "app/src"), oracleproto.KindYarnPnP)
}
