package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// surrogateEscape finds \ud800 to \udfff.
var surrogateEscape = regexp.MustCompile(`(?i)\\ud[89a-f]`)

// cleanRaw makes a raw value safe to pass on. Its bytes come from the oracle
// as they are: strings that are no UTF-8 would spoil our frame, and half a
// surrogate pair makes strict readers refuse the whole of it.
func cleanRaw(raw json.RawMessage) json.RawMessage {
	if utf8.Valid(raw) && !surrogateEscape.Match(raw) {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return json.RawMessage("null")
	}
	return Encode(v)
}

// pairs writes a flat object as "key=value" in its own order and anything
// else as it stands.
func pairs(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return string(raw)
	}
	var words []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return string(raw)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return string(raw)
		}
		text := string(value)
		var s string
		if json.Unmarshal(value, &s) == nil && !strings.ContainsAny(s, " \n\t\"") && s != "" && text != "null" {
			text = s
		}
		words = append(words, fmt.Sprintf("%v=%s", key, text))
	}
	return strings.Join(words, " ")
}
