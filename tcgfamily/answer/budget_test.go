package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

// onTheWire is the whole result of a tool call as a Go host would write it,
// the widest form there is of it.
func onTheWire(t *testing.T, a Answer) []byte {
	t.Helper()
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	b, err := json.Marshal(struct {
		Content    []content       `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}{[]content{{"text", a.Text}}, a.Structured, a.IsError})
	require.NoError(t, err)
	return b
}

// checkBudget asserts what holds for every answer.
func checkBudget(t *testing.T, q Question, a Answer) {
	t.Helper()
	budget := q.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	wire := onTheWire(t, a)
	assert.Less(t, len(wire), budget, "the answer is over its budget")
	assert.InDelta(t, len(wire), a.size(), 1, "the answer is not as large as it was taken for") // true or false
	assert.True(t, json.Valid(a.Structured))
	assert.True(t, utf8.Valid(a.Structured) && utf8.ValidString(a.Text), "not UTF-8")
	var twin struct {
		Verdict   oracleproto.Verdict
		Truncated map[string]int
		Rest      string
	}
	require.NoError(t, json.Unmarshal(a.Structured, &twin))
	assert.Equal(t, len(twin.Truncated) > 0, twin.Rest != "")
	assert.Equal(t, len(twin.Truncated) > 0, strings.Contains(a.Text, "left out to stay within the budget: "))
	assert.Contains(t, a.Text, twin.Rest)
	for kind, n := range twin.Truncated {
		assert.Positive(t, n, kind)
	}
}

func renderResult(t *testing.T, q Question, result any) Answer {
	t.Helper()
	raw, err := json.Marshal(result)
	require.NoError(t, err)
	a, err := Render(q, raw)
	require.NoError(t, err)
	return a
}

var judged = oracleproto.Meta{
	Verdict: oracleproto.VerdictErrors, Engine: &oracleproto.Engine{Name: "typescript", Version: "7.0.2"},
	Coverage: oracleproto.CoverageCompiler, Source: oracleproto.SourceDisk, ConfigFile: "tsconfig.json", ElapsedMS: 12,
}

func ask(op string) Question {
	return Question{Tool: "tcg_" + op, Op: op, Language: "typescript", File: "src/x.ts"}
}

func manyErrors(n, codes int) oracleproto.ValidateResult {
	r := oracleproto.ValidateResult{Meta: judged, File: "src/x.ts"}
	for i := range n {
		r.Diagnostics = append(r.Diagnostics, oracleproto.Diagnostic{
			Code: oracleproto.NumberCode(2300 + i%codes), Category: "error", Line: i + 1, EndLine: i + 1, EndCharacter: 5,
			Message: fmt.Sprintf("Type 'Map<string, %d>' is not assignable to type 'number'.", i),
		})
	}
	return r
}

func TestFiveThousandErrors(t *testing.T) {
	q := ask(oracleproto.OpValidate)
	a := renderResult(t, q, manyErrors(5000, 7))
	checkBudget(t, q, a)
	assert.True(t, strings.HasPrefix(a.Text, "errors: 5000 errors in src/x.ts "), a.Text)
	var twin validated
	require.NoError(t, json.Unmarshal(a.Structured, &twin))
	assert.Greater(t, len(twin.Diagnostics), 20, "room is left unused")
	assert.Equal(t, 5000, len(twin.Diagnostics)+twin.Truncated["errors"])
	assert.Equal(t, "call again with a larger budget, at most 200000", twin.Rest)
	assert.IsIncreasing(t, lines(twin.Diagnostics))

	q.Budget = 100_000
	more := renderResult(t, q, manyErrors(5000, 7))
	checkBudget(t, q, more)
	assert.Greater(t, len(onTheWire(t, more)), 99_000)
}

func lines(list []oracleproto.Diagnostic) []int {
	var n []int
	for _, d := range list {
		n = append(n, d.Line)
	}
	return n
}

// The first error of every code tells of a cause of its own; it stays when its
// followers go, wherever it stands.
func TestFirstErrorOfEachCodeStays(t *testing.T) {
	r := manyErrors(500, 1)
	last := r.Diagnostics[499]
	last.Code, last.Line = oracleproto.NumberCode(9999), 500
	r.Diagnostics[499] = last
	a := renderResult(t, ask(oracleproto.OpValidate), r)
	assert.Contains(t, a.Text, "\n500:0 error TS9999: ")
	assert.Contains(t, a.Text, "\n1:0 error TS2300: ")
}

// A budget that the hint names must be enough.
func TestHintedBudgetHoldsEverything(t *testing.T) {
	q := ask(oracleproto.OpValidate)
	a := renderResult(t, q, manyErrors(60, 3))
	var twin validated
	require.NoError(t, json.Unmarshal(a.Structured, &twin))
	require.NotEmpty(t, twin.Truncated)
	_, err := fmt.Sscanf(twin.Rest, "call again with budget %d", &q.Budget)
	require.NoError(t, err, twin.Rest)
	twin = validated{}
	require.NoError(t, json.Unmarshal(renderResult(t, q, manyErrors(60, 3)).Structured, &twin))
	assert.Empty(t, twin.Truncated)
	assert.Len(t, twin.Diagnostics, 60)
}

// What matters least goes first, at every budget.
func TestOrderOfImportance(t *testing.T) {
	r := manyErrors(40, 4)
	for i := range 10 {
		r.Diagnostics = append(r.Diagnostics, oracleproto.Diagnostic{Code: oracleproto.NumberCode(6133), Category: "warning", Line: i + 1, Message: "unused"})
		r.Markers = append(r.Markers, json.RawMessage(fmt.Sprintf(`{"tag":"implements","line":%d}`, i)))
		r.Facts = append(r.Facts, json.RawMessage(fmt.Sprintf(`{"fact":"item","line":%d}`, i)))
	}
	shown := func(budget int) []int {
		q := ask(oracleproto.OpValidate)
		q.Budget = budget
		a := renderResult(t, q, r)
		checkBudget(t, q, a)
		var twin validated
		require.NoError(t, json.Unmarshal(a.Structured, &twin))
		codes := make(map[string]bool)
		n := make([]int, 5)
		for _, d := range twin.Diagnostics {
			switch {
			case d.Category == "warning":
				n[2]++
			case codes[d.Code.String()]:
				n[1]++
			default:
				codes[d.Code.String()] = true
				n[0]++
			}
		}
		n[3], n[4] = len(twin.Markers), len(twin.Facts)
		return n
	}
	all := []int{4, 36, 10, 10, 10} // first errors, other errors, warnings, markers, facts
	var seen [][]int
	for budget := MinBudget; budget < 40_000; budget += 250 {
		n := shown(budget)
		for class := 1; class < len(n); class++ {
			if n[class] > 0 {
				require.Equal(t, all[:class], n[:class], "budget %d shows %v", budget, n)
			}
		}
		seen = append(seen, n)
	}
	assert.Equal(t, all, seen[len(seen)-1])
	assert.Less(t, seen[0][1], all[1])
}

func TestLongTextsDoNotCrowdOutTheRest(t *testing.T) {
	long := strings.Repeat("<x> ", 300_000)
	t.Run("only message", func(t *testing.T) {
		r := manyErrors(1, 1)
		r.Diagnostics[0].Message = long
		a := renderResult(t, ask(oracleproto.OpValidate), r)
		checkBudget(t, ask(oracleproto.OpValidate), a)
		assert.Greater(t, len(onTheWire(t, a)), DefaultBudget*9/10)
		assert.Contains(t, a.Text, "… (+119")
		assert.Contains(t, string(a.Structured), `"truncated":{"cut_texts":1}`)
	})
	t.Run("one message of many", func(t *testing.T) {
		r := manyErrors(20, 1)
		r.Diagnostics[1].Message = long
		a := renderResult(t, ask(oracleproto.OpValidate), r)
		checkBudget(t, ask(oracleproto.OpValidate), a)
		assert.Contains(t, a.Text, "\n12:0 error TS2300: ")
	})
	t.Run("one symbol of many", func(t *testing.T) {
		r := oracleproto.ScopeResult{Meta: judged, Symbols: []oracleproto.Symbol{{Name: "a"}, {Name: "b", TypeText: long}, {Name: "c"}}}
		a := renderResult(t, ask(oracleproto.OpScope), r)
		checkBudget(t, ask(oracleproto.OpScope), a)
		assert.Contains(t, a.Text, "\nc ")
	})
	t.Run("documentation gives way to the type", func(t *testing.T) {
		r := oracleproto.TypeResult{Meta: judged, Display: strings.Repeat("type ", 500), Documentation: strings.Repeat("word\n", 5000)}
		a := renderResult(t, ask(oracleproto.OpType), r)
		checkBudget(t, ask(oracleproto.OpType), a)
		assert.Contains(t, a.Text, r.Display)
		assert.Contains(t, a.Text, "documentation lines ")
	})
}

// With the smallest budget and the worst text in every field there is still an
// answer.
func TestSmallestBudgetIsEnough(t *testing.T) {
	for _, worst := range []string{"\x01", "😀", "\u2028", `"`, `\`, "<", "\n", "界"} {
		t.Run(fmt.Sprintf("%q", worst), func(t *testing.T) {
			s := strings.Repeat(worst, 500)
			meta := oracleproto.Meta{
				Verdict: oracleproto.VerdictUnknown, Reason: oracleproto.Reason(s), Engine: &oracleproto.Engine{Name: s, Version: s},
				Coverage: oracleproto.Coverage(s), Source: oracleproto.Source(s), ConfigFile: s, ElapsedMS: 123456789.123456789,
			}
			many := slices.Repeat([]string{s}, 50)
			for op, result := range map[string]any{
				oracleproto.OpValidate: oracleproto.ValidateResult{Meta: meta, File: s, Advice: many, Diagnostics: slices.Repeat([]oracleproto.Diagnostic{
					{Code: oracleproto.TextCode(s), Category: "error", Message: s, Related: []oracleproto.Related{{File: s, Message: s}}},
				}, 50)},
				oracleproto.OpScope:    oracleproto.ScopeResult{Meta: meta, File: s, Symbols: []oracleproto.Symbol{{Name: s}}, Cell: &s, SeamFile: &s, Globals: many, Advice: many},
				oracleproto.OpComplete: oracleproto.CompleteResult{Meta: meta, File: s, Entries: []oracleproto.Entry{{Name: s, Kind: s}}, Total: 999999, Advice: many},
				oracleproto.OpType:     oracleproto.TypeResult{Meta: meta, File: s, Display: s, Documentation: s, Advice: many},
			} {
				q := ask(op)
				q.Budget, q.Prefix, q.File = MinBudget, s, s
				q.Position = &oracleproto.Position{Line: 1 << 31, Character: 1 << 31}
				checkBudget(t, q, renderResult(t, q, result))
				q.Op = op
				checkBudget(t, q, Unanswered(q, oracleproto.ReasonTimeout, 1<<40))
			}
			q := ask(oracleproto.OpValidate)
			q.Budget, q.Tool = MinBudget, s
			checkBudget(t, q, Failure(q, &oracleproto.Error{Kind: oracleproto.Kind(s), Detail: s, Recipe: s}))
		})
	}
}

func TestCutsFallBetweenRunes(t *testing.T) {
	for _, s := range []string{strings.Repeat("a😀", 100), strings.Repeat("界", 100), strings.Repeat("\x00é", 100), strings.Repeat("\xff", 100)} {
		for limit := minLimit; limit < 400; limit++ {
			c := &cutter{limit: limit}
			cut := c.text(s)
			require.LessOrEqual(t, encodedLen(cut), limit, "%q", cut)
			if c.cuts == 0 {
				require.Equal(t, s, cut)
				continue
			}
			head, mark, ok := strings.Cut(cut, "…")
			require.True(t, ok && strings.HasPrefix(s, head), "%q", cut)
			var gone int
			_, err := fmt.Sscanf(mark, " (+%d characters)", &gone)
			require.NoError(t, err)
			require.Equal(t, utf8.RuneCountInString(s), utf8.RuneCountInString(head)+gone)
		}
	}
}

// Random results of every shape stay within any budget and keep their verdict.
func TestAnyResultStaysWithinAnyBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		checkRandom(t, r)
	}
}

