package lsp

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Encoding is the unit in which Position.Character counts (LSP 3.17,
// PositionEncodingKind).
type Encoding string

// Position encodings.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// Text is a document prepared for converting between byte offsets and
// positions. Lines end in LF, CRLF or CR, as LSP has it. Invalid UTF-8 counts
// one unit per byte.
type Text struct {
	text  string
	lines []int // byte offset of each line's start
}

// NewText indexes the lines of a text.
func NewText(text string) *Text {
	lines := make([]int, 1, 1+strings.Count(text, "\n"))
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			lines = append(lines, i+1)
		case '\r':
			if i+1 >= len(text) || text[i+1] != '\n' {
				lines = append(lines, i+1)
			}
		}
	}
	return &Text{text: text, lines: lines}
}

// String is the indexed text.
func (t *Text) String() string { return t.text }

// Line is the text of a line without its end; the empty string outside.
func (t *Text) Line(line int) string {
	if line < 0 || line >= len(t.lines) {
		return ""
	}
	end := len(t.text)
	if line+1 < len(t.lines) {
		end = t.lines[line+1]
	}
	return strings.TrimRight(t.text[t.lines[line]:end], "\r\n")
}

// Offset is the byte offset of a position. A position outside the text is
// clamped: past the end of a line to the line's end, past the last line to the
// end of the text; inside a character it is moved to the character's start.
func (t *Text) Offset(p Position, enc Encoding) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(t.lines):
		return len(t.text)
	}
	line := t.Line(p.Line)
	units := 0
	for i, r := range line {
		next := units + width(line[i:], r, enc)
		if next > p.Character {
			return t.lines[p.Line] + i
		}
		units = next
	}
	return t.lines[p.Line] + len(line)
}

// Position is the position of a byte offset, which is clamped to the text. An
// offset inside a line end is the end of that line.
func (t *Text) Position(offset int, enc Encoding) Position {
	offset = min(max(offset, 0), len(t.text))
	line, exact := slices.BinarySearch(t.lines, offset)
	if !exact {
		line--
	}
	text := t.Line(line)
	column := offset - t.lines[line]
	units := 0
	for i, r := range text {
		size := width(text[i:], r, UTF8)
		if i+size > column {
			break
		}
		units += width(text[i:], r, enc)
	}
	return Position{Line: line, Character: units}
}

// Convert re-expresses a position, clamping it to the text.
func (t *Text) Convert(p Position, from, to Encoding) Position {
	if p.Line >= 0 && p.Line < len(t.lines) && isASCII(t.Line(p.Line)) {
		return Position{Line: p.Line, Character: min(max(p.Character, 0), len(t.Line(p.Line)))}
	}
	return t.Position(t.Offset(p, from), to)
}

// width is how many units the first character of s, which is r, takes.
func width(s string, r rune, enc Encoding) int {
	size := utf8.RuneLen(r)
	if r == utf8.RuneError {
		_, size = utf8.DecodeRuneInString(s)
	}
	switch {
	case enc == UTF8:
		return size
	case enc == UTF16 && r > 0xFFFF:
		return 2
	}
	return 1
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
