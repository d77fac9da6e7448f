package oracleproto

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Position is a place in a text: Line is 1-based, Character is 0-based and
// counts UTF-16 code units in every language. On the wire it is the object
// {"line":L,"character":C} or the string "L:C". A position outside the text is
// clamped by the relay.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// ParsePosition reads the "L:C" form.
func ParsePosition(s string) (Position, error) {
	l, c, ok := strings.Cut(s, ":")
	line, errL := strconv.Atoi(l)
	char, errC := strconv.Atoi(c)
	if !ok || errL != nil || errC != nil || line < 1 || char < 0 {
		return Position{}, fmt.Errorf(`position %q is not "LINE:CHARACTER" with line from 1 and character from 0`, s)
	}
	return Position{Line: line, Character: char}, nil
}

// UnmarshalJSON accepts both forms and refuses everything else, unknown and
// missing members included.
func (p *Position) UnmarshalJSON(b []byte) error {
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		q, err := ParsePosition(s)
		if err != nil {
			return err
		}
		*p = q
		return nil
	}
	var q struct {
		Line      *int `json:"line"`
		Character *int `json:"character"`
	}
	if err := json.Unmarshal(b, &q); err != nil || q.Line == nil || q.Character == nil || *q.Line < 1 || *q.Character < 0 {
		return fmt.Errorf(`position %.60s is not {"line": L, "character": C} with whole numbers, line from 1 and character from 0`, b)
	}
	*p = Position{Line: *q.Line, Character: *q.Character}
	return nil
}
