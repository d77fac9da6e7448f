package answer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/answer"
	"vibevm.org/tcgfamily/oracleproto"
)

var (
	compiler = oracleproto.Meta{
		Verdict:    oracleproto.VerdictClean,
		Engine:     &oracleproto.Engine{Name: "typescript", Version: "7.0.2"},
		Coverage:   oracleproto.CoverageCompiler,
		Source:     oracleproto.SourceContent,
		ConfigFile: "tsconfig.json",
		ElapsedMS:  12.34,
	}
	notJudged = func() oracleproto.Meta {
		m := compiler
		m.Verdict, m.Reason = oracleproto.VerdictUnknown, oracleproto.ReasonNotChecked
		m.Coverage = oracleproto.CoverageNone
		return m
	}()
)

func question(op string) answer.Question {
	return answer.Question{
		Tool: "tcg_" + op, Op: op, Language: "typescript", File: "src/x.ts", Inline: true,
		Position: &oracleproto.Position{Line: 3, Character: 14},
	}
}

// clean is a validation without anything to report.
func clean() oracleproto.ValidateResult {
	return oracleproto.ValidateResult{
		Meta: compiler, File: "src/x.ts",
		Diagnostics:     []oracleproto.Diagnostic{},
		ConformFindings: []oracleproto.Finding{},
		Advice:          []string{},
		Facts:           []json.RawMessage{},
		Markers:         []json.RawMessage{},
	}
}

func diagnostic(code int, category, message string, line int) oracleproto.Diagnostic {
	return oracleproto.Diagnostic{
		Code: oracleproto.NumberCode(code), Category: category, Message: message,
		Line: line, Character: 14, EndLine: line, EndCharacter: 17,
	}
}

// broken is a validation with one of everything.
func broken() oracleproto.ValidateResult {
	r := clean()
	r.Verdict = oracleproto.VerdictErrors
	mismatch := diagnostic(2322, "error", "Type 'A' is not assignable to type 'B'.\n  Property 'x' is missing.", 3)
	mismatch.Related = []oracleproto.Related{{File: "src/b.ts", Line: 9, Character: 2, Message: "'x' is declared here."}}
	r.Diagnostics = []oracleproto.Diagnostic{
		diagnostic(6133, "warning", "'y' is declared but never used.", 1),
		mismatch,
		{Code: oracleproto.TextCode("E0308"), Category: "error", Message: "mismatched types", Line: 7},
	}
	r.ProjectErrors = []oracleproto.Diagnostic{{Code: oracleproto.NumberCode(5023), Category: "error", Message: "Unknown compiler option 'foo'."}}
	r.ConformFindings = []oracleproto.Finding{
		{Rule: "cell-isolation", Message: "violates REQ a", Line: 2},
		{Rule: "unsafe", Message: "violates REQ b", Line: 4},
		{Rule: "cell-isolation", Message: "violates REQ c", Line: 6, Baselined: true},
	}
	r.Advice = []string{"prefer unknown"}
	r.Markers = []json.RawMessage{json.RawMessage(`{"tag":"implements","uri":"spec://x","reason":null,"line":1}`)}
	r.Facts = []json.RawMessage{json.RawMessage(`{"fact":"item","kind":"const","symbol":"r","line":1,"is_exported":true}`)}
	r.Degraded = true
	return r
}

func render(t *testing.T, q answer.Question, result any) answer.Answer {
	t.Helper()
	raw, err := json.Marshal(result)
	require.NoError(t, err)
	a, err := answer.Render(q, raw)
	require.NoError(t, err)
	return a
}

