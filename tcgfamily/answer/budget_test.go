package answer

import (
	"encoding/json"
	"fmt"
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
