package oracleproto

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Code is a diagnostic code: a number for TypeScript (2322), a string for Rust
// ("E0308"). The zero value is the empty string code.
type Code struct {
	number  int
	text    string
	numeric bool
}

// NumberCode is a TypeScript code.
func NumberCode(n int) Code { return Code{number: n, numeric: true} }

// TextCode is a Rust code.
func TextCode(s string) Code { return Code{text: s} }

// Number returns the code as a number; false when it is a string.
func (c Code) Number() (int, bool) { return c.number, c.numeric }

// String renders the code without quotes.
func (c Code) String() string {
	if c.numeric {
		return strconv.Itoa(c.number)
	}
	return c.text
}

// MarshalJSON writes a number or a string.
func (c Code) MarshalJSON() ([]byte, error) {
	if c.numeric {
		return strconv.AppendInt(nil, int64(c.number), 10), nil
	}
	return json.Marshal(c.text)
}

// UnmarshalJSON reads a number or a string.
func (c *Code) UnmarshalJSON(b []byte) error {
	if n, err := strconv.Atoi(string(b)); err == nil {
		*c = NumberCode(n)
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("diagnostic code %s is neither a number nor a string", b)
	}
	*c = TextCode(s)
	return nil
}
