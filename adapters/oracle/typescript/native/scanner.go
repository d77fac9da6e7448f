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

	ahead bool // it looks for the end of a parenthesis

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
	s.push(newFrame(statements, s.at))
	for s.at < s.end {
		s.step()
	}
}

// step reads on, by a token or a part of an element.
func (s *scanner) step() {
	switch s.top().kind {
	case jsxTag:
		s.inTag()
	case jsxContent:
		s.inContent()
	default:
		s.next()
	}
}

func (s *scanner) top() *frame   { return s.stack[len(s.stack)-1] }
func (s *scanner) push(f *frame) { s.stack = append(s.stack, f) }

// pushInner enters a construct that is a part of a statement, and where an
// operand is expected at an offset.
func (s *scanner) pushInner(f *frame, offset int) {
	f.inner = s.top().introduces()
	f.operand = operand{offset: offset, isType: s.inType()}
	s.push(f)
}

// newFrame is a construct whose statements begin at an offset; -1 for one that
// has none.
func newFrame(kind frameKind, offset int) *frame {
	return &frame{kind: kind, open: offset, last: offset, fresh: true, element: -1, operand: operand{offset: -1}}
}

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
		s.push(newFrame(jsxTag, -1))
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
			s.pushInner(newFrame(template, -1), s.at)
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
	s.keyword(text)
}

// operators are the tokens of more than one character that matter.
var operators = []string{"=>", "?.", "??", "===", "!==", "==", "!=", "<=", ">=", "...", "++", "--"}

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
		switch kind {
		case cases: // not before the first case
			s.push(newFrame(cases, -1))
		case braces:
			f := newFrame(braces, -1)
			f.element = s.at
			s.pushInner(f, -1)
		default:
			s.push(newFrame(kind, s.at))
		}
		return
	case "(", "[":
		f := newFrame(brackets, -1)
		if text == "(" && s.prev.kind == word {
			f.paren = s.prev.text
		}
		f.params = s.opensParameters(text)
		s.token(t)
		s.at++
		f.element = s.at
		s.pushInner(f, s.at)
		return
	case "}", ")", "]":
		s.close(t)
		return
	}
	s.token(t)
	s.at += len(text)
	s.operator(text)
}
