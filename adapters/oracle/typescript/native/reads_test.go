package native

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatConfigurationsReadIsListed(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"app/tsconfig.json": `{
			"extends": "../base/one", // and what that extends
			"include": ["src/**/*", "../generated/*.ts"], "files": ["../extra/global.d.ts"],
			"references": [{"path": "../core"}, {"path": "../util/tsconfig.build.json"}],
			"compilerOptions": {"paths": {"@lib/*": ["../lib/src/*"], "lone": ["../lone/index.ts"]}, "typeRoots": ["../types"], "rootDirs": ["src", "../made"]}
		}`,
		"base/one.json":            `{"extends": "./two.json"}`,
		"base/two.json":            `{}`,
		"core/tsconfig.json":       `{"include": ["source"], "references": [{"path": "../app"}]}`,
		"util/tsconfig.build.json": `{"extends": "../base/two.json", "compilerOptions": {"baseUrl": "sub", "paths": {"u/*": ["lib/*"]}}}`,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o644))
	}
	ps := newProjects(os.ReadFile)
	assert.Empty(t, ps.reads())
	ps.covers(at("app/tsconfig.json"))
	reads := ps.reads()
	for _, name := range []string{
		"app/tsconfig.json", "base/one.json", "base/two.json", "core/tsconfig.json", "util/tsconfig.build.json",
		"app/src", "generated", "extra/global.d.ts", "lib/src", "lone", "types", "made", "core/source", "util", "util/sub/lib",
	} {
		assert.Contains(t, reads, at(name))
	}
	assert.NotContains(t, reads, top)
}