func FuzzAnyResultStaysWithinAnyBudget(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkRandom(t, rand.New(rand.NewPCG(a, b))) })
}

// FuzzRender feeds results that need not be any: whatever comes out is an
// answer within the budget, and clean only if the result says so.
func FuzzRender(f *testing.F) {
	for i := range 4 {
		f.Add(byte(i), uint(DefaultBudget), []byte(`{"verdict":"clean","coverage":"compiler","source":"disk","diagnostics":[],"symbols":[],"entries":[]}`))
		f.Add(byte(i), uint(MinBudget), []byte(`{"verdict":"unknown","reason":"warming","facts":["\ud800",{"a":[1,{"b":null}]}],"symbols":[{"name":"\u0000"}],"entries":[]}`))
	}
	f.Fuzz(func(t *testing.T, op byte, budget uint, raw []byte) {
		q := ask([]string{oracleproto.OpValidate, oracleproto.OpScope, oracleproto.OpComplete, oracleproto.OpType}[op%4])
		q.Budget = MinBudget + int(budget%(MaxBudget-MinBudget))
		a, err := Render(q, raw)
		if failure := (*oracleproto.Error)(nil); errors.As(err, &failure) {
			a = Failure(q, failure)
		}
		checkBudget(t, q, a)
		if strings.HasPrefix(a.Text, "clean") {
			var r oracleproto.ValidateResult
			require.NoError(t, json.Unmarshal(raw, &r))
			assert.Equal(t, oracleproto.VerdictClean, r.Verdict)
			assert.Equal(t, oracleproto.OpValidate, q.Op)
		}
	})
}

