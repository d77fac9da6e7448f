package native

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestConfigFilesFollowsExtends(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	write(t, at("app/tsconfig.json"), "\ufeff{ // \"extends\": \"./no\"\n \"extends\": [\"../base\", \"./missing.json\", \"@tsconfig/node22\",], /* { */ }")
	write(t, at("base.json"), `{"extends": "./app/tsconfig.json", "x": "// \" no comment"}`)
	assert.ElementsMatch(t, []string{at("app/tsconfig.json"), at("base.json"), at("base"), at("app/missing.json")}, readTsconfig(at("app/tsconfig.json"), os.ReadFile).read)
	assert.Equal(t, []string{at("none.json")}, readTsconfig(at("none.json"), os.ReadFile).read)
}

func TestFilesThatAConfigurationMinds(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	write(t, at("base.json"), `{"files": ["${configDir}/globals.d.ts", "base.ts"], "compilerOptions": {"strict": 1, "rootDir": "app/src"}}`)
	write(t, at("app/tsconfig.json"), `{"extends": "../base.json", "include": ["src", "tests/**/*.ts"]}`)
	write(t, at("lib/tsconfig.json"), `{"compilerOptions": {"composite": true}}`)
	for config, files := range map[string]map[string]bool{
		"app/tsconfig.json": {
			"app/globals.d.ts": true, "globals.d.ts": false, "base.ts": true,
			"app/src/a.ts": false, "app/tests/a.ts": true, "app/tests/deep/a.ts": true, "app/tests/a.md": false, "app/srcs/a.ts": false, "other/a.ts": false,
		},
		"lib/tsconfig.json": {"lib/a.ts": false, "a.ts": false},
	} {
		c := readTsconfig(at(config), os.ReadFile)
		for file, want := range files {
			assert.Equal(t, want, c.mindsFile(at(file)), "%s %s", config, file)
		}
	}
}

func TestStripComments(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": 1, // x` + "\n" + `"b": [1, 2,],}`: `{"a": 1, ` + "\n" + `"b": [1, 2]}`,
		`{"a//b": "/* c */"}`:                     `{"a//b": "/* c */"}`,
		`{"a": "\",}", }`:                         `{"a": "\",}"}`,
		`{/* open`:                                `{`,
		`{"a": "cut`:                              `{"a": "cut`,
		`//`:                                      ``,
		`"`:                                       `"`,
	} {
		assert.Equal(t, want, string(stripComments([]byte(in))), in)
	}
}