func TestValidateText(t *testing.T) {
	broken := broken()
	broken.Degraded = false
	overlay := clean()
	overlay.Source, overlay.ConfigFile, overlay.Coverage, overlay.ElapsedMS = oracleproto.SourceOverlay, "", oracleproto.CoverageNative, 0.349
	unknown := clean()
	unknown.Verdict, unknown.Reason = oracleproto.VerdictUnknown, oracleproto.ReasonNotInProject
	unknown.Diagnostics = []oracleproto.Diagnostic{diagnostic(2304, "error", "Cannot find name 'z'.", 1)}

	half := clean()
	half.Verdict, half.Reason = oracleproto.VerdictUnknown, oracleproto.ReasonWarming

	for name, tt := range map[string]struct {
		result oracleproto.ValidateResult
		inline bool
		want   string
	}{
		"clean": {clean(), true, "clean: no errors in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms)"},
		"other origin": {
			overlay, false,
			"clean: no errors in src/x.ts (typescript 7.0.2, standing overlay, coverage native, 0.3 ms)",
		},
		"unknown with diagnostics": {
			unknown, true,
			"unknown (not-in-project): 1 error seen in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms); " +
				"no project configuration covers this file, so this is no verdict on it inside the project\n" +
				"1:14 error TS2304: Cannot find name 'z'.",
		},
		"unknown without diagnostics": {
			half, true,
			"unknown (warming): no errors seen in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms); " +
				"the typescript oracle is still starting and goes on doing so: call tcg_validate again",
		},
		"everything": {
			broken, true,
			`errors: 2 errors, 1 warning, 1 project error, 2 policy findings, 1 finding in the baseline in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms)
project error TS5023: Unknown compiler option 'foo'.
finding cell-isolation:
  2: violates REQ a
  6: violates REQ c [baselined]
finding unsafe:
  4: violates REQ b
3:14 error TS2322: Type 'A' is not assignable to type 'B'.
      Property 'x' is missing.
    see src/b.ts:9:2: 'x' is declared here.
7:0 error E0308: mismatched types
1:14 warning TS6133: 'y' is declared but never used.
advice: prefer unknown
marker tag=implements uri=spec://x reason=null line=1
fact fact=item kind=const symbol=r line=1 is_exported=true`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := question(oracleproto.OpValidate)
			q.Inline = tt.inline
			assert.Equal(t, tt.want, render(t, q, tt.result).Text)
		})
	}
}

func TestListingText(t *testing.T) {
	scope := oracleproto.ScopeResult{
		Meta: notJudged, File: "src/x.ts",
		Symbols: []oracleproto.Symbol{{Name: "taxOf", Kind: "function", TypeText: "(n: number) => number"}, {Name: "Cart", Kind: "class"}},
		Globals: []string{"Array", "Object"},
		Cell:    new("tax"), SeamFile: new("src/cells/tax/index.ts"),
		Branded: []oracleproto.Branded{{Name: "Cents", Seam: "src/money.ts", Heuristic: true}},
		Advice:  []string{"look at the seam"},
	}
	complete := oracleproto.CompleteResult{
		Meta: notJudged, File: "src/x.ts", Total: 312,
		Entries: []oracleproto.Entry{{Name: "push", Kind: "method", TypeText: "(...items: T[]) => number"}, {Name: "raw", Kind: "property", TypeText: "any", Unsafe: true}},
	}
	typed := oracleproto.TypeResult{Meta: notJudged, File: "src/x.ts", Display: "const x: {\n    a: 1;\n}", Documentation: "The x.\n\nSee y."}
	blank := oracleproto.TypeResult{Meta: notJudged, File: "src/x.ts"}
	incomplete := complete
	incomplete.Reason = oracleproto.ReasonNotInProject
	prefixed := question(oracleproto.OpComplete)
	prefixed.Prefix = "pu"

	for name, tt := range map[string]struct {
		q      answer.Question
		result any
		want   string
	}{
		"scope": {question(oracleproto.OpScope), scope, `scope: 2 names and 2 globals at 3:14 in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms)
advice: look at the seam
cell: tax
seam file: src/cells/tax/index.ts
taxOf function: (n: number) => number
Cart class
branded Cents in src/money.ts (heuristic)
globals: Array, Object`},
		"complete": {prefixed, complete, `complete: 2 of 312 entries for prefix "pu" at 3:14 in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms)
push method: (...items: T[]) => number
raw property: any [unsafe]
310 more match; give a longer prefix or a larger max`},
		"complete with trouble": {question(oracleproto.OpComplete), incomplete, `unknown (not-in-project): this answer may be incomplete; no project configuration covers this file, so this is no verdict on it inside the project
complete: 2 of 312 entries at 3:14 in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms)
push method: (...items: T[]) => number
raw property: any [unsafe]
310 more match; give a longer prefix or a larger max`},
		"type": {question(oracleproto.OpType), typed, `type: symbol at 3:14 in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms)
const x: {
    a: 1;
}
documentation:
The x.

See y.`},
		"nothing there": {question(oracleproto.OpType), blank, `type: no symbol at 3:14 in src/x.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 12 ms)`},
	} {
		t.Run(name, func(t *testing.T) {
			a := render(t, tt.q, tt.result)
			assert.Equal(t, tt.want, a.Text)
			assert.False(t, a.IsError)
		})
	}
}

