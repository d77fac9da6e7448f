package typescript

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestConfigFilesFollowsExtends(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	write(t, at("app/tsconfig.json"), "\ufeff{ // \"extends\": \"./no\"\n \"extends\": [\"../base\", \"./missing.json\", \"@tsconfig/node22\",], /* { */ }")
	write(t, at("base.json"), `{"extends": "./app/tsconfig.json", "x": "// \" no comment"}`)
	assert.ElementsMatch(t, []string{at("app/tsconfig.json"), at("base.json"), at("base"), at("app/missing.json")}, configFiles(at("app/tsconfig.json")))
	assert.Equal(t, []string{at("none.json")}, configFiles(at("none.json")))
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
