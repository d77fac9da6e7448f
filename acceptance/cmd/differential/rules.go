package main

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// on makes a rule that replaces single tokens.
func on(name string, place func(s *source, n int) bool, by func(t token) string) rule {
	return rule{name, func(s *source, n int, _ *rand.Rand) []change {
		if !place(s, n) {
			return nil
		}
		return []change{replace(s.at(n), by(s.at(n)))}
	}}
}

// is makes a place of tokens that read so.
func is(texts ...string) func(s *source, n int) bool {
	return func(s *source, n int) bool { return slices.Contains(texts, s.at(n).text) }
}

func of(kind tokenKind) func(s *source, n int) bool {
	return func(s *source, n int) bool { return s.at(n).kind == kind }
}

func always(by string) func(token) string { return func(token) string { return by } }

// literalString is a string that is no path of an import.
func literalString(s *source, n int) bool { return s.at(n).kind == text && !s.specifier(n) }

// annotation is a type after a colon, a bar or an angle bracket.
func annotation(s *source, n int) bool {
	return is("string", "number", "boolean", "unknown", "void")(s, n) && is(":", "|", "<")(s, n-1)
}

var otherType = map[string]string{"string": "number", "number": "boolean", "boolean": "string", "unknown": "never", "void": "string"}

var rules = []rule{
	on("number to string", of(number), always(`"text"`)),
	on("string to number", literalString, always("42")),
	on("literal changed", literalString, func(t token) string { return t.text[:1] + "x" + t.text[1:] }),
	on("string not closed", of(text), func(t token) string { return t.text[:len(t.text)-1] }),
	on("template not closed", of(template), func(t token) string { return t.text[:len(t.text)-1] }),
	on("template to object", of(template), always("{}")),
	on("type changed", annotation, func(t token) string { return otherType[t.text] }),
	on("path wrong", (*source).specifier, func(t token) string { return t.text[:len(t.text)-1] + "x" + t.text[len(t.text)-1:] }),
	on("name misspelt", func(s *source, n int) bool { return name(s.at(n)) && s.at(n-1).text != "." }, func(t token) string { return misspell(t.text) }),
	on("member misspelt", func(s *source, n int) bool { return name(s.at(n)) && is(".", "?.")(s, n-1) }, func(t token) string { return misspell(t.text) }),
	on("keyword misspelt", is("function", "return", "const", "class", "export", "import", "interface", "async", "extends"), func(t token) string { return misspell(t.text) }),
	on("brace missing", is("}", "{"), always("")),
	on("parenthesis missing", is("(", ")"), always("")),
	on("bracket added", is(")", "}", "]", ">"), func(t token) string { return t.text + t.text }),
	on("return deleted", is("return"), always("")),
	on("await deleted", is("await"), always("")),
	on("async deleted", is("async"), always("")),
	on("optional chain broken", is("?."), always(".")),
	on("default for nothing deleted", is("??"), always("&&")),
	on("comparison to sum", is("===", "!=="), always("+")),
	on("not-null deleted", func(s *source, n int) bool {
		return s.at(n).text == "!" && s.at(n-1).to == s.at(n).from && (s.at(n-1).kind == word || is(")", "]")(s, n-1))
	}, always("")),
	on("readonly and visibility changed", is("readonly", "private", "protected", "static"), always("public")),
	on("modifier of an import", func(s *source, n int) bool { return s.at(n).text == "type" && is("import", "{", ",")(s, n-1) }, always("")),
	on("const for let", is("let"), always("const")),
	on("token deleted", func(*source, int) bool { return true }, always("")),
	on("token doubled", func(s *source, n int) bool { return true }, func(t token) string { return t.text + " " + t.text }),
	on("regular expression not closed", of(regex), func(t token) string { return strings.Replace(t.text, "/", "/(", 1) }),

	{"argument dropped", func(s *source, n int, _ *rand.Rand) []change {
		if !s.call(n) {
			return nil
		}
		from, to := s.lastArgument(n)
		return []change{{from, to, ""}}
	}},
	{"argument added", func(s *source, n int, _ *rand.Rand) []change {
		if !s.call(n) {
			return nil
		}
		end := s.at(s.closing(n))
		if s.at(n).to == end.from {
			return []change{before(end, "0")}
		}
		return []change{before(end, ", 0")}
	}},
	{"await added", func(s *source, n int, _ *rand.Rand) []change {
		if !s.call(n+1) || is(".", "?.", "new")(s, n-1) {
			return nil
		}
		return []change{before(s.at(n), "await ")}
	}},
	{"import dropped", func(s *source, n int, _ *rand.Rand) []change {
		if s.at(n).text != "import" || !s.statement(n) {
			return nil
		}
		for end := n + 1; end < min(n+200, len(s.code)); end++ {
			if s.specifier(end) {
				return []change{{s.at(n).from, s.at(end).to, ""}}
			}
		}
		return nil
	}},
	{"name of an import misspelt", func(s *source, n int, _ *rand.Rand) []change {
		if !name(s.at(n)) || !is("{", ",", "type")(s, n-1) {
			return nil
		}
		for end := n + 1; end < min(n+60, len(s.code)); end++ {
			switch {
			case s.specifier(end):
				return []change{replace(s.at(n), misspell(s.at(n).text)+" as "+s.at(n).text)}
			case is(";", "=", "(")(s, end):
				return nil
			}
		}
		return nil
	}},
	{"annotation dropped", func(s *source, n int, _ *rand.Rand) []change {
		if s.at(n).text == ":" && is("(", ",")(s, n-2) && s.at(n+1).kind == word && is(",", ")")(s, n+2) {
			return []change{{s.at(n).from, s.at(n + 1).to, ""}}
		}
		return nil
	}},
	{"error behind an emoji", func(s *source, n int, _ *rand.Rand) []change {
		if !name(s.at(n)) {
			return nil
		}
		return []change{before(s.at(n), "/* 😀👩‍👧 */ "), replace(s.at(n), misspell(s.at(n).text))}
	}},
	{"property added", func(s *source, n int, _ *rand.Rand) []change {
		if s.at(n).text != "{" || !is("=", "(", "return", ",", ":")(s, n-1) || s.at(n+1).text == "}" {
			return nil
		}
		return []change{after(s.at(n), " extraProperty: 1,")}
	}},
	{"declaration doubled", func(s *source, n int, _ *rand.Rand) []change {
		_, to := s.lineOf(s.at(n))
		if !s.statement(n) || !is("const", "let", "import", "export", "type")(s, n) || !strings.HasSuffix(s.text[:to], ";") && !is("const")(s, n) {
			return nil
		}
		return []change{before(s.at(n), s.text[s.at(n).from:to]+"\n")}
	}},
	{"unused local", func(s *source, n int, _ *rand.Rand) []change {
		if !s.statement(n) || is("import", "export", "}", "case", "default", "else")(s, n) {
			return nil
		}
		return []change{before(s.at(n), "const neverUsed = 1;\n")}
	}},
	{"expected error", func(s *source, n int, _ *rand.Rand) []change {
		if !s.statement(n) {
			return nil
		}
		return []change{before(s.at(n), "// @ts-expect-error\n")}
	}},
	{"ignored error", func(s *source, n int, _ *rand.Rand) []change {
		if !name(s.at(n)) || !s.statement(n) {
			return nil
		}
		return []change{before(s.at(n), "// @ts-ignore\n"), replace(s.at(n), misspell(s.at(n).text))}
	}},
	{"line deleted", func(s *source, n int, _ *rand.Rand) []change {
		from, to := s.lineOf(s.at(n))
		return []change{{from, to, ""}}
	}},
	{"two errors in a line", func(s *source, n int, _ *rand.Rand) []change {
		if !s.statement(n) || is("import", "export")(s, n) {
			return nil
		}
		return []change{before(s.at(n), "const first: string = 1, second: { a: { b: string } } = { a: { b: 1 } };\n")}
	}},
	{"CRLF and a wrong type", func(s *source, n int, _ *rand.Rand) []change {
		if !annotation(s, n) {
			return nil
		}
		mutated := s.apply(replace(s.at(n), otherType[s.at(n).text]))
		return []change{{0, len(s.text), strings.ReplaceAll(strings.ReplaceAll(mutated, "\r\n", "\n"), "\n", "\r\n")}}
	}},
	{"comment added", func(s *source, n int, _ *rand.Rand) []change {
		return []change{before(s.at(n), "/* 💬 nothing changes */ ")}
	}},
	{"assertion to any", func(s *source, n int, _ *rand.Rand) []change {
		if !s.call(n) {
			return nil
		}
		return []change{after(s.at(s.closing(n)), " as any")}
	}},
}
