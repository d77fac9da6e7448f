package typescript

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestLinesAreCountedAsTypeScriptDoes(t *testing.T) {
	const ls, ps = "\u2028", "\u2029"
	for _, text := range []string{
		"a", "a" + ls + "b", ls + ls, "a\r" + ls + "\nb", "a" + ls + "\r\nb" + ps + "😀" + ls + "c", "\n" + ls + "a\n" + ps + "b\n\nc", "😀" + ls,
	} {
		measured := lsp.NewText(text)
		ends := unusualEnds(text)
		line, column := 1, 0 // by ECMA-262
		var before rune
		for i, r := range text {
			want := oracleproto.Position{Line: line, Character: column}
			p := measured.Position(i, lsp.UTF16)
			if inside := before == '\r' && r == '\n'; !inside {
				gotLine, gotColumn := ends.fromLSP(p.Line+1, p.Character)
				assert.Equal(t, want, oracleproto.Position{Line: gotLine, Character: gotColumn}, "%q at %d", text, i)
				assert.Equal(t, oracleproto.Position{Line: p.Line + 1, Character: p.Character}, ends.toLSP(want), "%q at %d", text, i)
			}
			switch {
			case before == '\r' && r == '\n':
			case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
				line, column = line+1, 0
			case r > 0xffff:
				column += 2
			default:
				column++
			}
			before = r
		}
	}
}

// TestEveryQuestionCountsLinesAsTypeScriptDoes has the error and the name that
// is asked about after line ends that LSP does not know.
func TestEveryQuestionCountsLinesAsTypeScriptDoes(t *testing.T) {
	root := project(t, map[string]string{"tsconfig.json": strictConfig})
	b := New(root, DefaultOptions())
	defer func() { require.NoError(t, b.Close()) }()
	doc := oracle.Document{
		Path: filepath.Join(root, "src/a.ts"),
		Text: "const one = 1;\u2028const two = 'a\u2029b';\rlet three: string = one;\u2028three.length;\u2029export {};\u2028",
	}
	v := validate(t, b, doc.Path, doc.Text)
	require.Equal(t, []string{"2322"}, codesOf(v.Diagnostics[:1]))
	assert.Equal(t, [2]int{4, 4}, [2]int{v.Diagnostics[0].Line, v.Diagnostics[0].Character})
	assert.Equal(t, [2]int{4, 9}, [2]int{v.Diagnostics[0].EndLine, v.Diagnostics[0].EndCharacter})
	info, err := b.Type(t.Context(), doc, oracleproto.Position{Line: 4, Character: 5})
	require.NoError(t, err)
	assert.Contains(t, info.Display, "three: string")
	c, err := b.Complete(t.Context(), doc, oracleproto.Position{Line: 5, Character: 6}, "toUpper", 5)
	require.NoError(t, err)
	assert.Equal(t, 1, c.Total)
	s, err := b.Scope(t.Context(), doc, oracleproto.Position{Line: 4, Character: 0}, false)
	require.NoError(t, err)
	names := []string{}
	for _, symbol := range s.Symbols {
		names = append(names, symbol.Name)
	}
	assert.Subset(t, names, []string{"one", "two", "three"})
}
