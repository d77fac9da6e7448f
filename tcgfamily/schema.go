package tcgfamily

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"vibevm.org/tcgfamily/answer"
	"vibevm.org/tcgfamily/oracleproto"
)

// The arguments of the tools. One table makes the schemas and drives the
// validation, so that what is advertised is what is accepted.
//
// Schemas are plain, because hosts hand them to APIs that take a subset of
// JSON Schema: every property has exactly one type (Gemini and Claude refuse
// requests with a list of types, Gemini CLI drops tools with an untyped
// property), and there is no $ref, anyOf, oneOf or additionalProperties. So a
// position is advertised as an object; its "L:C" string form is an addition
// that the description mentions and the validation accepts.

// argumentKind is the JSON type of an argument.
type argumentKind string

const (
	textArgument  argumentKind = "string"
	wholeArgument argumentKind = "integer"
	flagArgument  argumentKind = "boolean"
	placeArgument argumentKind = "object"
)

// argument is one member of a tool's arguments.
type argument struct {
	name        string
	kind        argumentKind
	description string
	required    bool
	// nonEmpty refuses the empty string.
	nonEmpty bool
	// verbatim passes a string on without decoding it.
	verbatim bool
	// min and max bound a whole number; def is what stands for an absent one.
	min, max, def int
	// enum lists the only texts there are.
	enum []string
	// only is the one language that knows the argument; empty for all.
	only Language
}

const (
	minEntries      = 1
	maxEntriesLimit = 500
)

var (
	fileArgument = argument{
		name: "file", kind: textArgument, required: true, nonEmpty: true,
		description: "Path from the project root, or an absolute path inside it. Need not exist when content is given.",
	}
	contentArgument = argument{
		name: "content", kind: textArgument, verbatim: true,
		description: "Full hypothetical text of the file, never written. Default: the text on disk.",
	}
	prefixArgument = argument{
		name: "prefix", kind: textArgument,
		description: "Keep only names that start with this (case-sensitive).",
	}
	maxArgument = argument{
		name: "max", kind: wholeArgument, min: minEntries, max: maxEntriesLimit, def: oracleproto.DefaultMaxEntries,
		description: "Most entries to return.",
	}
	globalsArgument = argument{
		name: "globals", kind: flagArgument,
		description: "Also list global names, without types. Default false.",
	}
	depthArgument = argument{
		name: "depth", kind: textArgument, only: Rust,
		enum:        []string{string(oracleproto.DepthAuto), string(oracleproto.DepthNative), string(oracleproto.DepthFull)},
		description: "Rust: native (rust-analyzer), full (cargo check) or auto (native, then full; default).",
	}
	testsArgument = argument{
		name: "tests", kind: flagArgument, only: Rust,
		description: "Test code too.",
	}
	budgetArgument = argument{
		name: "budget", kind: wholeArgument, min: answer.MinBudget, max: answer.MaxBudget, def: answer.DefaultBudget,
		description: "Most characters of the whole answer; raise it when `truncated` says that something is missing.",
	}
)

// positionArgument is the place asked about.
func positionArgument(required bool) argument {
	a := argument{
		name: "position", kind: placeArgument, required: required,
		description: `Line from 1, character from 0 in UTF-16 code units; the string "LINE:CHARACTER" works too.`,
	}
	if !required {
		a.description += " Default: the end of the file."
	}
	return a
}

// languageArgument is the argument that picks the oracle in this mode.
func (m Mode) languageArgument() argument {
	a := argument{
		name: "language", kind: textArgument,
		required:    m.only == "",
		description: "Language of the file.",
	}
	for _, l := range m.languages() {
		a.enum = append(a.enum, string(l))
	}
	return a
}

// arguments lists what a tool takes in this mode.
func (m Mode) arguments(t tool) []argument {
	list := []argument{m.languageArgument()}
	for _, a := range t.arguments {
		if a.only == "" || slices.Contains(m.languages(), a.only) {
			list = append(list, a)
		}
	}
	return list
}

// schema is the tool's input schema, its properties in the order of the table.
func (m Mode) schema(t tool) json.RawMessage {
	var properties bytes.Buffer
	var required []string
	for i, a := range m.arguments(t) {
		if i > 0 {
			properties.WriteByte(',')
		}
		fmt.Fprintf(&properties, "%s:%s", answer.Encode(a.name), answer.Encode(a.schema()))
		if a.required {
			required = append(required, a.name)
		}
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":%s}`, &properties, answer.Encode(required))
}

// propertySchema is the schema of one argument.
type propertySchema struct {
	Type        argumentKind    `json:"type"`
	Description string          `json:"description,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Minimum     *int            `json:"minimum,omitempty"`
	Maximum     *int            `json:"maximum,omitempty"`
	Default     *int            `json:"default,omitempty"`
	Properties  *positionSchema `json:"properties,omitempty"`
	Required    []string        `json:"required,omitempty"`
}

type positionSchema struct {
	Line      propertySchema `json:"line"`
	Character propertySchema `json:"character"`
}

func (a argument) schema() propertySchema {
	s := propertySchema{Type: a.kind, Description: a.description, Enum: a.enum}
	switch a.kind {
	case wholeArgument:
		s.Minimum, s.Maximum, s.Default = &a.min, &a.max, &a.def
	case placeArgument:
		s.Properties = &positionSchema{
			Line:      propertySchema{Type: wholeArgument, Minimum: new(1)},
			Character: propertySchema{Type: wholeArgument, Minimum: new(0)},
		}
		s.Required = []string{"line", "character"}
	}
	return s
}
