package tomltree

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// SyntaxError says where a text is not TOML 1.1.
type SyntaxError struct {
	Line   int // from 1
	Detail string
}

// Error is the line and what is wrong there.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Detail) }

// maxDepth bounds keys and values within values: nobody nests that deep, and
// reading must not exhaust the stack.
const maxDepth = 64

// Parse reads a document. The error is a *SyntaxError. A byte order mark at
// the beginning is skipped.
func Parse(text string) (*Node, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	if !utf8.ValidString(text) {
		return nil, &SyntaxError{invalidLine(text), "the text is not UTF-8"}
	}
	p := &parser{text: text, line: 1}
	p.root = p.node(Table, 1, header)
	p.section = p.root
	for p.skipBlank(); p.pos < len(p.text); p.skipBlank() {
		if p.text[p.pos] == '[' {
			p.readHeader()
		} else {
			p.readPair(p.section, p.sectionID)
		}
		p.endLine()
		if p.err != nil {
			break
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.root, nil
}

func invalidLine(text string) int {
	line := 1
	for i, r := range text {
		if r == '\n' {
			line++
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				break
			}
		}
	}
	return line
}

// parser holds the first error; after it nothing is read any more.
type parser struct {
	text  string
	pos   int
	line  int
	depth int
	err   error

	root      *Node
	section   *Node // the table that pairs go to
	sectionID int   // tells the tables of dotted keys apart
	sections  int   // counts all that got an id

	slab []Node // nodes not in use yet
}

// node makes a node. Nodes live and die together, so they are allocated
// together.
func (p *parser) node(kind Kind, line int, origin origin) *Node {
	if len(p.slab) == 0 {
		// As many as there may be lines left, within reason.
		p.slab = make([]Node, min(max((len(p.text)-p.pos)/24, 8), 256))
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.Kind, n.Line, n.origin = kind, line, origin
	return n
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{p.line, fmt.Sprintf(format, args...)}
		p.pos = len(p.text)
	}
}

// peek is the next byte, 0 at the end. A NUL in the text is valid nowhere, so
// the two need no telling apart.
func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) accept(s string) bool {
	if strings.HasPrefix(p.text[p.pos:], s) {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *parser) skipSpace() {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t') {
		p.pos++
	}
}

// newline takes one line ending.
func (p *parser) newline() bool {
	if p.accept("\n") || p.accept("\r\n") {
		p.line++
		return true
	}
	return false
}

// skipBlank takes spaces, comments and line endings.
func (p *parser) skipBlank() {
	for {
		p.skipSpace()
		p.skipComment()
		if !p.newline() {
			return
		}
	}
}

func (p *parser) skipComment() {
	if p.peek() != '#' {
		return
	}
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c == '\n' || c == '\r' && strings.HasPrefix(p.text[p.pos:], "\r\n") {
			return
		}
		if isControl(c) {
			p.fail("a comment holds the control character %#02x", c)
			return
		}
		p.pos++
	}
}

// isControl reports the bytes that neither comments nor strings may hold.
func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

func (p *parser) endLine() {
	p.skipSpace()
	p.skipComment()
	if p.pos < len(p.text) && !p.newline() {
		p.fail("%s follows what should be the end of the line", p.here())
	}
}

