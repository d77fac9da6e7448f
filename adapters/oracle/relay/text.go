package relay

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
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

// halfCharacter finds what a JSON text says and a source file cannot: a half of
// a surrogate pair, or bytes that are no UTF-8. The decoder would put a
// replacement character there, and another text would be judged than was
// asked about. It returns a description, empty for a sound text.
func halfCharacter(raw json.RawMessage) string {
	if !utf8.Valid(raw) {
		return "bytes that are not UTF-8"
	}
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			return ""
		}
		rest = rest[i:]
		first, isEscape := escapedUnit(rest)
		if !isEscape || !utf16.IsSurrogate(first) {
			rest = rest[2:]
			continue
		}
		second, _ := escapedUnit(rest[6:])
		if utf16.DecodeRune(first, second) == utf8.RuneError {
			return fmt.Sprintf(`half of a surrogate pair (\u%04x)`, first)
		}
		rest = rest[12:]
	}
}

// escapedUnit reads \uXXXX.
func escapedUnit(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n), err == nil
}
