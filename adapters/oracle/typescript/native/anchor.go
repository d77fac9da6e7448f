package native

import (
	"path/filepath"
	"slices"
	"strings"
)

// anchor is a place in a text where a statement can be inserted, with what must
// stand around it there.
type anchor struct {
	offset        int
	before, after string
	// named says that before makes a parameter, and then names it where the
	// statement is; so it is one only if the text was taken as it was meant.
	named bool
	// inside says that the statement then stands in a type or among parameters,
	// and so in the signatures of what is declared there.
	inside bool
	// part says that it stands in the middle of a statement.
	part bool
}

// probeMember names the member or parameter that makes room for a statement.
const probeMember = "__tcg_member"

// The places where something other than a statement is expected, and what makes
// room for statements there without a change to the types around it.
func inOperand(offset int) anchor {
	return anchor{offset: offset, before: "((" + probeMember + " = 0) => {" + probeMember + ";", after: "}) && ", named: true}
}

// A parameter of a function type may be given a value, though not legally. The
// conditional type is what follows it.
func inType(offset int) anchor {
	return anchor{offset: offset, before: "(new (" + probeMember + " = () => {" + probeMember + ";", after: "}) => 0) extends 0 ? 0 : ", named: true, inside: true}
}

// An element is a parameter, an enum's member, or one of an interface or type,
// all of which can be given a value.
func inElement(offset int) anchor {
	return anchor{offset: offset, before: probeMember + " = () => {", after: "}, ", inside: true}
}

// anchors lists the places for a statement that sees what is visible at the
// offset, best first. They are guesses of a scanner that reads the text without
// parsing it and hardly knowing what comes behind the offset, so the compiler
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
	statement := false // one was found, from which more is visible than from farther out
	for i := len(s.stack) - 1; i >= 0; i-- {
		f := s.stack[i]
		if !statement && f.introduces() && !s.importing() {
			for _, a := range s.operands(f) {
				a.part = true
				add(a)
			}
		}
		switch f.kind {
		case statements, cases:
			add(anchor{offset: f.last, before: ";", after: " "})
			add(anchor{offset: f.open, before: ";", after: " "})
			statement = statement || f.open >= 0
		case classBody:
			modifier := ""
			if f.first == "static" && !f.fresh {
				modifier = "static "
			}
			add(anchor{offset: f.last, before: ";" + modifier + probeMember + " = () => {", after: "}; "})
			statement = true
		case arrowBody:
			add(inOperand(f.open))
			a := inType(f.open)
			a.part = true
			add(a)
			statement = true
		}
	}
	return out
}

// operands are the places inside the statement, member or element that a frame
// is reading.
func (s *scanner) operands(f *frame) []anchor {
	var out []anchor
	switch {
	case f.operand.offset < 0 || f.operand.offset == f.element && (f.params || f.kind == braces):
	case f.operand.isType:
		out = append(out, inType(f.operand.offset), inOperand(f.operand.offset))
	default:
		out = append(out, inOperand(f.operand.offset), inType(f.operand.offset))
	}
	if f.element >= 0 {
		out = append(out, inElement(f.element))
	}
	return out
}

// importing reports an import, whose names are another module's.
func (s *scanner) importing() bool {
	return slices.ContainsFunc(s.stack, func(f *frame) bool { return f.first == "import" })
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
	open int // where its content begins; -1 when no statement can be inserted there
	last int // its latest place between two statements, as open

	// Of the statement, member or element being read.
	first    string // its first word
	head     string // the keyword that decides what its next { is
	assigned bool   // = was seen
	called   bool   // a pair of parentheses was seen
	fresh    bool   // nothing of it was read yet
	label    bool   // of cases: between case and its colon
	valued   bool   // of braces: behind a member's colon
	binds    bool   // it may have introduced names that are visible in it alone
	choices  int    // ? that wait for their :
	element  int    // of brackets and braces: where it begins; else -1
	operand  operand
	generics []operand // those that the open < interrupted

	paren  string // of brackets: the word before the parenthesis
	params bool   // of brackets: they hold a function's parameters
	inner  bool   // it stands in a statement that introduced names
}

// operand is where an expression or a type being read begins, or neither.
type operand struct {
	offset int // -1 for neither
	isType bool
}

// begin starts the next statement, member or element of the frame at an offset.
func (f *frame) begin(offset int) {
	f.first, f.head, f.assigned, f.called, f.fresh = "", "", false, false, true
	f.valued, f.binds, f.choices, f.generics = false, false, 0, nil
	f.operand = operand{offset: -1}
	if f.kind == braces || f.kind == brackets {
		f.element = offset
	} else {
		f.last = offset
	}
}

// introduces reports that names may be visible at the frame's place that are
// not at the beginning of its statement.
func (f *frame) introduces() bool { return f.binds || f.inner }
