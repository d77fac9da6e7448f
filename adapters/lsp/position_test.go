package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOffsetAndPosition(t *testing.T) {
	const text = "aé😀z\r\nsecond\n\nlast"
	x := NewText(text)
	for _, tc := range []struct {
		enc    Encoding
		pos    Position
		offset int
	}{
		{UTF16, Position{0, 0}, 0},
		{UTF16, Position{0, 2}, 3},
		{UTF16, Position{0, 4}, 7},
		{UTF8, Position{0, 7}, 7},
		{UTF32, Position{0, 3}, 7},
		{UTF16, Position{1, 0}, 10},
		{UTF16, Position{2, 0}, 17},
		{UTF16, Position{3, 4}, 22},
	} {
		assert.Equal(t, tc.offset, x.Offset(tc.pos, tc.enc), "%v %v", tc.enc, tc.pos)
		assert.Equal(t, tc.pos, x.Position(tc.offset, tc.enc), "%v %d", tc.enc, tc.offset)
	}
}

func TestOffsetClamps(t *testing.T) {
	x := NewText("ab😀\r\ncd")
	for _, tc := range []struct {
		pos  Position
		want Position
	}{
		{Position{0, 3}, Position{0, 2}}, // between the surrogates
		{Position{0, 99}, Position{0, 4}},
		{Position{1, 99}, Position{1, 2}},
		{Position{9, 0}, Position{1, 2}},
		{Position{-1, 5}, Position{0, 0}},
		{Position{1, -5}, Position{1, 0}},
	} {
		assert.Equal(t, tc.want, x.Convert(tc.pos, UTF16, UTF16), "%v", tc.pos)
	}
	assert.Equal(t, Position{0, 4}, x.Position(7, UTF16), "inside CRLF is the line's end")
	assert.Equal(t, Position{}, NewText("").Convert(Position{3, 3}, UTF16, UTF8))
}

// TestConversionsAgreeWithTheStandardLibrary compares every offset of random
// texts with a count by unicode/utf16 and unicode/utf8.
func TestConversionsAgreeWithTheStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "é", "語", "😀", "\n", "\r\n", "\r", "\t", "́", "𝒳"}
	for range 300 {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		text := b.String()
		x := NewText(text)
		for offset := range text {
			if offset > 0 && text[offset-1] == '\r' && text[offset] == '\n' {
				continue
			}
			head := strings.ReplaceAll(strings.ReplaceAll(text[:offset], "\r\n", "\n"), "\r", "\n")
			line := strings.Count(head, "\n")
			column := head[strings.LastIndexByte(head, '\n')+1:]
			want := map[Encoding]Position{
				UTF8:  {line, len(column)},
				UTF16: {line, len(utf16.Encode([]rune(column)))},
				UTF32: {line, utf8.RuneCountInString(column)},
			}
			for enc, pos := range want {
				require.Equal(t, pos, x.Position(offset, enc), "%q at %d, %s", text, offset, enc)
				require.Equal(t, offset, x.Offset(pos, enc), "%q at %v, %s", text, pos, enc)
				for other, converted := range want {
					require.Equal(t, converted, x.Convert(pos, enc, other), "%q %v %s to %s", text, pos, enc, other)
				}
			}
		}
	}
}

func FuzzPosition(f *testing.F) {
	f.Add("a😀\r\nb", 0, 3)
	f.Add("\xff\r", 1, 0)
	f.Fuzz(func(t *testing.T, text string, line, character int) {
		x := NewText(text)
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			offset := x.Offset(Position{line, character}, enc)
			if offset < 0 || offset > len(text) {
				t.Fatalf("offset %d outside a text of %d bytes", offset, len(text))
			}
			if pos := x.Position(offset, enc); x.Offset(pos, enc) != offset {
				t.Fatalf("%q: offset %d is %v is %d", text, offset, pos, x.Offset(pos, enc))
			}
		}
	})
}
