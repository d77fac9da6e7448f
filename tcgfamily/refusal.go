package tcgfamily

import (
	"encoding/json"
	"fmt"
	"strings"

	"vibevm.org/tcgfamily/answer"
	"vibevm.org/tcgfamily/oracleproto"
)

// refuse is the failure for arguments that cannot be accepted, with a call
// that would be.
func (p *parser) refuse(format string, args ...any) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindBadArguments,
		Detail: fmt.Sprintf(format, args...),
		Recipe: fmt.Sprintf("call %s with arguments like %s", p.tool.name, p.example()),
	}
}

// refuseUnknown names the argument that was probably meant.
func (p *parser) refuseUnknown(name string, known []argument) *ToolError {
	var names []string
	for _, a := range known {
		names = append(names, a.name)
	}
	hint := "it takes " + strings.Join(names, ", ")
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return p.refuse("%s has no argument %.40q; %s", p.tool.name, name, hint)
}

// wrongServer names the server for a language that this one does not serve.
func (p *parser) wrongServer(asked Language) *ToolError {
	served := p.mode.only
	return &ToolError{
		Kind:   oracleproto.KindLanguageMismatch,
		Detail: fmt.Sprintf("this is %s, which answers for %s only, not for %s", served.Server(), served, asked),
		Recipe: fmt.Sprintf("add the MCP server %s to the agent's configuration and call its %s", asked.Server(), p.tool.name),
	}
}

// example is a small valid arguments object for the tool.
func (p *parser) example() json.RawMessage {
	language := p.language
	if language == "" {
		language = p.mode.languages()[0]
	}
	sample := languages[language].sample
	e := struct {
		Language Language              `json:"language,omitempty"`
		File     string                `json:"file"`
		Position *oracleproto.Position `json:"position,omitempty"`
		Content  string                `json:"content"`
	}{File: sample.file, Content: sample.content}
	if p.mode.only == "" {
		e.Language = language
	}
	if p.tool.op != oracleproto.OpValidate {
		e.Position = &oracleproto.Position{Line: 1, Character: sample.character}
	}
	return answer.Encode(e)
}

// unknownTool is the failure for a tool the family does not have.
func unknownTool(name string) *ToolError {
	var names []string
	for _, t := range tools() {
		names = append(names, t.name)
	}
	return &ToolError{
		Kind:   oracleproto.KindBadArguments,
		Detail: fmt.Sprintf("there is no tool %.40q", name),
		Recipe: "call one of " + strings.Join(names, ", "),
	}
}

// synonyms are argument names of comparable tools and protocols, by what they
// are called here.
var synonyms = map[string]string{
	"path": "file", "filepath": "file", "filename": "file", "uri": "file",
	"code": "content", "source": "content", "text": "content", "contents": "content",
	"line": "position", "character": "position", "column": "position", "offset": "position", "cursor": "position",
	"limit": "max", "count": "max", "query": "prefix", "lang": "language", "languageid": "language",
}

// nearest is the known name that an unknown one probably means, or "".
func nearest(name string, known []string) string {
	folded := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	if meant := synonyms[folded]; meant != "" {
		for _, k := range known {
			if k == meant {
				return k
			}
		}
	}
	best, bestDistance := "", 3 // two slips at most
	for _, k := range known {
		if len(folded) > 2*len(k) {
			continue // also keeps the distance cheap for absurd names
		}
		if d := editDistance(folded, k); d < bestDistance && d < len(k) {
			best, bestDistance = k, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
