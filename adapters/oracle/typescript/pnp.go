package typescript

import (
	"os"
	"path/filepath"

	"vibevm.org/tcgfamily/oracleproto"
)

// pnpMaps are the names under which Yarn writes where the packages of a Plug'n'Play
// project are: since 2.2, before that and in Yarn 1.
var pnpMaps = []string{".pnp.cjs", ".pnp.js"}

// plugAndPlay reports that the packages of a directory's project are in Yarn's
// archives. An installed TypeScript cannot look into them and would find none
// of the imports, so no answer of it is any good.
func plugAndPlay(dir string) error {
	for _, name := range pnpMaps {
		manifest := filepath.Join(dir, name)
		if info, err := os.Stat(manifest); err != nil || !info.Mode().IsRegular() {
			continue
		}
		return &oracleproto.Error{
			Kind:   oracleproto.KindYarnPnP,
			Detail: dir + " is a Yarn Plug'n'Play project (" + name + "): its packages are in archives, where the compiler would report every import as missing",
			Recipe: "run yarn config set nodeLinker node-modules && yarn install in " + dir,
		}
	}
	return nil
}
