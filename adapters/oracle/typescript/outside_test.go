package typescript

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

func TestAFileOutsideEveryProjectIsToldHowToGetIn(t *testing.T) {
	root := project(t, map[string]string{"a/tsconfig.json": strictConfig, "a/scripts/other.ts": "export {};\n", "b/package.json": "{}"})
	b := New(root, DefaultOptions())
	defer func() { require.NoError(t, b.Close()) }()
	v := validate(t, b, filepath.Join(root, "a/scripts/tool.ts"), "const s: string = 1;\nexport {};\n")
	assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown)
	require.Len(t, v.Advice, 1)
	assert.Contains(t, v.Advice[0], filepath.Join(root, "a/tsconfig.json"))
	assert.Contains(t, v.Advice[0], `"scripts/tool.ts"`)

	v = validate(t, b, filepath.Join(root, "b/src/a.ts"), "const s: string = 1;\nexport {};\n")
	assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown)
	require.Len(t, v.Advice, 1)
	assert.Contains(t, v.Advice[0], "npx tsc --init in "+filepath.Join(root, "b"))
}

func TestJSONOutsideEveryProjectIsToldWhatWasChecked(t *testing.T) {
	root := project(t, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "export {};\n", "package.json": "{}"})
	b := New(root, DefaultOptions())
	defer func() { require.NoError(t, b.Close()) }()
	for file, says := range map[string]string{
		"package.json":       "how imports are resolved",
		"tsconfig.base.json": "npx tsc --noEmit -p " + filepath.Join(root, "tsconfig.base.json"),
		"data.json":          "resolveJsonModule",
	} {
		v := validate(t, b, filepath.Join(root, file), "{}")
		assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown, file)
		assert.Empty(t, v.Diagnostics, file)
		require.Len(t, v.Advice, 1, file)
		assert.Contains(t, v.Advice[0], says)
		v = validate(t, b, filepath.Join(root, file), "{,}")
		assert.NotEmpty(t, v.Diagnostics, file)
	}
	v := validate(t, b, filepath.Join(root, "tsconfig.json"), strictConfig)
	assert.Empty(t, v.Unknown)
	assert.Empty(t, v.Advice)
}
