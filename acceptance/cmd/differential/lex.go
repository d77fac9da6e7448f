package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	space tokenKind = iota // white space and comments
	word                   // identifiers and keywords
	number
	text // string literals
	template
	regex
	mark // everything else, one operator or character at a time
)

// token is a piece of a text.
type token struct {
	kind     tokenKind
	from, to int
	text     string
}

var operators = []string{"?.", "=>", "===", "!==", "...", "??", "&&", "||", "==", "!=", "<=", ">=", "++", "--"}

// lex cuts TypeScript into tokens, well enough to tell code from comments and
// literals. Text of JSX elements may come out as words and marks, which only
// makes for odder mutations.
func lex(source string) []token {
	var tokens []token
	var last token // the last one that is no space
	for at := 0; at < len(source); {
		kind, length := next(source[at:], last)
		t := token{kind, at, at + length, source[at : at+length]}
		tokens = append(tokens, t)
		if kind != space {
			last = t
		}
		at = t.to
	}
	return tokens
}

func next(rest string, last token) (tokenKind, int) {
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r) || r == '\ufeff':
		return space, size + len(rest[size:]) - len(strings.TrimLeftFunc(rest[size:], unicode.IsSpace))
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "#!"):
		return space, until(rest, "\n", 0)
	case strings.HasPrefix(rest, "/*"):
		return space, until(rest, "*/", 2)
	case r == '"' || r == '\'':
		return text, literal(rest, byte(r))
	case r == '`':
		return template, templateLength(rest)
	case unicode.IsDigit(r):
		return number, prefix(rest, func(r rune) bool { return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
	case isWord(r):
		return word, prefix(rest, func(r rune) bool { return isWord(r) || unicode.IsDigit(r) })
	case r == '/' && startsRegex(last):
		if length := regexLength(rest); length > 0 {
			return regex, length
		}
	}
	for _, operator := range operators {
		if strings.HasPrefix(rest, operator) {
			return mark, len(operator)
		}
	}
	return mark, size
}

func isWord(r rune) bool { return r == '_' || r == '$' || r == '#' || unicode.IsLetter(r) }

func prefix(s string, in func(rune) bool) int {
	if end := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); end >= 0 {
		return end
	}
	return len(s)
}

// until is the length up to the end of a mark, or of the whole text.
func until(s, end string, from int) int {
	if at := strings.Index(s[from:], end); at >= 0 {
		return from + at + len(end)
	}
	return len(s)
}

// literal is the length of a string, which ends at its line's end at the latest.
func literal(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(s)
}

func templateLength(s string) int {
	depth := 0
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], "${"):
			depth++
			i++
		case depth > 0 && s[i] == '{':
			depth++
		case depth > 0 && s[i] == '}':
			depth--
		case depth > 0 && s[i] == '`':
			i += templateLength(s[i:]) - 1
		case s[i] == '`':
			return i + 1
		}
	}
	return len(s)
}

// startsRegex tells a regular expression from a division by what came before.
func startsRegex(last token) bool {
	switch last.kind {
	case number, text, template, regex:
		return false
	case word:
		return last.text == "return" || last.text == "case" || last.text == "typeof"
	default:
		return last.text != ")" && last.text != "]" && last.text != "}" && last.text != "<"
	}
}

func regexLength(s string) int {
	class := false
	for i := 1; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[':
			class = true
		case s[i] == ']':
			class = false
		case s[i] == '/' && !class:
			return i + 1 + prefix(s[i+1:], unicode.IsLetter)
		}
	}
	return 0
}
