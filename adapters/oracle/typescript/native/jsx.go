package native

import "strings"

// opensJSX tells an element from the type parameters of an arrow function,
// <T,>() or <T extends U>().
func (s *scanner) opensJSX() bool {
	rest := s.text[s.at+1:]
	if strings.HasPrefix(rest, ">") {
		return true
	}
	n := 0
	for n < len(rest) && isNamePart(rest[n]) {
		n++
	}
	if n == 0 || '0' <= rest[0] && rest[0] <= '9' {
		return false
	}
	after := strings.TrimLeft(rest[n:], " \t\r\n")
	return !strings.HasPrefix(after, ",") && !strings.HasPrefix(after, "extends ")
}

// inTag reads a part of an opening tag: a name, an attribute, its end.
func (s *scanner) inTag() {
	switch c := s.text[s.at]; {
	case c == '{':
		s.at++
		s.pushContainer()
		s.prev = token{kind: punctuation, text: "{", at: s.at}
	case c == '"' || c == '\'': // attribute strings have no escapes
		s.at++
		s.skipTo(string(c), 0)
		s.at++
	case strings.HasPrefix(s.rest(), "/>"):
		s.at += 2
		s.pop()
		s.afterElement()
	case c == '>':
		s.at++
		s.top().kind = jsxContent
	default:
		s.at++
	}
}

// inContent reads a part of an element's content.
func (s *scanner) inContent() {
	switch c := s.text[s.at]; {
	case c == '{':
		s.at++
		s.pushContainer()
		s.prev = token{kind: punctuation, text: "{", at: s.at}
	case strings.HasPrefix(s.rest(), "</"):
		s.skipTo(">", 0)
		s.at++
		s.pop()
		s.afterElement()
	case c == '<':
		s.at++
		s.push(newFrame(jsxTag, -1))
	default:
		s.at++
	}
}

// afterElement goes on behind an element, which is an operand.
func (s *scanner) afterElement() {
	s.prev, s.newline = token{kind: literal, at: s.at}, false
}

// pushContainer enters the braces around an expression.
func (s *scanner) pushContainer() {
	s.pushInner(newFrame(braces, -1), s.at)
	s.top().valued = true
}
