package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

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
