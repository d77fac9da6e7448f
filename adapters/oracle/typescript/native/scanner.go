package native

import (
	"strings"
)

// scanner follows the brackets of a TypeScript text up to an offset. It knows
// strings, templates, comments, regular expressions and JSX, because brackets
// in these mean nothing or something else, and just enough of the grammar to
// tell blocks from object literals, types and class bodies.
type scanner struct {
	text string
	end  int // where to stop
	jsx  bool

	at      int
	stack   []*frame
	prev    token
	newline bool   // between prev and at
	closed  string // the word before the parentheses that prev closed
}

type tokenKind int

const (
	none tokenKind = iota
	word
	literal
	punctuation
)

type token struct {
	kind tokenKind
	text string // of words and punctuation
	at   int
}

func (s *scanner) run() {
	if strings.HasPrefix(s.text, "#!") {
		s.at = len(s.text)
		if i := strings.IndexByte(s.text, '\n'); i >= 0 {
			s.at = i + 1
		}
	}
	s.push(&frame{kind: statements, open: s.at, last: s.at, fresh: true})
	for s.at < s.end {
		switch s.top().kind {
		case jsxTag:
			s.inTag()
		case jsxContent:
			s.inContent()
		default:
			s.next()
		}
	}
}

func (s *scanner) top() *frame   { return s.stack[len(s.stack)-1] }
func (s *scanner) push(f *frame) { s.stack = append(s.stack, f) }

// pop leaves the innermost frame, but never the file.
func (s *scanner) pop() {
	if len(s.stack) > 1 {
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// leaveArrows ends the arrow bodies that a token outside them ends.
func (s *scanner) leaveArrows() {
	for s.top().kind == arrowBody {
		s.pop()
	}
}

func (s *scanner) rest() string { return s.text[s.at:] }

// next reads one token of ordinary code.
func (s *scanner) next() {
	c := s.text[s.at]
	switch {
	case c == '\n' || c == '\r':
		s.newline = true
		s.at++
	case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		s.at++
	case strings.HasPrefix(s.rest(), "//"):
		s.skipTo("\n", 0)
	case strings.HasPrefix(s.rest(), "/*"):
		start := s.at
		s.skipTo("*/", 2)
		s.newline = s.newline || strings.Contains(s.text[start:s.at], "\n")
	case c == '"' || c == '\'':
		s.token(token{kind: literal, at: s.at})
		s.skipString(c)
	case c == '`':
		s.token(token{kind: literal, at: s.at})
		s.at++
		s.skipTemplate()
	case isNamePart(c) || c == '#' || c == '@':
		s.readWord()
	case c == '/' && s.startsExpression():
		s.token(token{kind: literal, at: s.at})
		s.skipRegexp()
	case c == '<' && s.jsx && s.startsExpression() && s.opensJSX():
		s.token(token{kind: literal, at: s.at})
		s.at++
		s.push(&frame{kind: jsxTag, open: -1, last: -1})
	default:
		s.readPunctuation(c)
	}
}

// skipTo moves behind (extra = the mark's length) or to the next mark.
func (s *scanner) skipTo(mark string, extra int) {
	if i := strings.Index(s.text[s.at+extra:], mark); i >= 0 {
		s.at += i + 2*extra
		return
	}
	s.at = len(s.text)
}

func (s *scanner) skipString(quote byte) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case quote:
			s.at++
			return
		case '\n': // unterminated: tsc ends it here too
			return
		}
	}
}

// skipTemplate moves to the end of a template's text: behind its last backtick,
// or into the next ${ }.
func (s *scanner) skipTemplate() {
	for ; s.at < len(s.text); s.at++ {
		switch {
		case s.text[s.at] == '\\':
			s.at++
		case s.text[s.at] == '`':
			s.at++
			return
		case strings.HasPrefix(s.rest(), "${"):
			s.at += 2
			s.push(&frame{kind: template, open: -1, last: -1})
			s.prev = token{kind: punctuation, text: "${", at: s.at}
			return
		}
	}
}

func (s *scanner) skipRegexp() {
	class := false
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\':
			s.at++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\n':
			return
		case c == '/' && !class:
			for s.at++; s.at < len(s.text) && isNamePart(s.text[s.at]); s.at++ {
			}
			return
		}
	}
}

func (s *scanner) readWord() {
	start := s.at
	for s.at++; s.at < len(s.text) && isNamePart(s.text[s.at]); s.at++ {
	}
	text := s.text[start:s.at]
	if '0' <= text[0] && text[0] <= '9' {
		s.token(token{kind: literal, at: start})
		return
	}
	if s.prev.text == "." || s.prev.text == "?." { // a member's name is no keyword
		s.token(token{kind: literal, at: start})
		return
	}
	s.token(token{kind: word, text: text, at: start})
	f := s.top()
	switch text {
	case "class", "interface", "enum", "namespace", "module", "function", "switch":
		if f.kind != classBody && f.kind != braces {
			f.head = text
		}
	case "case", "default":
		if f.kind == cases {
			f.label = true
		}
	}
}

// operators are the tokens of more than one character that matter.
var operators = []string{"=>", "?.", "===", "!==", "==", "!=", "<=", ">=", "...", "++", "--"}

func (s *scanner) readPunctuation(c byte) {
	text := string(c)
	for _, op := range operators {
		if strings.HasPrefix(s.rest(), op) {
			text = op
			break
		}
	}
	t := token{kind: punctuation, text: text, at: s.at}
	switch text {
	case "{":
		kind := s.braceKind()
		s.token(t)
		s.at++
		f := &frame{kind: kind, open: s.at, last: s.at, fresh: true}
		if kind == cases {
			f.open, f.last = -1, -1 // not before the first case
		}
		s.push(f)
		return
	case "(", "[":
		before := ""
		if text == "(" && s.prev.kind == word {
			before = s.prev.text
		}
		s.token(t)
		s.at++
		s.push(&frame{kind: brackets, open: -1, last: -1, paren: before})
		return
	case "}", ")", "]":
		s.close(t)
		return
	}
	s.token(t)
	s.at += len(text)
	switch text {
	case ";":
		s.leaveArrows()
		if f := s.top(); holdsStatements(f) {
			f.begin(s.at)
		}
	case ",":
		s.leaveArrows()
		if f := s.top(); f.kind == braces {
			f.begin(-1)
		}
	case "=":
		s.leaveArrows()
		s.top().assigned = true
	case ":":
		if f := s.top(); f.kind == cases && f.label {
			f.label, f.open = false, s.at
			f.begin(s.at)
		}
	case "=>":
		s.arrow()
	}
}
