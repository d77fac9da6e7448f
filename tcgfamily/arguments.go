package tcgfamily

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"vibevm.org/tcgfamily/answer"
	"vibevm.org/tcgfamily/oracleproto"
)

// toolCall is a tool call whose arguments were accepted.
type toolCall struct {
	language Language
	question answer.Question
	params   json.RawMessage // params of the operation
}

// values are the accepted arguments by name: string, int, bool,
// oracleproto.Position, or the raw JSON of a text that is only passed on. An
// argument that is absent or null has no value.
type values map[string]any

// parse checks the arguments of a call. With a refusal, the call's question is
// still good for wording it.
func (f *Family) parse(t tool, args json.RawMessage) (toolCall, *ToolError) {
	c := toolCall{question: answer.Question{Tool: t.name, Op: t.op}}
	p := parser{mode: f.mode, tool: t}
	members, refusal := p.members(args)
	if refusal != nil {
		return c, refusal
	}
	if c.language, refusal = p.pickLanguage(members["language"]); refusal != nil {
		return c, refusal
	}
	p.language = c.language
	c.question.Language = string(c.language)
	v, refusal := p.values(members)
	if refusal != nil {
		return c, refusal
	}
	c.question.File = v.text("file")
	c.question.Prefix = v.text("prefix")
	_, c.question.Inline = v["content"]
	c.question.Position = v.position()
	c.question.Budget = v.whole("budget")
	c.params = v.params(t.op)
	return c, nil
}

func (v values) text(name string) string { s, _ := v[name].(string); return s }
func (v values) whole(name string) int   { n, _ := v[name].(int); return n }

func (v values) position() *oracleproto.Position {
	if at, ok := v["position"].(oracleproto.Position); ok {
		return &at
	}
	return nil
}

// operationArguments are what an operation takes besides file, position and
// content.
var operationArguments = map[string][]string{
	oracleproto.OpValidate: {"depth", "tests"},
	oracleproto.OpScope:    {"globals"},
	oracleproto.OpComplete: {"prefix", "max"},
}

// params are the operation's own params; language and budget stay here. The
// content is passed on as it came: a source text takes longer to decode and
// encode than all the rest of a call.
func (v values) params(op string) json.RawMessage {
	p := []byte(`{"file":`)
	p = append(p, answer.Encode(v.text("file"))...)
	add := func(name string, value json.RawMessage) {
		p = append(p, `,"`+name+`":`...)
		p = append(p, value...)
	}
	if at := v.position(); at != nil {
		add("position", answer.Encode(at))
	}
	if content, ok := v["content"].(json.RawMessage); ok {
		add("content", content)
	}
	for _, name := range operationArguments[op] {
		if value, ok := v[name]; ok {
			add(name, answer.Encode(value))
		}
	}
	return append(p, '}')
}

// parser checks the arguments of one call.
type parser struct {
	mode     Mode
	tool     tool
	language Language // once known, for examples in that language
}

// members splits the arguments and drops nulls, which some hosts send for
// what the model left out.
func (p *parser) members(args json.RawMessage) (map[string]json.RawMessage, *ToolError) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(args, &members); err != nil {
		return nil, p.refuse("the arguments are %s, not an object", found(args))
	}
	maps.DeleteFunc(members, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	return members, nil
}

// pickLanguage decides which oracle answers.
func (p *parser) pickLanguage(raw json.RawMessage) (Language, *ToolError) {
	if raw == nil {
		if p.mode.only != "" {
			return p.mode.only, nil
		}
		return "", p.refuse("language is missing; it is one of %s", supportedSet())
	}
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return "", p.refuse("language is %s, not a string", found(raw))
	}
	language := Language(name)
	switch {
	case !language.Known():
		return "", unsupportedLanguage(language)
	case p.mode.only != "" && language != p.mode.only:
		return "", p.wrongServer(language)
	}
	return language, nil
}

// values checks every argument against the table.
func (p *parser) values(members map[string]json.RawMessage) (values, *ToolError) {
	known := p.mode.arguments(p.tool)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.ContainsFunc(known, func(a argument) bool { return a.name == name }) {
			return nil, p.refuseUnknown(name, known)
		}
	}
	v := make(values, len(members))
	for _, a := range known {
		raw, ok := members[a.name]
		if !ok {
			if a.required {
				return nil, p.refuse("%s is missing", a.name)
			}
			continue
		}
		value, problem := a.value(raw)
		if problem != "" {
			return nil, p.refuse("%s", problem)
		}
		v[a.name] = value
	}
	return v, nil
}

// value decodes one argument; problem says why it cannot.
func (a argument) value(raw json.RawMessage) (value any, problem string) {
	switch a.kind {
	case textArgument:
		if a.verbatim {
			if raw[0] != '"' {
				return nil, fmt.Sprintf("%s is %s, not a string", a.name, found(raw))
			}
			return raw, ""
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return nil, fmt.Sprintf("%s is %s, not a string", a.name, found(raw))
		}
		if a.nonEmpty && strings.TrimSpace(s) == "" {
			return nil, a.name + " is empty"
		}
		if len(a.enum) > 0 && !slices.Contains(a.enum, s) {
			return nil, fmt.Sprintf("%s is %s, not one of %s", a.name, found(raw), strings.Join(a.enum, ", "))
		}
		return s, ""
	case wholeArgument:
		n, ok := wholeNumber(raw)
		if !ok || n < a.min || n > a.max {
			return nil, fmt.Sprintf("%s is %s, not a whole number from %d to %d", a.name, found(raw), a.min, a.max)
		}
		return n, ""
	case flagArgument:
		var b bool
		if json.Unmarshal(raw, &b) != nil {
			return nil, fmt.Sprintf("%s is %s, not true or false", a.name, found(raw))
		}
		return b, ""
	default:
		at, ok := parsePosition(raw)
		if !ok {
			return nil, fmt.Sprintf(`%s is %s, not {"line": L, "character": C} or "L:C" with whole numbers, line from 1 and character from 0`, a.name, found(raw))
		}
		return at, ""
	}
}

// parsePosition reads both forms of a position.
func parsePosition(raw json.RawMessage) (oracleproto.Position, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		at, err := oracleproto.ParsePosition(s)
		return at, err == nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || len(members) != 2 {
		return oracleproto.Position{}, false
	}
	line, okLine := wholeNumber(members["line"])
	character, okCharacter := wholeNumber(members["character"])
	return oracleproto.Position{Line: line, Character: character},
		okLine && okCharacter && line >= 1 && character >= 0
}

// wholeNumber reads a JSON number without a fraction. 3.0 is one: some hosts
// keep every number as a float.
func wholeNumber(raw json.RawMessage) (int, bool) {
	var n float64
	if len(raw) == 0 || json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return 0, false
	}
	return int(n), true
}

// found shows what was given instead, in a few words.
func found(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "the object " + clip(raw)
	case '[':
		return "a list"
	case '"':
		return "the string " + clip(raw)
	case 't', 'f', 'n':
		return clip(raw)
	}
	return "the number " + clip(raw)
}

// clip shortens a value for a message.
func clip(raw json.RawMessage) string {
	const most = 60
	s := strings.ToValidUTF8(string(raw), "\uFFFD")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
