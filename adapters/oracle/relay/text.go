package relay

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"vibevm.org/adapters/lsp"
	"vibevm.org/tcgfamily/oracleproto"
)

// decode turns a file's bytes into text the way the TypeScript compiler and
// rustc's front ends see them: UTF-16 where a byte order mark says so, else
// UTF-8 with one replacement character per invalid byte, which keeps columns
// where the compiler counts them.
func decode(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return decodeUTF16(b[2:], binary.LittleEndian)
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return decodeUTF16(b[2:], binary.BigEndian)
	case utf8.Valid(b):
		return string(b)
	}
	return string([]rune(string(b)))
}

func decodeUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// clamp moves a position into the text: past the last line to the end of the
// text, past the end of a line to its end, into the middle of a surrogate pair
// to its start.
func (l Language) clamp(text string, at oracleproto.Position) oracleproto.Position {
	return ours(l.measure(text).Convert(lsp.Position{Line: at.Line - 1, Character: at.Character}, lsp.UTF16, lsp.UTF16))
}

// endOf is the position after the last character.
func (l Language) endOf(text string) oracleproto.Position {
	m := l.measure(text)
	return ours(m.Position(len(m.String()), lsp.UTF16))
}

// measure indexes the lines of a text as the language counts them: ends of its
// own are counted as if they were line feeds, which are as wide.
func (l Language) measure(text string) *lsp.Text {
	for _, end := range l.LineEnds {
		if !strings.ContainsRune(text, end) {
			continue
		}
		// A carriage return before it ends a line of its own.
		text = strings.ReplaceAll(text, "\r"+string(end), "\n\n")
		text = strings.ReplaceAll(text, string(end), "\n")
	}
	return lsp.NewText(text)
}

func ours(p lsp.Position) oracleproto.Position {
	return oracleproto.Position{Line: p.Line + 1, Character: p.Character}
}
