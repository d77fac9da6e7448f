package tcgfamily

import (
	"encoding/json"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// Descriptor is what a server advertises about a tool.
type Descriptor struct {
	Name        string
	Title       string
	Description string
	// InputSchema is a plain JSON Schema of type object.
	InputSchema json.RawMessage
	// Hints for the host: every tool of the family only reads, gives the same
	// answer for the same question and reaches nothing outside the project.
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// tool is one of the four: an operation of the oracle with its arguments.
type tool struct {
	name, title string
	op          string
	// description is the advertisement, and for some hosts all a model sees
	// before it searches: it holds the words an agent would search for, when
	// to call the tool, and that nothing is written. LANGUAGES and COMPILERS
	// stand for what the mode serves.
	description string
	arguments   []argument
}

func tools() []tool {
	return []tool{
		{
			name: "tcg_validate", op: oracleproto.OpValidate,
			title: "Would this code compile?",
			description: "Type check LANGUAGES code before writing it: would this file compile? " +
				"Returns the compile errors and warnings (diagnostics) of the project's own compiler (COMPILERS), with line, code and message, " +
				"plus policy findings, for hypothetical content that is never written to disk; usually in milliseconds, no build needed. " +
				"Call it with the full new text of a file before you write or edit it, or without content to check the file on disk. " +
				"verdict is clean, errors or unknown; unknown means not checked, never clean.",
			arguments: []argument{fileArgument, contentArgument, depthArgument, testsArgument, budgetArgument},
		},
		{
			name: "tcg_scope", op: oracleproto.OpScope,
			title: "What is in scope here?",
			description: "List the symbols in scope at a position of a LANGUAGES file: variables, parameters, functions, types and imports visible there, " +
				"with kind and type, from the compiler (COMPILERS). " +
				"Call it before writing code that refers to existing names. Works on hypothetical content; nothing is written.",
			arguments: []argument{fileArgument, positionArgument(false), contentArgument, globalsArgument, budgetArgument},
		},
		{
			name: "tcg_complete", op: oracleproto.OpComplete,
			title: "What can I call on this?",
			description: "Autocomplete for LANGUAGES: the members, methods, fields and names the compiler (COMPILERS) offers as completion at a position, with their types. " +
				"Call it instead of guessing an API, for example right after a dot. " +
				"Works on hypothetical, even incomplete content; nothing is written.",
			arguments: []argument{fileArgument, positionArgument(true), contentArgument, prefixArgument, maxArgument, budgetArgument},
		},
		{
			name: "tcg_type", op: oracleproto.OpType,
			title: "What type is this?",
			description: "Type, signature and documentation (hover) of the LANGUAGES symbol or expression at a position, as the compiler (COMPILERS) infers it. " +
				"Call it before using a value or function whose type you are not sure of. " +
				"Works on hypothetical content; nothing is written.",
			arguments: []argument{fileArgument, positionArgument(true), contentArgument, budgetArgument},
		},
	}
}

func toolNamed(name string) (tool, bool) {
	for _, t := range tools() {
		if t.name == name {
			return t, true
		}
	}
	return tool{}, false
}

// Tools describes the four tools for the family's mode.
func (f *Family) Tools() []Descriptor {
	var list []Descriptor
	for _, t := range tools() {
		list = append(list, Descriptor{
			Name:        t.name,
			Title:       t.title,
			Description: f.mode.fill(t.description),
			InputSchema: f.mode.schema(t),
			ReadOnly:    true,
			Idempotent:  true,
		})
	}
	return list
}

// fill puts the mode's languages and compilers into a description.
func (m Mode) fill(description string) string {
	var names, compilers []string
	for _, l := range m.languages() {
		names = append(names, languages[l].name)
		compilers = append(compilers, languages[l].compiler)
	}
	return strings.NewReplacer(
		"LANGUAGES", strings.Join(names, " or "),
		"COMPILERS", strings.Join(compilers, ", "),
	).Replace(description)
}
