package tomltree

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// readValue takes a value; it is never nil.
func (p *parser) readValue() *Node {
	n := p.node(0, p.line, closed)
	if p.depth++; p.depth > maxDepth {
		p.fail("values are nested more than %d deep", maxDepth)
	}
	switch p.peek() {
	case '"':
		n.Kind = String
		if p.accept(`"""`) {
			n.Text = p.readMultiline(`"`)
		} else {
			n.Text = p.readBasic()
		}
	case '\'':
		n.Kind = String
		if p.accept("'''") {
			n.Text = p.readMultiline("'")
		} else {
			n.Text = p.readLiteral()
		}
	case '[':
		n.Kind = Array
		p.readArray(n)
	case '{':
		n.Kind = Table
		p.readInline(n)
	default:
		p.readScalar(n)
	}
	p.depth--
	return n
}

func (p *parser) readArray(n *Node) {
	p.accept("[")
	for p.skipBlank(); !p.accept("]"); p.skipBlank() {
		n.Items = append(n.Items, p.readValue())
		p.skipBlank()
		if p.accept(",") {
			continue
		}
		if p.peek() != ']' {
			p.fail("%s in an array where \",\" or \"]\" should be", p.here())
		}
		if p.err != nil {
			return
		}
	}
}

// readInline takes an inline table.
func (p *parser) readInline(n *Node) {
	p.accept("{")
	// Dotted keys of this table may extend each other but nothing else: it is
	// a section of its own.
	p.sections++
	section := p.sections
	for p.skipBlank(); !p.accept("}"); p.skipBlank() {
		p.readPair(n, section)
		p.skipBlank()
		if p.accept(",") {
			continue
		}
		if p.peek() != '}' {
			p.fail("%s in an inline table where \",\" or \"}\" should be", p.here())
		}
		if p.err != nil {
			return
		}
	}
	closeTables(n)
}

// closeTables ends what dotted keys of an inline table may add to.
func closeTables(n *Node) {
	for _, m := range n.Members {
		if m.Value.Kind == Table && m.Value.origin == dotted {
			m.Value.origin = closed
			closeTables(m.Value)
		}
	}
}

