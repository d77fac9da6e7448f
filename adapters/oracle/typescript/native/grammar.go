package native

import (
	"slices"
	"strings"
)

// What the scanner knows of the grammar: where statements begin and end, where
// an operand is expected, and what a bracket opens.

// opensParameters reports that a bracket begins the parameters of a function.
func (s *scanner) opensParameters(bracket string) bool {
	f := s.top()
	switch {
	case f.kind == classBody && !f.assigned, f.kind == braces && !f.valued:
		if bracket == "[" && !f.fresh {
			return false
		}
		if decorates(s.prev, f) {
			return false
		}
		f.binds = true
		return bracket == "("
	case bracket == "(" && f.head == "function" && !f.called:
		return true
	case bracket == "(" && s.beforeArrow():
		f.binds = true
		return true
	}
	return false
}

// decorates reports that a parenthesis behind a token holds a decorator's
// arguments.
func decorates(prev token, f *frame) bool {
	return strings.HasPrefix(f.first, "@") && (prev.kind == literal || strings.HasPrefix(prev.text, "@"))
}

// beforeArrow reports that the parenthesis at hand, in which the position is,
// is closed before an arrow.
func (s *scanner) beforeArrow() bool {
	if s.ahead || s.end-s.at > maxAhead {
		return false
	}
	ahead := &scanner{text: s.text, end: min(len(s.text), s.at+maxAhead), jsx: s.jsx, at: s.at + 1, ahead: true}
	ahead.push(newFrame(statements, s.at))
	ahead.push(newFrame(brackets, -1))
	for ahead.at < ahead.end && len(ahead.stack) > 1 {
		ahead.step()
	}
	if len(ahead.stack) > 1 || ahead.at <= s.end {
		return false // not closed, or before the position
	}
	rest := strings.TrimLeft(s.text[ahead.at:], " \t\r\n")
	return strings.HasPrefix(rest, "=>") || strings.HasPrefix(rest, ":") && s.top().choices == 0
}

// maxAhead bounds in bytes how far the end of a parenthesis is looked for.
const maxAhead = 2000

// leaveTypeArrows ends the arrows that an = ends: those of a variable's or
// parameter's type.
func (s *scanner) leaveTypeArrows() {
	i := len(s.stack) - 1
	for i > 0 && s.stack[i].kind == arrowBody {
		i--
	}
	if f := s.stack[i]; !f.assigned && (f.kind != brackets || f.params) {
		s.stack = s.stack[:i+1]
	}
}

// arrow enters the body behind => when it is an expression.
func (s *scanner) arrow() {
	if f := s.top(); f.first == "type" || f.first == "interface" || f.kind == classBody && !f.assigned {
		s.expect() // a function type
		return
	}
	i := s.at
	for i < s.end && strings.IndexByte(" \t\r\n", s.text[i]) >= 0 {
		i++
	}
	if i < len(s.text) && s.text[i] == '{' {
		return
	}
	f := newFrame(arrowBody, i)
	f.assigned = true
	s.push(f)
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
		if slices.Contains([]string{"if", "for", "while", "with"}, s.closed) {
			s.expect()
		}
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
	if f.fresh && (f.first != "export" || t.text != "default") {
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
