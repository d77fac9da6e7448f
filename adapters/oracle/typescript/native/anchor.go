package native

import (
	"path/filepath"
	"strings"
)

// anchor is a place in a text where a statement can be inserted, with what must
// stand around it there.
type anchor struct {
	offset        int
	before, after string
}

// probeMember names the member that makes room for a statement in a class body.
const probeMember = "__tcg_member"

// anchors lists the places for a statement that sees what is visible at the
// offset, best first. They are guesses of a scanner that reads the text without
// parsing it and without knowing what comes behind the offset, so the compiler
// is asked to confirm one.
func anchors(path, text string, offset int) []anchor {
	s := &scanner{text: text, end: offset, jsx: mayHoldJSX(path)}
	s.run()
	var out []anchor
	add := func(a anchor) {
		if a.offset >= 0 && (len(out) == 0 || out[len(out)-1] != a) {
			out = append(out, a)
		}
	}
	for i := len(s.stack) - 1; i >= 0; i-- {
		switch f := s.stack[i]; f.kind {
		case statements, cases:
			add(anchor{offset: f.last, before: ";", after: " "})
			add(anchor{offset: f.open, before: ";", after: " "})
		case classBody:
			add(anchor{offset: f.last, before: ";" + probeMember + " = () => {", after: "}; "})
		case arrowBody:
			add(anchor{offset: f.open, before: "(() => {", after: "}) || "})
		}
	}
	return out
}

// namesScope reports that a name at the offset would be looked up in the scope:
// it is no member, no name that an import asks another module for, and not
// inside a string or comment.
func namesScope(path, text string, offset int) bool {
	for offset > 0 && isNamePart(text[offset-1]) {
		offset--
	}
	s := &scanner{text: text, end: offset, jsx: mayHoldJSX(path)}
	s.run()
	if s.at > s.end || s.prev.text == "." || s.prev.text == "?." {
		return false
	}
	for _, f := range s.stack {
		if f.first == "import" || f.first == "export" && s.top().kind == braces {
			return false
		}
	}
	return s.top().kind != jsxTag && s.top().kind != jsxContent
}

func mayHoldJSX(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ts", ".mts", ".cts":
		return false
	}
	return true
}

// frameKind is what an open bracket, or an arrow, holds.
type frameKind int

const (
	statements frameKind = iota // the file, a block, a function's or namespace's body
	cases                       // a switch's body: statements, once a case was seen
	classBody
	arrowBody  // the expression behind =>
	braces     // an object literal, a type, an interface, an import list
	brackets   // ( or [
	template   // ${ in a template literal
	jsxTag     // from < to >
	jsxContent // from > to </
)

// frame is one of the enclosing constructs at the scanner's place.
type frame struct {
	kind frameKind
	open int // where its content begins; -1 when nothing can be inserted there
	last int // its latest place between two statements, as open

	// Of the statement, member or element being read.
	first    string // its first word
	head     string // the keyword that decides what its next { is
	assigned bool   // = was seen
	called   bool   // a pair of parentheses was seen
	fresh    bool   // nothing of it was read yet
	label    bool   // of cases: between case and its colon

	paren string // of brackets: the word before the parenthesis
}

// begin starts the next statement of the frame at an offset.
func (f *frame) begin(offset int) {
	f.last = offset
	f.first, f.head, f.assigned, f.called, f.fresh = "", "", false, false, true
}