// checkRandom renders one random result with one random budget.
func checkRandom(t *testing.T, r *rand.Rand) {
	t.Helper()
	alphabet := []string{"a", "word ", "<T>", "\n", "\x00", "é", "界", "😀", `"`, `\`, "\u2028", "\U0010FFFF"}
	str := func() string {
		n := r.IntN(20)
		if r.IntN(40) == 0 {
			n = r.IntN(20_000)
		}
		var b strings.Builder
		for range n {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	size := func() int {
		if r.IntN(6) == 0 {
			return r.IntN(400)
		}
		return r.IntN(6)
	}
	texts := func() []string {
		list := make([]string, size())
		for i := range list {
			list[i] = str()
		}
		return list
	}
	meta := oracleproto.Meta{
		Verdict: oracleproto.VerdictUnknown, Reason: oracleproto.ReasonNotChecked,
		Coverage: oracleproto.CoverageCompiler, Source: oracleproto.SourceDisk, ConfigFile: str(), ElapsedMS: r.Float64() * 1000,
	}
	if r.IntN(2) == 0 {
		meta.Engine = &oracleproto.Engine{Name: str(), Version: str()}
	}
	diagnostics := func() []oracleproto.Diagnostic {
		list := make([]oracleproto.Diagnostic, size())
		for i := range list {
			list[i] = oracleproto.Diagnostic{
				Code: oracleproto.NumberCode(r.IntN(9)), Category: []string{"error", "warning", "hint"}[r.IntN(3)],
				Message: str(), Line: r.IntN(1000), Character: r.IntN(100),
			}
			for range r.IntN(3) {
				list[i].Related = append(list[i].Related, oracleproto.Related{File: str(), Message: str(), Line: 1})
			}
		}
		return list
	}
	raws := func() []json.RawMessage {
		list := make([]json.RawMessage, size())
		for i := range list {
			list[i] = Encode(map[string]any{"fact": str(), "line": r.IntN(100)})
		}
		return list
	}

	q := ask([]string{oracleproto.OpValidate, oracleproto.OpScope, oracleproto.OpComplete, oracleproto.OpType}[r.IntN(4)])
	q.Budget = MinBudget + r.IntN(20_000)
	q.File, q.Prefix = str(), str()
	var result any
	switch q.Op {
	case oracleproto.OpValidate:
		v := oracleproto.ValidateResult{
			Meta: meta, File: q.File, Diagnostics: diagnostics(), Advice: texts(), Facts: raws(), Markers: raws(), Degraded: r.IntN(2) == 0,
		}
		if r.IntN(4) == 0 {
			v.ProjectErrors = diagnostics()
		}
		for range size() {
			v.ConformFindings = append(v.ConformFindings, oracleproto.Finding{Rule: str(), Message: str(), Baselined: r.IntN(2) == 0})
		}
		switch counts := tally(&v); {
		case counts.errors+counts.projectErrors > 0:
			v.Verdict = oracleproto.VerdictErrors
		default:
			v.Verdict = oracleproto.VerdictClean
		}
		meta, result = v.Meta, v
	case oracleproto.OpScope:
		v := oracleproto.ScopeResult{Meta: meta, File: q.File, Symbols: []oracleproto.Symbol{}, Globals: texts(), Advice: texts()}
		for range size() {
			v.Symbols = append(v.Symbols, oracleproto.Symbol{Name: str(), Kind: str(), TypeText: str()})
		}
		for range size() {
			v.Branded = append(v.Branded, oracleproto.Branded{Name: str(), Seam: str()})
		}
		if r.IntN(2) == 0 {
			v.Cell, v.SeamFile = new(str()), new(str())
		}
		result = v
	case oracleproto.OpComplete:
		v := oracleproto.CompleteResult{Meta: meta, File: q.File, Entries: []oracleproto.Entry{}, Total: r.IntN(1000), Advice: texts()}
		for range size() {
			v.Entries = append(v.Entries, oracleproto.Entry{Name: str(), Kind: str(), TypeText: str(), Unsafe: r.IntN(2) == 0})
		}
		result = v
	default:
		result = oracleproto.TypeResult{Meta: meta, File: q.File, Display: str(), Documentation: strings.Join(texts(), "\n"), Advice: texts()}
	}
	a := renderResult(t, q, result)
	checkBudget(t, q, a)
	checkSameFacts(t, a)
	assert.True(t, strings.HasPrefix(string(a.Structured), fmt.Sprintf(`{"verdict":%q`, meta.Verdict)), "%.80s", a.Structured)
	if t.Failed() {
		t.Logf("question %+v", q)
	}
}

// checkSameFacts asserts that what the twin of a reduced answer still has, the
// text has too.
func checkSameFacts(t *testing.T, a Answer) {
	t.Helper()
	var twin struct {
		oracleproto.ValidateResult
		Symbols       []oracleproto.Symbol
		Globals       []string
		Entries       []oracleproto.Entry
		Display       string
		Documentation string
	}
	require.NoError(t, json.Unmarshal(a.Structured, &twin))
	has := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !strings.Contains(a.Text, text) {
			t.Errorf("the text lacks %q", text)
		}
	}
	for _, d := range append(twin.Diagnostics, twin.ProjectErrors...) {
		has("%s TS%s: %s", d.Category, d.Code, hang(d.Message))
		for _, r := range d.Related {
			has("%s:%d:%d: %s", r.File, r.Line, r.Character, hang(r.Message))
		}
	}
	for _, f := range twin.ConformFindings {
		has("finding %s:", f.Rule)
		has("%d: %s", f.Line, hang(f.Message))
	}
	for _, raw := range append(twin.Facts, twin.Markers...) {
		has("%s", pairs(raw))
	}
	for _, s := range twin.Symbols {
		has("%s %s", s.Name, s.Kind)
		has("%s", hang(s.TypeText))
	}
	for _, e := range twin.Entries {
		has("%s %s", e.Name, e.Kind)
		has("%s", hang(e.TypeText))
	}
	has("%s", strings.Join(twin.Globals, ", "))
	has("%s", strings.Trim(twin.Display, "\n"))
	has("%s", strings.Trim(twin.Documentation, "\n"))
}

func BenchmarkRender(b *testing.B) {
	for _, n := range []int{1, 30, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			raw, err := json.Marshal(manyErrors(n, 7))
			require.NoError(b, err)
			for b.Loop() {
				_, err = Render(ask(oracleproto.OpValidate), raw)
			}
			require.NoError(b, err)
		})
	}
}