// here quotes the next character.
func (p *parser) here() string {
	if p.pos >= len(p.text) {
		return "the end of the file"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	if r == '\n' || r == '\r' {
		return "the end of the line"
	}
	return fmt.Sprintf("%q", r)
}

// readHeader takes [key] or [[key]] and makes its table the section.
func (p *parser) readHeader() {
	line := p.line
	array := p.accept("[[")
	if !array {
		p.accept("[")
	}
	p.skipSpace()
	way, last := p.readKey()
	p.skipSpace()
	if array && !p.accept("]]") || !array && !p.accept("]") {
		p.fail("%s in the header of a table", p.here())
	}
	if p.err != nil {
		return
	}
	p.sections++
	p.sectionID = p.sections
	parent := p.root
	for _, part := range way {
		if parent = p.enter(parent, part, line); parent == nil {
			return
		}
	}
	if array {
		p.section = p.appendTable(parent, last, line)
	} else {
		p.section = p.openTable(parent, last, line)
	}
}

// enter goes from a table to the one that a header names on its way.
func (p *parser) enter(table *Node, key string, line int) *Node {
	next := table.Get(key)
	switch {
	case next == nil:
		next = p.node(Table, line, implicit)
		table.add(key, next)
	case next.Kind == Array && next.origin == tables:
		next = next.Items[len(next.Items)-1]
	case next.Kind != Table || next.origin == closed:
		p.fail("%s is already %s and cannot be extended", quoteKey(key), next.Kind)
		return nil
	}
	return next
}

func (p *parser) openTable(parent *Node, key string, line int) *Node {
	table := parent.Get(key)
	switch {
	case table == nil:
		table = p.node(Table, line, header)
		parent.add(key, table)
	case table.Kind == Table && table.origin == implicit:
		table.origin, table.Line = header, line
	default:
		p.fail("%s is defined a second time; it is already on line %d", quoteKey(key), table.Line)
	}
	return table
}

func (p *parser) appendTable(parent *Node, key string, line int) *Node {
	array := parent.Get(key)
	if array == nil {
		array = p.node(Array, line, tables)
		parent.add(key, array)
	}
	table := p.node(Table, line, header)
	if array.Kind != Array || array.origin != tables {
		p.fail("%s is no array of tables; it is already on line %d", quoteKey(key), array.Line)
		return table
	}
	array.Items = append(array.Items, table)
	return table
}

// readPair takes key = value into a table.
func (p *parser) readPair(table *Node, section int) {
	line := p.line
	way, last := p.readKey()
	p.skipSpace()
	if p.err == nil && !p.accept("=") {
		p.fail("%s where \"=\" should follow a key", p.here())
	}
	p.skipSpace()
	value := p.readValue()
	if p.err != nil {
		return
	}
	value.Line = line
	for _, part := range way {
		next := table.Get(part)
		if next == nil {
			next = p.node(Table, line, dotted)
			next.of = section
			table.add(part, next)
		}
		if next.Kind != Table || next.origin != dotted || next.of != section {
			p.failAt(line, "%s is already defined on line %d and cannot be extended", quoteKey(part), next.Line)
			return
		}
		table = next
	}
	if before := table.Get(last); before != nil {
		p.failAt(line, "%s is already defined on line %d", quoteKey(last), before.Line)
		return
	}
	table.add(last, value)
}

func (p *parser) failAt(line int, format string, args ...any) {
	if p.err == nil {
		p.line = line
		p.fail(format, args...)
	}
}

// readKey takes a bare, quoted or dotted key: its last part, and those on the
// way to it.
func (p *parser) readKey() (way []string, last string) {
	for {
		last = p.readKeyPart()
		p.skipSpace()
		if p.err != nil || !p.accept(".") {
			return way, last
		}
		if way = append(way, last); len(way) >= maxDepth {
			p.fail("a key has more than %d parts", maxDepth)
		}
		p.skipSpace()
	}
}

func (p *parser) readKeyPart() string {
	switch p.peek() {
	case '"':
		return p.readBasic()
	case '\'':
		return p.readLiteral()
	}
	start := p.pos
	for p.pos < len(p.text) && isBare(p.text[p.pos]) {
		p.pos++
	}
	if p.pos == start {
		p.fail("%s where a key should be", p.here())
	}
	return p.text[start:p.pos]
}

func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// quoteKey writes a key as it stands in a document.
func quoteKey(key string) string {
	for i := range len(key) {
		if !isBare(key[i]) {
			return fmt.Sprintf("%q", key)
		}
	}
	if key == "" {
		return `""`
	}
	return key
}
