package answer

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// noLimit leaves texts whole.
const noLimit = math.MaxInt

// cutter shortens texts to a limit and counts how many it shortened.
type cutter struct {
	limit int
	cuts  int
}

// text cuts s so that its encoded form has at most limit bytes, on a rune
// boundary and saying how much is gone.
func (c *cutter) text(s string) string {
	if len(s) <= c.limit/widestByte || encodedLen(s) <= c.limit {
		return s
	}
	c.cuts++
	room := c.limit - cutMarkRoom
	end := 0
	for end < len(s) {
		_, n := utf8.DecodeRuneInString(s[end:])
		if room -= encodedLen(s[end : end+n]); room < 0 {
			break
		}
		end += n
	}
	return fmt.Sprintf("%s… (+%d characters)", strings.TrimRight(s[:end], " \n"), utf8.RuneCountInString(s[end:]))
}

// optional is text for a nullable string.
func (c *cutter) optional(s *string) *string {
	if s == nil {
		return nil
	}
	t := c.text(*s)
	return &t
}

// cutMarkRoom holds the mark for texts of up to 10^10 characters.
const cutMarkRoom = len("… (+9999999999 characters)")

// widestByte is the most bytes one byte of a string can take when encoded:
// \u0000, and \ufffd for a byte that is no UTF-8.
const widestByte = len(`\u0000`)

// encodedLen is how many bytes encoding/json needs for s between the quotes
// with its default escapes, which are the widest of the usual encoders: it
// writes <, >, & and U+2028 as six bytes where others write them bare. UTF-16
// code units, which JavaScript hosts count, are never more than these bytes.
func encodedLen(s string) int {
	n := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			i++
			n += asciiLen(b)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if (r == utf8.RuneError && size == 1) || r == '\u2028' || r == '\u2029' {
			n += widestByte
		} else {
			n += size
		}
	}
	return n
}

func asciiLen(b byte) int {
	switch b {
	case '"', '\\', '\b', '\f', '\n', '\r', '\t':
		return 2
	case '<', '>', '&':
		return widestByte
	}
	if b < 0x20 {
		return widestByte
	}
	return 1
}
