package native

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestAConfigurationIsJudgedAsWritten(t *testing.T) {
	b, root := open(t, map[string]string{
		"tsconfig.json":       strictConfig,
		"base.json":           `{"compilerOptions": {"bogus": 1, "strict": true}}`,
		"src/deep/er/a.ts":    "export {};\n",
		"src/b.ts":            "export {};\n",
		"s/tsconfig.json":     `{"files": [], "references": [{"path": "./tsconfig.app.json"}]}`,
		"s/tsconfig.app.json": `{"compilerOptions": {"composite": true, "outDir": "out"}, "include": ["lib"]}`,
		"s/lib/a.ts":          "export {};\n",
	})
	config := filepath.Join(root, "tsconfig.json")
	for range 2 {
		for text, want := range map[string][]string{
			strictConfig: {},
			"{\n  \"compilerOptions\": {\"noEmit\": true, \"stricter\": true},\n  \"include\": [\"src\"]\n}": {"5023"},
			`{"compilerOptions": {"noEmit": true, "moduleResolution": "node10"}, "include": ["src"]}`:        {"5108"},
			`{"compilerOptions": {"noEmit": true "strict": true}, "include": ["src/**/*"]}`:                  {"1005"},
			`{"files": ["src/b.ts"], "compilerOptions": {"noEmit": "yes"}}`:                                  {"5024"},
		} {
			v := validate(t, b, config, text)
			require.Equal(t, want, codesOf(v.Diagnostics), text)
			assert.Empty(t, v.ProjectErrors)
			assert.Empty(t, v.Unknown)
			assert.Equal(t, config, v.ConfigFile)
			v = validate(t, b, filepath.Join(root, "src/b.ts"), "export const s: string = 1;\n")
			assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics), "the disk's stands again")
			assert.Empty(t, v.ProjectErrors)
		}
	}

	// An error of another file is not given a place in this one.
	v := validate(t, b, config, `{"extends": "./base.json", "compilerOptions": {"noEmit": true, "stricter": 1}, "include": ["src"]}`)
	assert.Equal(t, []string{"5023"}, codesOf(v.Diagnostics))
	assert.Contains(t, v.Diagnostics[0].Message, "stricter")
	require.Equal(t, []string{"5023"}, codesOf(v.ProjectErrors))
	assert.Contains(t, v.ProjectErrors[0].Message, "bogus")
	assert.Zero(t, v.ProjectErrors[0].Line)

	// One that only a solution leads to.
	app := filepath.Join(root, "s/tsconfig.app.json")
	v = validate(t, b, app, `{"compilerOptions": {"composite": true, "outDir": "out", "stricter": true}, "include": ["lib"]}`)
	assert.Equal(t, []string{"5023"}, codesOf(v.Diagnostics))
	assert.Equal(t, app, v.ConfigFile)

	// Nothing is read under these by themselves: no verdict.
	for _, file := range []string{"tsconfig.base.json", "s/tsconfig.json"} {
		v = validate(t, b, filepath.Join(root, file), `{"files": [], "references": [{"path": "./tsconfig.app.json"}]}`)
		assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown, file)
		assert.Empty(t, v.Diagnostics)
		v = validate(t, b, filepath.Join(root, file), `{"files": [`)
		assert.NotEmpty(t, v.Diagnostics, file)
	}
}

func TestAConfigurationIsJudgedWithWhatStandsForItsFiles(t *testing.T) {
	b, root := open(t, map[string]string{"package.json": "{}"})
	file := filepath.Join(root, "only/here.ts")
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: file, Text: "export {};\n"}}))
	v := validate(t, b, filepath.Join(root, "tsconfig.json"), `{"compilerOptions": {"stricter": 1, "noEmit": true}}`)
	assert.Equal(t, []string{"5023"}, codesOf(v.Diagnostics))
	assert.Empty(t, v.Unknown)
}
