package typescript

import (
	"os"
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

// TestAConfigurationThatCannotBeReadIsTheProjectsError has one above that would
// do, and would be wrong.
func TestAConfigurationThatCannotBeReadIsTheProjectsError(t *testing.T) {
	root := project(t, map[string]string{"tsconfig.json": strictConfig, "src/tsconfig.json": strictConfig, "src/a.ts": "export {};\n"})
	file, nearest := filepath.Join(root, "src/a.ts"), filepath.Join(root, "src/tsconfig.json")
	assert.Nil(t, unreadable(file, nearest))
	assert.Nil(t, unreadable(file, filepath.Join(root, "tsconfig.json")), "it can be read, and is a solution")
	if os.Geteuid() == 0 { // who can read everything, save what is no text
		require.NoError(t, os.Remove(nearest))
		require.NoError(t, os.Symlink("tsconfig.json", nearest))
		assert.Nil(t, unreadable(file, filepath.Join(root, "tsconfig.json")), "a link to itself is not there")
		return
	}
	require.NoError(t, os.Chmod(nearest, 0))
	got := unreadable(file, filepath.Join(root, "tsconfig.json"))
	require.NotNil(t, got)
	assert.Equal(t, oracleproto.NumberCode(5083), got.Code)
	assert.Contains(t, got.Message, filepath.ToSlash(nearest))
}
