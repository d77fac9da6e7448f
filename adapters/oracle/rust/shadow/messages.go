package shadow

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"vibevm.org/tcgfamily/oracleproto"
)

// cargoMessage is a line of `cargo check --message-format=json`; see the
// chapter External Tools of The Cargo Book.
type cargoMessage struct {
	Reason       string `json:"reason"`
	PackageID    string `json:"package_id"`
	ManifestPath string `json:"manifest_path"`
	Target       struct {
		Kind    []string `json:"kind"`
		Name    string   `json:"name"`
		SrcPath string   `json:"src_path"`
	} `json:"target"`
	Message   *rustcMessage `json:"message"` // compiler-message
	Filenames []string      `json:"filenames"`
	Profile   struct {
		Test bool `json:"test"`
	} `json:"profile"`
	OutDir  string `json:"out_dir"` // build-script-executed
	Success bool   `json:"success"` // build-finished
}

// rustcMessage is a diagnostic of rustc; see the chapter JSON Output of The
// rustc book.
type rustcMessage struct {
	Message string `json:"message"`
	Code    *struct {
		Code string `json:"code"`
	} `json:"code"`
	Level    string         `json:"level"`
	Spans    []rustcSpan    `json:"spans"`
	Children []rustcMessage `json:"children"`
}

// rustcSpan is a place. Lines and columns are 1-based, columns count
// characters, the end is exclusive.
type rustcSpan struct {
	FileName    string `json:"file_name"`
	LineStart   int    `json:"line_start"`
	LineEnd     int    `json:"line_end"`
	ColumnStart int    `json:"column_start"`
	ColumnEnd   int    `json:"column_end"`
	IsPrimary   bool   `json:"is_primary"`
	Label       string `json:"label"`
	// Text are the lines of the place as they were compiled.
	Text []struct {
		Text string `json:"text"`
	} `json:"text"`
	SuggestedReplacement *string `json:"suggested_replacement"`
	Expansion            *struct {
		Span rustcSpan `json:"span"`
	} `json:"expansion"`
}

// isError reports errors, the compiler's own failures included.
func (m *rustcMessage) isError() bool { return strings.HasPrefix(m.Level, "error") }

// isSummary reports the lines that only count other messages.
func (m *rustcMessage) isSummary() bool {
	return m.Level == "failure-note" || len(m.Spans) == 0 && m.Code == nil &&
		(strings.HasPrefix(m.Message, "aborting due to ") || strings.HasSuffix(m.Message, " emitted"))
}

// mostRelated bounds the related places of a diagnostic.
const mostRelated = 4

// diagnostic is the message for the place that is its own.
func (m *rustcMessage) diagnostic(at *rustcSpan, file func(rustcSpan) string) oracleproto.Diagnostic {
	d := oracleproto.Diagnostic{Category: "error", Message: m.Message}
	if !m.isError() {
		d.Category = "warning"
	}
	if m.Code != nil {
		d.Code = oracleproto.TextCode(m.Code.Code)
	}
	if at != nil {
		d.Line, d.Character = at.start()
		d.EndLine, d.EndCharacter = at.end()
	}
	if primary := m.primary(); primary != nil && primary.Label != "" {
		d.Message += indented(primary.Label)
	}
	d.Message += m.help()
	add := func(span rustcSpan, text string) {
		if len(d.Related) < mostRelated && text != "" {
			line, character := span.start()
			d.Related = append(d.Related, oracleproto.Related{File: file(span), Line: line, Character: character, Message: text})
		}
	}
	for _, span := range m.Spans {
		if !span.IsPrimary {
			add(span, span.Label)
		}
	}
	if primary := m.primary(); primary != nil && primary.Expansion != nil {
		if call := primary.outermost(); at != nil && call.LineStart != at.LineStart {
			add(*call, "in this macro invocation")
		} else if at != nil && (primary.LineStart != at.LineStart || primary.FileName != at.FileName) {
			add(*primary, "in the text of the macro")
		}
	}
	for _, child := range m.Children {
		if child.Level == "note" && len(child.Spans) > 0 {
			add(child.Spans[0], child.Message)
		}
	}
	return d
}

// primary is the first place the message is about.
func (m *rustcMessage) primary() *rustcSpan {
	i := slices.IndexFunc(m.Spans, func(s rustcSpan) bool { return s.IsPrimary })
	if i < 0 {
		return nil
	}
	return &m.Spans[i]
}

// help is the first help, else the first note that is not only about where a
// lint level was set, as a further line; empty when there is none.
func (m *rustcMessage) help() string {
	for _, level := range []string{"help", "note"} {
		for _, child := range m.Children {
			if child.Level != level || strings.HasPrefix(child.Message, "`#[") || strings.HasPrefix(child.Message, "`-") {
				continue
			}
			text := level + ": " + child.Message
			if len(child.Spans) == 1 && child.Spans[0].SuggestedReplacement != nil {
				if replacement := strings.TrimSpace(*child.Spans[0].SuggestedReplacement); replacement != "" {
					text += ": `" + replacement + "`"
				}
			}
			return indented(text)
		}
	}
	return ""
}

func indented(text string) string {
	return "\n  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// outermost is the place in the source where the expansion began that the
// span lies in; the span itself outside of macros.
func (s *rustcSpan) outermost() *rustcSpan {
	for s.Expansion != nil {
		s = &s.Expansion.Span
	}
	return s
}

// start is the beginning as a position of the protocol.
func (s *rustcSpan) start() (line, character int) {
	if len(s.Text) == 0 {
		return s.LineStart, max(s.ColumnStart-1, 0)
	}
	return s.LineStart, units(s.Text[0].Text, s.ColumnStart-1)
}

// end is the end as a position of the protocol.
func (s *rustcSpan) end() (line, character int) {
	if len(s.Text) == 0 {
		return s.LineEnd, max(s.ColumnEnd-1, 0)
	}
	return s.LineEnd, units(s.Text[len(s.Text)-1].Text, s.ColumnEnd-1)
}

// units is the length of the first n characters of a line in UTF-16. Places at
// the end of a file are one character past the end of its last line.
func units(line string, n int) int {
	var length int
	for ; n > 0 && line != ""; n-- {
		r, size := utf8.DecodeRuneInString(line)
		length += utf16.RuneLen(r)
		line = line[size:]
	}
	return length
}
