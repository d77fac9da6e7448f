package relay

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

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
// to its start. Lines end with \n, \r\n or \r.
func clamp(text string, at oracleproto.Position) oracleproto.Position {
	line, start := 1, 0
	for line < at.Line {
		end := lineEnd(text, start)
		if end == len(text) {
			return oracleproto.Position{Line: line, Character: utf16Length(text[start:])}
		}
		start = end + 1
		if text[end] == '\r' && start < len(text) && text[start] == '\n' {
			start++
		}
		line++
	}
	units := 0
	for _, r := range text[start:lineEnd(text, start)] {
		n := utf16.RuneLen(r)
		if units+n > at.Character {
			break
		}
		units += n
	}
	return oracleproto.Position{Line: line, Character: units}
}

// endOf is the position after the last character.
func endOf(text string) oracleproto.Position {
	return clamp(text, oracleproto.Position{Line: int(^uint(0) >> 1)})
}

// lineEnd returns the offset of the line end at or after start, or the length.
func lineEnd(text string, start int) int {
	for i := start; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' {
			return i
		}
	}
	return len(text)
}

func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
