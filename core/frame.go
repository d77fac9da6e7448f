package core

import (
	"bytes"
	"encoding/json"
)

// frame is one inbound line taken apart. The slices are sub-slices of the line,
// so that an id goes back exactly as it came: 1.5, 2^53+1 and {"a":1} survive
// (docs/wire.md).
type frame struct {
	// id is the raw value of the member "id"; nil when absent or null, which
	// makes the frame a notification (MCP-CORE §1 p09).
	id []byte
	// method is the decoded member "method".
	method []byte
	// params is the raw value of the member "params"; nil when absent or null.
	params []byte
	// fault says why the line is malformed; empty when it is not.
	fault string
}

// parseFrame takes one line apart. A malformed line keeps its id when it is an
// object with a string or number id: the caller behind that id stops waiting.
//
// encoding/json into a struct is not used on purpose: it matches member names
// without regard to case, it turns ids into float64, and it scans a large
// params three times.
func parseFrame(line []byte) (f frame) {
	if !json.Valid(line) {
		f.fault = "the line is not one JSON value"
		return f
	}
	walk, ok := membersOf(line)
	if !ok {
		f.fault = "the frame is not a JSON object"
		return f
	}
	var method []byte
	for {
		key, val, ok := walk.next()
		if !ok {
			break
		}
		switch string(key) {
		case "id":
			f.id = notNull(val)
		case "method":
			method = val
		case "params":
			f.params = notNull(val)
		}
	}
	if f.method, ok = unquote(method); !ok {
		f.fault = `the frame has no string member "method"`
		if len(f.id) > 0 && !isStringOrNumber(f.id) {
			f.id = nil
		}
	}
	return f
}

// members walks the members of one JSON object, top level only. The text must
// be valid JSON: nothing is checked twice.
type members struct {
	text []byte
	at   int
}

// membersOf starts a walk; ok is false when text is not an object.
func membersOf(text []byte) (m members, ok bool) {
	at := skipSpace(text, 0)
	if at >= len(text) || text[at] != '{' {
		return members{}, false
	}
	return members{text: text, at: skipSpace(text, at+1)}, true
}

// next returns the next member: its key decoded if it holds an escape, and its
// value as a sub-slice. Duplicate keys come in their order, so a caller that
// assigns lets the last one win.
func (m *members) next() (key, val []byte, ok bool) {
	if m.at >= len(m.text) || m.text[m.at] != '"' {
		return nil, nil, false
	}
	start := m.at
	end := skipString(m.text, start)
	key = m.text[start+1 : end-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		if decoded, ok := unquote(m.text[start:end]); ok {
			key = decoded
		}
	}
	start = skipSpace(m.text, skipSpace(m.text, end)+1)
	end = skipValue(m.text, start)
	val = m.text[start:end]
	m.at = skipSpace(m.text, end)
	if m.at < len(m.text) && m.text[m.at] == ',' {
		m.at = skipSpace(m.text, m.at+1)
	}
	return key, val, true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func trimSpace(b []byte) []byte {
	b = b[skipSpace(b, 0):]
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipString returns the index after the closing quote of the string that
// starts at i.
func skipString(b []byte, i int) int {
	const short = 32 // where a vectored search starts to pay
	i++
	for end := min(i+short, len(b)); i < end; i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	for i < len(b) {
		quote := bytes.IndexByte(b[i:], '"')
		if quote < 0 {
			break
		}
		slashes := 0
		for k := i + quote - 1; k >= i && b[k] == '\\'; k-- {
			slashes++
		}
		i += quote + 1
		if slashes%2 == 0 {
			return i
		}
	}
	return len(b)
}

func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && !isSpace(b[i]) {
		i++
	}
	return i
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}

// unquote decodes a JSON string; ok is false when raw is not one. A string
// without an escape comes back as a sub-slice.
func unquote(raw []byte) (text []byte, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, false
	}
	return []byte(s), true
}

// notNull returns nil for the value null: MCP-CORE treats it as absent.
func notNull(val []byte) []byte {
	if string(val) == "null" {
		return nil
	}
	return val
}

// isStringOrNumber reports whether val is what JSON-RPC allows as an id.
func isStringOrNumber(val []byte) bool {
	c := val[0]
	return c == '"' || c == '-' || '0' <= c && c <= '9'
}

// isObject reports whether val, which is valid JSON, is an object.
func isObject(val []byte) bool {
	at := skipSpace(val, 0)
	return at < len(val) && val[at] == '{'
}