// readScalar takes a boolean, a number, a date or a time.
func (p *parser) readScalar(n *Node) {
	start := p.pos
	for p.pos < len(p.text) && isScalar(p.text[p.pos]) {
		p.pos++
	}
	word := p.text[start:p.pos]
	// A date and a time may be parted by one space.
	if isDate(word) && p.peek() == ' ' && p.pos+1 < len(p.text) && isDigit(p.text[p.pos+1]) {
		p.pos++
		for p.pos < len(p.text) && isScalar(p.text[p.pos]) {
			p.pos++
		}
		word = p.text[start:p.pos]
	}
	switch {
	case word == "":
		p.fail("%s where a value should be", p.here())
	case word == "true", word == "false":
		n.Kind, n.Bool = Bool, word == "true"
	case isDateTime(word):
		n.Kind, n.Text = DateTime, word
	case isFloat(word):
		n.Kind, n.Text = Float, word
		if _, err := strconv.ParseFloat(strings.ReplaceAll(word, "_", ""), 64); err != nil && !strings.HasSuffix(word, "nan") {
			p.fail("%s does not fit into 64 bits", quoteWord(word))
		}
	default:
		value, problem := integer(word)
		if problem != "" {
			p.fail("%s %s", quoteWord(word), problem)
		}
		n.Kind, n.Int = Integer, value
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isScalar(c byte) bool { return isBare(c) || c == '+' || c == '.' || c == ':' }

func quoteWord(word string) string { return strconv.Quote(word[:min(len(word), 40)]) }

func isDate(word string) bool {
	if len(word) != len(time.DateOnly) {
		return false
	}
	_, err := time.Parse(time.DateOnly, word)
	return err == nil
}

// isDateTime takes a date, a time, or both with or without an offset.
func isDateTime(word string) bool {
	clock := word
	if len(word) >= 10 && word[4] == '-' {
		if !isDate(word[:10]) {
			return false
		}
		if len(word) == 10 {
			return true
		}
		if strings.IndexByte("Tt ", word[10]) < 0 {
			return false
		}
		clock = word[11:]
		if end := len(clock) - 1; end >= 0 && (clock[end] == 'Z' || clock[end] == 'z') {
			clock = clock[:end]
		} else if at := len(clock) - len("+hh:mm"); at >= 0 && (clock[at] == '+' || clock[at] == '-') {
			if !isClock(clock[at+1:]) {
				return false
			}
			clock = clock[:at]
		}
	}
	clock, fraction, hasFraction := strings.Cut(clock, ".")
	if hasFraction && (len(clock) != len("hh:mm:ss") || strings.Trim(fraction, decimal) != "" || fraction == "") {
		return false
	}
	return isClock(clock)
}

// isClock takes hh:mm and hh:mm:ss.
func isClock(s string) bool {
	if len(s) != len("hh:mm") && len(s) != len("hh:mm:ss") {
		return false
	}
	for i := 0; i < len(s); i += 3 {
		limit := byte('5')
		if i == 0 {
			limit = '2'
		}
		if !isDigit(s[i]) || !isDigit(s[i+1]) || s[i] > limit || i == 0 && s[:2] > "23" {
			return false
		}
		if i > 0 && s[i-1] != ':' {
			return false
		}
	}
	return true
}

// digits checks digits with single underscores between them.
func digits(s string, allowed string) bool {
	for i := range len(s) {
		if s[i] == '_' {
			if i == 0 || i == len(s)-1 || s[i-1] == '_' {
				return false
			}
		} else if strings.IndexByte(allowed, s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

const (
	decimal = "0123456789"
	hex     = "0123456789abcdefABCDEF"
)

func integer(word string) (value int64, problem string) {
	base, allowed, body := 10, decimal, word
	switch {
	case strings.HasPrefix(word, "0x"):
		base, allowed, body = 16, hex, word[2:]
	case strings.HasPrefix(word, "0o"):
		base, allowed, body = 8, "01234567", word[2:]
	case strings.HasPrefix(word, "0b"):
		base, allowed, body = 2, "01", word[2:]
	default:
		if body[0] == '+' || body[0] == '-' {
			body = body[1:]
		}
		if len(body) > 1 && body[0] == '0' {
			return 0, "begins with a zero"
		}
	}
	if !digits(body, allowed) {
		return 0, "is no value; a string needs quotes"
	}
	body = strings.ReplaceAll(body, "_", "")
	if word[0] == '-' {
		body = "-" + body
	}
	value, err := strconv.ParseInt(body, base, 64)
	if err != nil {
		return 0, "does not fit into 64 bits"
	}
	return value, ""
}

func isFloat(word string) bool {
	body := word
	if body[0] == '+' || body[0] == '-' {
		body = body[1:]
	}
	if body == "inf" || body == "nan" {
		return true
	}
	mantissa, exponent, hasExponent := body, "", false
	if i := strings.IndexAny(body, "eE"); i >= 0 {
		mantissa, exponent, hasExponent = body[:i], body[i+1:], true
	}
	if hasExponent {
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		if !digits(exponent, decimal) {
			return false
		}
	}
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	if !digits(whole, decimal) || len(whole) > 1 && whole[0] == '0' || hasFraction && !digits(fraction, decimal) {
		return false
	}
	return hasFraction || hasExponent
}

// readLiteral takes a 'string'.
func (p *parser) readLiteral() string {
	p.accept("'")
	start := p.pos
	for p.pos < len(p.text) && !isControl(p.text[p.pos]) {
		if p.text[p.pos] == '\'' {
			p.pos++
			return p.text[start : p.pos-1]
		}
		p.pos++
	}
	p.fail("a string does not end: %s", p.here())
	return ""
}

// readBasic takes a "string".
func (p *parser) readBasic() string {
	p.accept(`"`)
	start := p.pos
	var built []byte // once there was an escape
	for p.pos < len(p.text) && !isControl(p.text[p.pos]) {
		switch p.text[p.pos] {
		case '"':
			part := p.text[start:p.pos]
			p.pos++
			if built == nil {
				return part
			}
			return string(append(built, part...))
		case '\\':
			built = append(built, p.text[start:p.pos]...)
			built = p.readEscape(built)
			start = p.pos
		default:
			p.pos++
		}
	}
	p.fail("a string does not end: %s", p.here())
	return ""
}

// readMultiline takes the rest of a string in three quotes.
func (p *parser) readMultiline(quote string) string {
	p.newline() // right after the quotes it does not count
	first := p.line
	var built []byte
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch {
		case c == quote[0] && p.accept(strings.Repeat(quote, 3)):
			// Up to two more quotes belong to the string.
			for range 2 {
				if p.accept(quote) {
					built = append(built, quote[0])
				}
			}
			return string(built)
		case c == '\\' && quote == `"`:
			if !p.continueLine() {
				built = p.readEscape(built)
			}
		case c == '\n' || c == '\r':
			start := p.pos
			if !p.newline() {
				p.fail("a carriage return without a line feed")
				return ""
			}
			built = append(built, p.text[start:p.pos]...)
		case isControl(c):
			p.fail("a string holds the control character %#02x", c)
			return ""
		default:
			built = append(built, c)
			p.pos++
		}
	}
	p.failAt(first, "a string in three quotes does not end")
	return ""
}

// continueLine takes a backslash at the end of a line with all blank space
// after it.
func (p *parser) continueLine() bool {
	end := p.pos + 1
	for end < len(p.text) && (p.text[end] == ' ' || p.text[end] == '\t') {
		end++
	}
	rest := p.text[min(end, len(p.text)):]
	if !strings.HasPrefix(rest, "\n") && !strings.HasPrefix(rest, "\r\n") {
		return false
	}
	for p.pos = end; p.newline(); p.skipSpace() {
	}
	return true
}

var escapes = map[byte]byte{'b': '\b', 't': '\t', 'n': '\n', 'f': '\f', 'r': '\r', 'e': 0x1b, '"': '"', '\\': '\\'}

func (p *parser) readEscape(built []byte) []byte {
	p.pos++
	c := p.peek()
	if plain, ok := escapes[c]; ok {
		p.pos++
		return append(built, plain)
	}
	length := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if length == 0 {
		p.fail("a string holds the unknown escape \\%s", strings.Trim(p.here(), "'"))
		return built
	}
	p.pos++
	if p.pos+length <= len(p.text) {
		value, err := strconv.ParseUint(p.text[p.pos:p.pos+length], 16, 32)
		if err == nil && value <= utf8.MaxRune && utf8.ValidRune(rune(value)) {
			p.pos += length
			return utf8.AppendRune(built, rune(value))
		}
	}
	p.fail("a string holds an escape of no Unicode character")
	return built
}
