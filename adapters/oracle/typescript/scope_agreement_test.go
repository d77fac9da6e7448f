package typescript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

// scopeDir holds texts with marks, and one without that they import.
const scopeDir = "testdata/scope"

// scopeConfig takes every file of scopeDir in.
const scopeConfig = `{"compilerOptions": {"strict": true, "noEmit": true, "allowJs": true, "jsx": "preserve", "module": "esnext", "target": "es2022", "moduleResolution": "bundler"}, "include": ["*"]}`

// notIn7 are the names that TypeScript 7 does not show where 5 and 6 do: its
// language server takes no JSDoc for the types it declares (docs/accuracy.md).
var notIn7 = map[string][]string{"plain.js": {"Defined", "T"}}

// TestScopesAgree holds the exact scopes of TypeScript 5 and 6, which their
// checker tells, against those that are found by probing TypeScript 7.
func TestScopesAgree(t *testing.T) {
	probed := scopes(t, "7.0.2")
	require.GreaterOrEqual(t, len(probed), 100)
	for _, version := range []string{"5.0.4", "5.9.3", "6.0.3"} {
		t.Run(version, func(t *testing.T) {
			for place, exact := range scopes(t, version) {
				for name, symbol := range exact {
					if slices.Contains(notIn7[place.file], name) {
						continue
					}
					if assert.Contains(t, probed[place], name, "%v", place) {
						assert.Equal(t, symbol.Kind, probed[place][name].Kind, "%v: %s", place, name)
					}
				}
				for name := range probed[place] {
					assert.Contains(t, exact, name, "%v", place)
				}
			}
		})
	}
}

// spot is a mark of the fixture.
type spot struct {
	file            string
	line, character int
}

func (s spot) String() string { return fmt.Sprintf("%s:%d:%d", s.file, s.line, s.character) }

// scopes asks a version about every mark of the fixture.
func scopes(t *testing.T, version string) map[spot]map[string]oracleproto.Symbol {
	t.Helper()
	lib, err := os.ReadFile(filepath.Join(scopeDir, "lib.ts"))
	require.NoError(t, err)
	b, root := openProject(t, version, map[string]string{"tsconfig.json": scopeConfig, "lib.ts": string(lib)})
	files, err := os.ReadDir(scopeDir)
	require.NoError(t, err)
	answers := map[spot]map[string]oracleproto.Symbol{}
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(scopeDir, f.Name()))
		require.NoError(t, err)
		text, marks := marked(string(raw))
		doc := overlay(t, b, filepath.Join(root, f.Name()), text)
		for _, at := range marks {
			scope, err := b.Scope(t.Context(), doc, at, false)
			require.NoError(t, err)
			require.Equal(t, version, scope.Engine.Version)
			symbols := map[string]oracleproto.Symbol{}
			for _, s := range scope.Symbols {
				require.NotContains(t, symbols, s.Name)
				require.NotContains(t, s.Name+s.TypeText, "__tcg", "%v", at)
				symbols[s.Name] = s
			}
			answers[spot{f.Name(), at.Line, at.Character}] = symbols
		}
	}
	return answers
}
