package typescript

import (
	"slices"
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
func (s *scanner) pop() *frame {
	f := s.top()
	if len(s.stack) > 1 {
		s.stack = s.stack[:len(s.stack)-1]
	}
	return f
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

// arrow enters the body behind => when it is an expression.
func (s *scanner) arrow() {
	if f := s.top(); f.first == "type" || f.first == "interface" || f.kind == classBody && !f.assigned {
		return // a function type
	}
	i := s.at
	for i < s.end && strings.IndexByte(" \t\r\n", s.text[i]) >= 0 {
		i++
	}
	if i < len(s.text) && s.text[i] == '{' {
		return
	}
	s.push(&frame{kind: arrowBody, open: i, last: i})
}

// close leaves the frame that a closing bracket belongs to.
func (s *scanner) close(t token) {
	s.leaveArrows()
	f := s.top()
	s.at++
	wants := map[string][]frameKind{
		"}": {statements, cases, classBody, braces, template},
		")": {brackets},
		"]": {brackets},
	}[t.text]
	if !slices.Contains(wants, f.kind) || len(s.stack) == 1 {
		s.prev = t // does not match: half-typed text
		return
	}
	s.pop()
	if f.kind == template {
		s.prev = token{kind: literal, at: t.at}
		s.skipTemplate()
		return
	}
	s.prev, s.newline = t, false
	outer := s.top()
	switch {
	case t.text == ")":
		outer.called = true
		s.closed = f.paren
	case t.text == "}" && f.kind != braces && s.endsStatement(outer):
		outer.begin(s.at)
	}
}

// endsStatement reports that a block's } ends the statement it belongs to. It
// does not in an expression, as in const f = () => {}.
func (s *scanner) endsStatement(f *frame) bool {
	switch f.kind {
	case classBody:
		return !f.assigned
	case statements, cases:
		return !f.assigned && (f.fresh || slices.Contains(blockStatements, f.first))
	}
	return false
}

// blockStatements are the words that begin statements ending in a block.
var blockStatements = []string{"{", "function", "async", "class", "abstract", "if", "else", "for", "while", "try", "catch", "finally", "switch", "namespace", "module", "declare", "enum", "interface", "export"}

// continues are words that can begin a line inside a statement.
var continues = []string{"else", "catch", "finally", "instanceof", "in", "of", "as", "satisfies", "extends", "implements", "from", "is"}

// unfinished are words behind which a statement cannot end.
var unfinished = []string{"return", "throw", "else", "do", "try", "finally", "case", "new", "typeof", "void", "delete", "await", "in", "of", "instanceof", "as", "satisfies", "extends", "implements", "export", "default", "import", "const", "let", "var", "class", "function", "async", "type", "interface", "enum", "namespace", "module", "declare", "abstract", "yield", "static", "public", "private", "protected", "readonly", "override", "get", "set"}

// token notes a token and whether a new statement begins with it.
func (s *scanner) token(t token) {
	if s.newline && s.endsExpression() && t.kind != punctuation && !slices.Contains(continues, t.text) {
		depth := len(s.stack) - 1
		for s.stack[depth].kind == arrowBody {
			depth--
		}
		if f := s.stack[depth]; holdsStatements(f) && !f.fresh && !f.label {
			s.stack = s.stack[:depth+1]
			f.begin(t.at)
		}
	}
	f := s.top()
	if f.fresh && !(f.first == "export" && t.text == "default") {
		f.fresh = t.text == "export" || t.text == "declare" || t.text == "async" || t.text == "abstract"
		f.first = t.text
	}
	if t.kind == word && slices.Contains(continues[:3], t.text) && f.first == t.text {
		f.head = ""
	}
	s.prev, s.newline = t, false
}

func holdsStatements(f *frame) bool {
	return f.last >= 0 && (f.kind == statements || f.kind == cases || f.kind == classBody)
}

// endsExpression reports that a statement can end at the previous token when a
// line ends there.
func (s *scanner) endsExpression() bool {
	switch s.prev.kind {
	case literal:
		return true
	case word:
		return s.prev.text[0] != '@' && !slices.Contains(unfinished, s.prev.text)
	case punctuation:
		switch s.prev.text {
		case ")":
			return !slices.Contains([]string{"if", "for", "while", "with"}, s.closed)
		case "]", "}", "++", "--", ">":
			return true
		}
	}
	return false
}

// startsExpression reports that an operand is expected, so that / begins a
// regular expression and < may begin JSX.
func (s *scanner) startsExpression() bool {
	switch s.prev.kind {
	case literal:
		return false
	case word:
		return slices.Contains(unfinished, s.prev.text)
	case punctuation:
		switch s.prev.text {
		case ")", "]", "++", "--":
			return s.prev.text == ")" && slices.Contains([]string{"if", "for", "while", "with"}, s.closed)
		case "}":
			return s.top().fresh
		}
	}
	return true
}

// beforeType are the tokens behind which a { in a declaration's head opens a
// type rather than the body.
var beforeType = []string{":", "|", "&", "<", ",", "=", "extends", "implements", "is"}

// braceKind says what the { at hand opens.
func (s *scanner) braceKind() frameKind {
	f, p := s.top(), s.prev
	switch {
	case p.text == "=>":
		if f.first == "type" || f.first == "interface" {
			return braces
		}
		return statements
	case f.kind == classBody:
		if p.text == "static" || f.called && !f.assigned && !slices.Contains(beforeType, p.text) {
			f.head = ""
			return statements
		}
	case f.head == "class":
		if slices.Contains(beforeType, p.text) {
			return braces // in its type parameters or heritage
		}
		f.head = ""
		return classBody
	case f.head == "interface" || f.head == "enum":
		f.head = ""
		return braces
	case f.head == "namespace" || f.head == "module":
		f.head = ""
		return statements
	case f.head == "switch" && p.text == ")":
		f.head = ""
		return cases
	case f.head == "function" && f.called:
		if slices.Contains(beforeType, p.text) {
			return braces // a return type
		}
		f.head = ""
		return statements
	}
	switch {
	case p.kind == punctuation && p.text == ")":
		return statements
	case p.kind == word && slices.Contains([]string{"else", "do", "try", "finally", "catch", "global"}, p.text):
		return statements
	case f.kind == braces && f.called && !f.assigned && (p.kind == word || p.text == ">" || p.text == "]"):
		return statements // a method with a return type
	case holdsStatements(f) && f.kind != classBody && f.fresh:
		return statements
	}
	return braces
}
