package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// report is a text under construction, one line at a time.
type report struct{ strings.Builder }

func (r *report) line(format string, args ...any) {
	fmt.Fprintf(r, format, args...)
	r.WriteByte('\n')
}

// finish adds what was left out and returns the text.
func (r *report) finish(left omission) string {
	if len(left.Truncated) > 0 {
		var counts []string
		for _, kind := range slices.Sorted(maps.Keys(left.Truncated)) {
			counts = append(counts, fmt.Sprintf("%s %d", strings.ReplaceAll(kind, "_", " "), left.Truncated[kind]))
		}
		r.line("left out to stay within the budget: %s; for the rest %s", strings.Join(counts, ", "), left.Rest)
	}
	return strings.TrimSuffix(r.String(), "\n")
}

// seal joins a text and its twin.
func seal(r *report, left omission, twin any, isError bool) Answer {
	return Answer{Text: r.finish(left), Structured: Encode(twin), IsError: isError}
}

// Encode writes JSON without HTML escapes: a model reads Array<string> better
// than its escaped form. It panics on a value that has none.
func Encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// Only an invalid raw message can do this, and those are decoded ones.
		panic(fmt.Sprintf("answer: encode: %v", err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// origin is the parenthesis of a headline: which compiler answered about which
// text under which configuration, and how long it took.
func origin(m *oracleproto.Meta) string {
	var parts []string
	if m.Engine != nil {
		parts = append(parts, strings.TrimSpace(m.Engine.Name+" "+m.Engine.Version))
	}
	switch m.Source {
	case oracleproto.SourceContent:
		parts = append(parts, "hypothetical content")
	case oracleproto.SourceOverlay:
		parts = append(parts, "standing overlay")
	case oracleproto.SourceDisk:
		parts = append(parts, "text on disk")
	default:
		parts = append(parts, "source "+string(m.Source))
	}
	if m.ConfigFile != "" {
		parts = append(parts, m.ConfigFile)
	}
	switch m.Coverage {
	case oracleproto.CoverageCompiler: // goes without saying
	case oracleproto.CoverageNone: // the headline says it when it matters
	default:
		parts = append(parts, "coverage "+string(m.Coverage))
	}
	parts = append(parts, milliseconds(m.ElapsedMS))
	return "(" + strings.Join(parts, ", ") + ")"
}

// milliseconds shows tenths below 10 ms.
func milliseconds(ms float64) string {
	if ms < 10 {
		ms = math.Round(ms*10) / 10
	} else {
		ms = math.Round(ms)
	}
	return strconv.FormatFloat(ms, 'g', 10, 64) + " ms"
}

// cutMeta passes the texts of the common part through the cutter.
func cutMeta(m oracleproto.Meta, c *cutter) oracleproto.Meta {
	if m.Engine != nil {
		m.Engine = &oracleproto.Engine{Name: c.text(m.Engine.Name), Version: c.text(m.Engine.Version)}
	}
	m.Reason = oracleproto.Reason(c.text(string(m.Reason)))
	m.Coverage = oracleproto.Coverage(c.text(string(m.Coverage)))
	m.Source = oracleproto.Source(c.text(string(m.Source)))
	m.ConfigFile = c.text(m.ConfigFile)
	return m
}

// unknownLine explains an unknown verdict; subject is what was not judged.
func unknownLine(q Question, reason oracleproto.Reason, subject string) string {
	return fmt.Sprintf("unknown (%s): %s; %s", reason, subject, explain(q, reason))
}

// explain says what a reason means for the caller and what to do about it.
func explain(q Question, reason oracleproto.Reason) string {
	switch reason {
	case oracleproto.ReasonWarming:
		return fmt.Sprintf("the %s oracle is still starting and goes on doing so: call %s again", q.Language, q.Tool)
	case oracleproto.ReasonTimeout:
		return fmt.Sprintf("the %s oracle did not answer in time and is still running: call %s again", q.Language, q.Tool)
	case oracleproto.ReasonNotInProject:
		return "no project configuration covers this file, so this is no verdict on it inside the project"
	case oracleproto.ReasonOverlayUnseen:
		return "the compiler may not see another hypothetical file that this one needs"
	case oracleproto.ReasonProjectBroken:
		return "the project's configuration has errors, which come first"
	case oracleproto.ReasonOracleCrashed:
		return fmt.Sprintf("the %s oracle died", q.Language)
	}
	return "nothing vouches for this code"
}

// atPosition is "at LINE:CHARACTER in", or "in" for no position.
func atPosition(p *oracleproto.Position) string {
	if p == nil {
		return "in"
	}
	return fmt.Sprintf("at %d:%d in", p.Line, p.Character)
}

// hang indents the lines of a text after the first.
func hang(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }

// count is "1 error", "2 errors", or "no errors".
func count(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func writeAdvice(r *report, advice []string) {
	for _, a := range advice {
		r.line("advice: %s", hang(a))
	}
}