// Hosts that show only one of the two forms must not miss a fact of the other.
func TestTextAndTwinCarryTheSameFacts(t *testing.T) {
	a := render(t, question(oracleproto.OpValidate), broken())
	var twin oracleproto.ValidateResult
	require.NoError(t, json.Unmarshal(a.Structured, &twin))

	has := func(format string, args ...any) {
		t.Helper()
		assert.Contains(t, a.Text, fmt.Sprintf(format, args...))
	}
	has("%s: ", twin.Verdict)
	has("%s (%s %s, hypothetical content, %s, ", twin.File, twin.Engine.Name, twin.Engine.Version, twin.ConfigFile)
	require.Len(t, twin.Diagnostics, 3)
	for _, d := range append(twin.Diagnostics, twin.ProjectErrors...) {
		if d.Line > 0 {
			has("%d:%d %s ", d.Line, d.Character, d.Category)
		}
		has("%s: %s", d.Code, strings.ReplaceAll(d.Message, "\n", "\n    "))
		for _, r := range d.Related {
			has("%s:%d:%d: %s", r.File, r.Line, r.Character, r.Message)
		}
	}
	require.Len(t, twin.ConformFindings, 3)
	for _, f := range twin.ConformFindings {
		has("finding %s:", f.Rule)
		has("%d: %s", f.Line, f.Message)
	}
	require.Len(t, twin.Advice, 1)
	has("advice: %s", twin.Advice[0])
	require.Len(t, append(twin.Facts, twin.Markers...), 2)
	for _, raw := range append(twin.Facts, twin.Markers...) {
		var members map[string]any
		require.NoError(t, json.Unmarshal(raw, &members))
		for k, v := range members {
			if v != nil {
				has("%s=%v", k, v)
			}
		}
	}
	has("degraded")

	// And the other way round: no line of the text is without a counterpart.
	assert.Equal(t, broken().Degraded, twin.Degraded)
	assert.Len(t, strings.Split(a.Text, "\n"), 16)
}

