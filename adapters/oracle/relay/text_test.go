package relay

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"vibevm.org/tcgfamily/oracleproto"
)

func TestPositionsAreMovedIntoTheLinesTheLanguageCounts(t *testing.T) {
	position := func(line, character int) oracleproto.Position {
		return oracleproto.Position{Line: line, Character: character}
	}
	plain, more := Language{}, Language{LineEnds: []rune{'\u2028', '\u2029'}}
	text := "ab\u2028cd\r\u2029ef\u2028\n😀"
	for at, want := range map[oracleproto.Position]oracleproto.Position{
		position(1, 1): position(1, 1), position(1, 9): position(1, 2),
		position(2, 1): position(2, 1), position(2, 9): position(2, 2),
		position(3, 9): position(3, 0), position(4, 9): position(4, 2),
		position(5, 9): position(5, 0), position(6, 1): position(6, 0), position(9, 9): position(6, 2),
	} {
		assert.Equal(t, want, more.clamp(text, at), "%v", at)
	}
	assert.Equal(t, position(6, 2), more.endOf(text))
	assert.Equal(t, position(3, 2), plain.endOf(text))
	assert.Equal(t, position(1, 5), plain.clamp(text, position(1, 99)))
}

func TestHalfACharacterIsFound(t *testing.T) {
	for raw, found := range map[string]bool{
		`{"content":"plain"}`:              false,
		`{"content":"\ud83d\ude00"}`:       false,
		`{"content":"\uD83D\uDE00\n"}`:     false,
		`{"content":"\\ud800"}`:            false,
		`{"content":"\\\\ud800 \u0041"}`:   false,
		`{"content":"😀 \""}`:               false,
		`{"content":"\ud800"}`:             true,
		`{"content":"\udc00"}`:             true,
		`{"content":"a\\\ud800b"}`:         true,
		`{"content":"\ud83d\ud83d\ude00"}`: true,
		`{"content":"\ud83dx\ude00"}`:      true,
		`{"content":"\ude00\ud83d"}`:       true,
		"{\"content\":\"\xed\xa0\x80\"}":   true,
		"{\"content\":\"\xff\"}":           true,
	} {
		assert.Equal(t, found, halfCharacter(json.RawMessage(raw)) != "", "%q", raw)
	}
}
