package core

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
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
// without regard to case, and it scans a large params three times.
func parseFrame(line []byte) (f frame) {
	var method []byte
	walk := membersOf(line)
	for walk.next() {
		switch string(walk.key) {
		case "id":
			f.id = notNull(walk.val)
		case "method":
			method = walk.val
		case "params":
			f.params = notNull(walk.val)
		}
	}
	if walk.end == malformed || skipSpace(line, walk.end) != len(line) {
		return frame{fault: "the line is not one JSON object"}
	}
	if !utf8.Valid(f.id) { // it goes back as it came, and a frame of ours is UTF-8
		return frame{fault: "the id is not valid UTF-8"}
	}
	var ok bool
	if f.method, ok = unquote(method); !ok {
		f.fault = `the frame has no string member "method"`
		if len(f.id) > 0 && !isStringOrNumber(f.id) {
			f.id = nil
		}
	}
	return f
}

// members walks the members of one JSON object, top level only, and checks the
// text on its way.
type members struct {
	text []byte
	at   int // where the next member starts

	// key is the current member's key, decoded if it holds an escape; val is its
	// value, a sub-slice of text. Duplicate keys come in their order, so a caller
	// that assigns lets the last one win.
	key, val []byte
	// end is set when next returns false: the index after the object, or
	// malformed when the text is no object.
	end int
}

// membersOf starts a walk over the object that text starts with.
func membersOf(text []byte) members {
	i := skipSpace(text, 0)
	if at(text, i) != '{' {
		return members{end: malformed}
	}
	i = skipSpace(text, i+1)
	if at(text, i) == '}' {
		return members{end: i + 1}
	}
	return members{text: text, at: i}
}

// next goes to the next member and returns true, or false at the end.
func (m *members) next() bool {
	if m.end != 0 {
		return false
	}
	keyEnd, val, end := scanMember(m.text, m.at, 1)
	if end == malformed {
		m.end = malformed
		return false
	}
	m.key, m.val = m.text[m.at+1:keyEnd-1], m.text[val:end]
	if bytes.IndexByte(m.key, '\\') >= 0 {
		m.key, _ = unquote(m.text[m.at:keyEnd])
	}
	i := skipSpace(m.text, end)
	switch at(m.text, i) {
	case ',':
		m.at = skipSpace(m.text, i+1)
	case '}':
		m.end = i + 1
	default:
		m.end = malformed
	}
	return true
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
	err := json.Unmarshal(raw, &s)
	return []byte(s), err == nil
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

func trimSpace(b []byte) []byte {
	b = b[skipSpace(b, 0):]
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
