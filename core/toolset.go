package core

import (
	"encoding/json"
	"maps"
	"slices"
)

// ToolSet maps names to tools (MCP-CORE §3 p18). It is filled before the server
// is made and not changed after.
type ToolSet struct {
	byName map[string]registered
}

// registered is a tool with its descriptor, asked once.
type registered struct {
	tool       Tool
	descriptor Descriptor
}

// NewToolSet returns a set of the given tools; see Register for what it
// refuses.
func NewToolSet(tools ...Tool) (*ToolSet, error) {
	set := &ToolSet{byName: make(map[string]registered, len(tools))}
	for _, t := range tools {
		if err := set.Register(t); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// Register adds a tool. The last registration of a name wins.
//
// A descriptor that would break a client is refused with a TransportError of
// CodeDescriptor: one tool without an object schema makes the common clients
// drop the whole list, and a name outside [A-Za-z0-9_.-]{1,128} is left out by
// hosts that build their own names from it.
func (s *ToolSet) Register(t Tool) error {
	d := t.Descriptor()
	if !validName(d.Name) {
		return descriptorError(d.Name, "the name is not 1 to 128 of A-Z a-z 0-9 _ . -", "rename the tool")
	}
	schema, err := checkSchema(d.Name, d.InputSchema)
	if err != nil {
		return err
	}
	d.InputSchema = schema
	if s.byName == nil {
		s.byName = make(map[string]registered)
	}
	s.byName[d.Name] = registered{tool: t, descriptor: d}
	return nil
}

// Descriptors returns what is registered, sorted by name.
func (s *ToolSet) Descriptors() []Descriptor {
	var all []Descriptor
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		all = append(all, s.byName[name].descriptor)
	}
	return all
}

func validName(name string) bool {
	if len(name) < 1 || len(name) > 128 {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && !isDigit(c) && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

// checkSchema returns the schema as it will go out: byte for byte, except that
// a schema written on several lines is put on one.
func checkSchema(name string, schema json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(schema) {
		return nil, descriptorError(name, "inputSchema is not valid JSON", `give it a schema, at least {"type":"object"}`)
	}
	kind := member(schema, "type")
	if text, ok := unquote(kind); !ok || string(text) != "object" {
		return nil, descriptorError(name, `the top-level "type" of inputSchema is not "object"`, `set it to "type":"object"`)
	}
	return oneLine(schema), nil
}

// appendToolList writes the result of tools/list.
func appendToolList(dst []byte, all []Descriptor) []byte {
	dst = append(dst, `{"tools":[`...)
	for i, d := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"name":`...)
		dst = appendString(dst, d.Name)
		if d.Title != "" {
			dst = append(dst, `,"title":`...)
			dst = appendString(dst, d.Title)
		}
		dst = append(dst, `,"description":`...)
		dst = appendString(dst, d.Description)
		dst = append(dst, `,"inputSchema":`...)
		dst = append(dst, d.InputSchema...)
		if d.Annotations != nil {
			dst = append(dst, `,"annotations":`...)
			dst = appendAnnotations(dst, *d.Annotations)
		}
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

func appendAnnotations(dst []byte, a Annotations) []byte {
	text, err := json.Marshal(a)
	if err != nil { // four booleans always encode
		panic(err)
	}
	return append(dst, text...)
}
