package core

import (
	"bytes"
	"context"
	"log/slog"
	"unicode/utf8"
)

// handle answers one line. A tools/call that can run is returned instead: it is
// the caller's to accept.
func (s *session) handle(line []byte) *call {
	line = trimSpace(line)
	if len(line) == 0 || line[0] != '{' && len(bytes.TrimSpace(line)) == 0 {
		return nil // blank: an answer with a null id ends the session of some clients
	}
	f := parseFrame(line)
	if f.fault != "" {
		s.debug("malformed line", slog.String("fault", f.fault), slog.Int("bytes", len(line)))
		s.replyError(f.id, codeParseError, "parse error: "+f.fault)
		return nil
	}
	if f.id == nil {
		if string(f.method) == "notifications/cancelled" {
			s.cancelNamed(f.params)
		}
		return nil // any other notification is absorbed, and no tool runs for it
	}
	var result string
	switch string(f.method) {
	case "tools/call":
		return s.parseCall(f)
	case "ping":
		result = "{}"
	case "initialize":
		result = s.server.initialize
	case "tools/list":
		result = s.server.toolList
	default:
		s.replyError(f.id, codeMethodNotFound, "method not found: "+quoteForText(string(f.method)))
		return nil
	}
	if f.params != nil && !isObject(f.params) {
		s.replyError(f.id, codeInvalidParams, "invalid params: params is not an object")
		return nil
	}
	s.reply(f.id, result)
	return nil
}

// cancelNamed handles notifications/cancelled. Late, repeated and malformed
// ones change nothing: there are hosts that send one after every answer.
func (s *session) cancelNamed(params []byte) {
	if id := member(params, "requestId"); id != nil {
		s.cancel(id)
	}
}

// parseCall makes a call of a tools/call frame, or answers why it cannot.
func (s *session) parseCall(f frame) *call {
	if !isObject(f.params) {
		s.replyError(f.id, codeInvalidParams, "invalid params: tools/call wants an object with the member name")
		return nil
	}
	var name, args, meta []byte
	walk := membersOf(f.params)
	for walk.next() {
		switch string(walk.key) {
		case "name":
			name = walk.val
		case "arguments":
			args = notNull(walk.val)
		case "_meta":
			meta = walk.val
		}
	}
	name, ok := unquote(name)
	if !ok {
		s.replyError(f.id, codeInvalidParams, "invalid params: the member name is missing or not a string")
		return nil
	}
	tool, ok := s.server.tools[string(name)]
	if !ok {
		s.replyError(f.id, codeMethodNotFound, "unknown tool: "+quoteForText(string(name)))
		return nil
	}
	if args == nil {
		args = []byte("{}")
	}
	token := member(meta, "progressToken")
	if token != nil && (!isStringOrNumber(token) || !utf8.Valid(token)) { // it goes back as it came
		token = nil
	}
	return s.newCall(tool, f.id, token, args)
}

func (s *session) newCall(tool registered, id, token, args []byte) *call {
	c := &call{session: s, tool: tool.tool, progress: -1}
	keep := make([]byte, 0, len(args)+len(id)+len(token))
	keep = append(keep, args...)
	c.args = keep[:len(keep):len(keep)] // the tool may keep it, and append to it
	keep = append(keep, id...)
	c.id = keep[len(args):]
	if token != nil {
		keep = append(keep, token...)
		c.id, c.token = keep[len(args):len(args)+len(id)], keep[len(args)+len(id):]
	}
	return c
}

// member returns the raw value of one member of object; nil when it is absent
// or null, or object is none. The last of duplicates wins.
func member(object []byte, name string) (val []byte) {
	walk := membersOf(object)
	for walk.next() {
		if string(walk.key) == name {
			val = notNull(walk.val)
		}
	}
	return val
}

func (s *session) debug(msg string, attrs ...slog.Attr) {
	if s.server.log != nil {
		s.server.log.LogAttrs(context.Background(), slog.LevelDebug, msg, attrs...)
	}
}
