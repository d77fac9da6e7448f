package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// source is a text with its tokens; code are the indexes of those that are no
// space.
type source struct {
	text   string
	tokens []token
	code   []int
}

func newSource(text string) *source {
	s := &source{text: text, tokens: lex(text)}
	for i, t := range s.tokens {
		if t.kind != space {
			s.code = append(s.code, i)
		}
	}
	return s
}

// at is the nth token of the code; an empty mark beyond the ends.
func (s *source) at(n int) token {
	if n < 0 || n >= len(s.code) {
		return token{kind: mark}
	}
	return s.tokens[s.code[n]]
}

// change replaces a part of a text.
type change struct {
	from, to int
	text     string
}

func (s *source) apply(changes ...change) string {
	slices.SortFunc(changes, func(a, b change) int { return b.from - a.from })
	out := s.text
	for _, c := range changes {
		out = out[:c.from] + c.text + out[c.to:]
	}
	return out
}

func replace(t token, by string) change { return change{t.from, t.to, by} }
func before(t token, what string) change {
	return change{t.from, t.from, what}
}

// after puts something behind a token.
func after(t token, what string) change { return change{t.to, t.to, what} }

// rule makes the changes of one kind at the nth token of the code, if that is a
// place for it.
type rule struct {
	name string
	at   func(s *source, n int, random *rand.Rand) []change
}

// mutate applies a rule at a random place; ok is false when there is none.
func mutate(s *source, r rule, random *rand.Rand) (mutated string, ok bool) {
	for _, n := range random.Perm(len(s.code)) {
		if changes := r.at(s, n, random); changes != nil {
			if mutated := s.apply(changes...); mutated != s.text {
				return mutated, true
			}
		}
	}
	return "", false
}

// specifier reports that the nth token is the path of an import.
func (s *source) specifier(n int) bool {
	last := s.at(n - 1)
	return s.at(n).kind == text && (last.text == "from" || last.text == "import" || last.text == "(" && slices.Contains([]string{"import", "require"}, s.at(n-2).text))
}

// closing is the bracket that closes the one at n, -1 for none.
func (s *source) closing(n int) int {
	depth := 0
	for ; n < len(s.code); n++ {
		switch s.at(n).text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return n
			}
		}
	}
	return -1
}

// call reports that the nth token opens the arguments of a call: it stands
// behind a name that no keyword declares.
func (s *source) call(n int) bool {
	if s.at(n).text != "(" || s.at(n-1).kind != word || keyword(s.at(n-1).text) || s.at(n-2).text == "function" {
		return false
	}
	end := s.closing(n)
	return end > 0 && !slices.Contains([]string{"{", ":", "=>"}, s.at(end+1).text)
}

// lastArgument is where the last argument of the call at n begins, its comma
// included, and ends.
func (s *source) lastArgument(n int) (from, to int) {
	end := s.closing(n)
	depth, from := 0, s.at(n).to
	for i := n + 1; i < end; i++ {
		switch s.at(i).text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 && i+1 < end {
				from = s.at(i).from
			}
		}
	}
	return from, s.at(end).from
}

func keyword(name string) bool {
	return strings.Contains(" if for while switch catch function return const let var class export import interface type new typeof await async extends implements case default of in as is keyof throw from public private protected readonly static get set yield else do try finally void delete instanceof declare namespace module enum abstract this super null undefined true false string number boolean any unknown never object symbol bigint constructor ", " "+name+" ")
}

// misspell swaps two letters in the middle of a name.
func misspell(name string) string {
	letters := []rune(name)
	for i := len(letters) / 2; i+1 < len(letters); i++ {
		if letters[i] != letters[i+1] {
			letters[i], letters[i+1] = letters[i+1], letters[i]
			return string(letters)
		}
	}
	return name + string(letters[len(letters)-1])
}

// name reports that a token is a name of some length.
func name(t token) bool {
	first, _ := utf8.DecodeRuneInString(t.text)
	return t.kind == word && len(t.text) >= 4 && !keyword(t.text) && unicode.IsLetter(first)
}

// lineOf is the line that a token is in, without its end.
func (s *source) lineOf(t token) (from, to int) {
	from = strings.LastIndexByte(s.text[:t.from], '\n') + 1
	to = len(s.text)
	if end := strings.IndexByte(s.text[t.from:], '\n'); end >= 0 {
		to = t.from + end
	}
	return from, to
}

// firstOfLine reports that nothing but white space stands before a token in its
// line.
func (s *source) firstOfLine(t token) bool {
	from, _ := s.lineOf(t)
	return strings.TrimSpace(s.text[from:t.from]) == ""
}

// statement reports that a token begins a statement, as far as that can be seen
// without parsing: it is the first of its line, behind the end of another one.
func (s *source) statement(n int) bool {
	return s.firstOfLine(s.at(n)) && (n == 0 || slices.Contains([]string{";", "}"}, s.at(n-1).text)) && s.at(n).kind == word
}