func TestEnrichedFieldsAreAlwaysThere(t *testing.T) {
	for op, fields := range map[string][]string{
		oracleproto.OpValidate: {"diagnostics", "conform_findings", "advice", "facts", "markers"},
		oracleproto.OpScope:    {"symbols", "branded", "advice"},
		oracleproto.OpComplete: {"entries", "advice"},
		oracleproto.OpType:     {"advice"},
	} {
		t.Run(op, func(t *testing.T) {
			a := answer.Unanswered(question(op), oracleproto.ReasonWarming, time.Second)
			var twin map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(a.Structured, &twin))
			for _, field := range fields {
				assert.Equal(t, "[]", string(twin[field]), field)
			}
			for field, want := range map[string]string{
				"verdict": `"unknown"`, "reason": `"warming"`, "engine": "null", "coverage": `"none"`,
				"source": `"content"`, "config_file": `""`, "elapsed_ms": "1000", "file": `"src/x.ts"`,
			} {
				assert.Equal(t, want, string(twin[field]), field)
			}
			assert.NotContains(t, twin, "truncated")
			assert.True(t, strings.HasPrefix(string(a.Structured), `{"verdict":"unknown"`), "the verdict comes first: %.60s", a.Structured)
			assert.Contains(t, a.Text, "unknown (warming)")
			assert.Contains(t, a.Text, "call tcg_"+op+" again")
			assert.False(t, a.IsError)
		})
	}
}

func TestIsError(t *testing.T) {
	change := func(change func(r *oracleproto.ValidateResult)) oracleproto.ValidateResult {
		r := clean()
		change(&r)
		return r
	}
	unknown := func(r *oracleproto.ValidateResult) {
		r.Verdict, r.Reason = oracleproto.VerdictUnknown, oracleproto.ReasonProjectBroken
	}
	for name, tt := range map[string]struct {
		result oracleproto.ValidateResult
		want   bool
	}{
		"clean": {clean(), false},
		"error": {change(func(r *oracleproto.ValidateResult) {
			r.Verdict = oracleproto.VerdictErrors
			r.Diagnostics = append(r.Diagnostics, diagnostic(1, "error", "m", 1))
		}), true},
		"warning": {change(func(r *oracleproto.ValidateResult) {
			r.Diagnostics = append(r.Diagnostics, diagnostic(1, "warning", "m", 1))
		}), false},
		"finding": {change(func(r *oracleproto.ValidateResult) {
			r.ConformFindings = append(r.ConformFindings, oracleproto.Finding{Rule: "r"})
		}), true},
		"finding in the baseline": {change(func(r *oracleproto.ValidateResult) {
			r.ConformFindings = append(r.ConformFindings, oracleproto.Finding{Rule: "r", Baselined: true})
		}), false},
		"unknown": {change(unknown), false},
		"unknown with a diagnostic": {change(func(r *oracleproto.ValidateResult) {
			unknown(r)
			r.Diagnostics = append(r.Diagnostics, diagnostic(1, "error", "m", 1))
		}), false},
		"broken project": {change(func(r *oracleproto.ValidateResult) {
			unknown(r)
			r.ProjectErrors = append(r.ProjectErrors, diagnostic(1, "error", "m", 1))
		}), false},
		"file outside every project": {change(func(r *oracleproto.ValidateResult) {
			r.Verdict, r.Reason = oracleproto.VerdictUnknown, oracleproto.ReasonNotInProject
			r.Diagnostics = append(r.Diagnostics, diagnostic(1, "error", "m", 1))
		}), false},
		"unknown with a finding": {change(func(r *oracleproto.ValidateResult) {
			unknown(r)
			r.ConformFindings = append(r.ConformFindings, oracleproto.Finding{Rule: "r"})
		}), true},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, render(t, question(oracleproto.OpValidate), tt.result).IsError)
		})
	}
}

func TestFailureIsCompleteTwice(t *testing.T) {
	a := answer.Failure(question(oracleproto.OpValidate), &oracleproto.Error{
		Kind: oracleproto.KindTypeScriptMissing, Detail: "no typescript is installed", Recipe: "npm install -D typescript",
	})
	assert.True(t, a.IsError)
	assert.Equal(t, "tcg_validate failed: typescript-unresolvable: no typescript is installed\nfix: npm install -D typescript", a.Text)
	assert.JSONEq(t, `{"verdict":"unknown","reason":"typescript-unresolvable","coverage":"none",
		"error":{"kind":"typescript-unresolvable","detail":"no typescript is installed","recipe":"npm install -D typescript"}}`, string(a.Structured))
}
