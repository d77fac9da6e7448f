package typescript

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestScopeOfJSON(t *testing.T) {
	b := New(t.TempDir(), DefaultOptions())
	defer func() { require.NoError(t, b.Close()) }()
	_, err := b.Scope(t.Context(), oracle.Document{Path: filepath.Join(b.root, "data.json"), Text: "{}"}, oracleproto.Position{Line: 1}, false)
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindFileUnsupported, e.Kind)
	assert.NotEmpty(t, e.Recipe)
}

// TestScopeOfManyNames holds that all names are listed, that the first carry
// their types, and that the answer says so.
func TestScopeOfManyNames(t *testing.T) {
	var text strings.Builder
	for i := range 250 {
		fmt.Fprintf(&text, "export const name%03d = %d;\n", i, i)
	}
	for _, version := range []string{"5.9.3", "7.0.2"} {
		t.Run(version, func(t *testing.T) {
			b, root := openAnswering(t, version)
			doc := overlay(t, b, filepath.Join(root, "src/a.ts"), text.String())
			scope, err := b.Scope(t.Context(), doc, oracleproto.Position{Line: 251}, false)
			require.NoError(t, err)
			require.Len(t, scope.Symbols, 250)
			assert.Equal(t, "const name199: 199", scope.Symbols[199].TypeText)
			assert.Equal(t, oracleproto.Symbol{Name: "name200", Kind: "variable"}, scope.Symbols[200])
			assert.Equal(t, []string{manyNames(250)}, scope.Advice)
		})
	}
}
