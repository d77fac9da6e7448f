package acceptance_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
)

// A file that is not on disk, wrong and right.
const (
	taxFile   = "src/pricing/tax.ts"
	taxBroken = `import { times, type Money } from "@shop/money";

/** The value added tax on goods. */
export function tax(goods: Money<"EUR">, rate = 0.19): Money<"EUR"> {
  return goods.cents * rate;
}
export const keep = times;
`
	taxFixed = `import { times, type Money } from "@shop/money";

/** The value added tax on goods. */
export function tax(goods: Money<"EUR">, rate = 0.19): Money<"EUR"> {
  return times(goods, rate);
}
`
	taxUnfinished = `import { times, type Money } from "@shop/money";

export function tax(goods: Money<"EUR">, rate = 0.19): Money<"EUR"> {
  goods.
  return times(goods, rate);
}
`
)

// question is one tools/call, in the shape the clients take.
type question struct {
	Name      string `json:"name"`
	Arguments object `json:"arguments"`
}

// questions are what every client asks, in this order.
var questions = []question{
	{"tcg_validate", object{"language": "typescript", "file": taxFile, "content": taxBroken}},
	{"tcg_validate", object{"language": "typescript", "file": taxFile, "content": taxFixed}},
	{"tcg_scope", object{"file": taxFile, "content": taxFixed, "position": object{"line": 5, "character": 2}}},
	{"tcg_complete", object{"file": taxFile, "content": taxUnfinished, "position": "4:8"}},
	{"tcg_type", object{"file": taxFile, "content": taxFixed, "position": "4:17"}},
}

// assertAnswers checks the answers to questions, whatever client got them.
func assertAnswers(t *testing.T, answers []mcppipe.ToolResult) {
	t.Helper()
	require.Len(t, answers, len(questions))
	for i, answer := range answers {
		assert.NotEmpty(t, answer.Text)
		assert.NotEmpty(t, answer.Structured)
		assert.Less(t, len(answer.Text)+len(answer.Structured), 8000, "%s: text and structured content together", questions[i].Name)
		var meta struct {
			File    string `json:"file"`
			Source  string `json:"source"`
			Verdict string `json:"verdict"`
			Engine  engine `json:"engine"`
			Config  string `json:"config_file"`
		}
		require.NoError(t, answer.Decode(&meta))
		assert.Equal(t, taxFile, meta.File)
		assert.Equal(t, "content", meta.Source)
		assert.Equal(t, "7.0.2", meta.Engine.Version)
		assert.Equal(t, "tsconfig.json", meta.Config)
		assert.NotEmpty(t, meta.Verdict)
	}

	var broken, fixed validation
	require.NoError(t, answers[0].Decode(&broken))
	assert.True(t, answers[0].IsError, "an error diagnostic is an error result")
	assert.Equal(t, "errors", broken.Verdict)
	assert.Equal(t, []int{2322}, broken.codes())
	assert.Equal(t, "Type 'number' is not assignable to type 'Money<\"EUR\">'.", broken.Diagnostics[0].Message)
	assert.Equal(t, [2]int{5, 2}, [2]int{broken.Diagnostics[0].Line, broken.Diagnostics[0].Character})
	assert.Contains(t, answers[0].Text, "2322")
	assert.Contains(t, answers[0].Text, "Type 'number' is not assignable")

	require.NoError(t, answers[1].Decode(&fixed))
	assert.False(t, answers[1].IsError)
	assert.Equal(t, "clean", fixed.Verdict)
	assert.Equal(t, "compiler", fixed.Coverage)
	assert.Empty(t, fixed.Diagnostics)
	assert.NotNil(t, fixed.Conform)
	assert.NotNil(t, fixed.Advice)
	assert.NotNil(t, fixed.Facts)
	assert.NotNil(t, fixed.Markers)
	assert.Contains(t, strings.ToLower(answers[1].Text), "clean")

	var scope struct {
		Symbols []symbol `json:"symbols"`
	}
	require.NoError(t, answers[2].Decode(&scope))
	assert.False(t, answers[2].IsError)
	assertSymbol(t, scope.Symbols, "goods", `Money<"EUR">`)
	assertSymbol(t, scope.Symbols, "rate", "number")
	assertSymbol(t, scope.Symbols, "times", "amount: Money<C>")
	assertSymbol(t, scope.Symbols, "tax", `Money<"EUR">`)
	assertSymbol(t, scope.Symbols, "Money", "")
	assert.Contains(t, answers[2].Text, "goods")

	var completion struct {
		Entries []symbol `json:"entries"`
		Total   int      `json:"total"`
	}
	require.NoError(t, answers[3].Decode(&completion))
	assert.False(t, answers[3].IsError)
	assert.Len(t, completion.Entries, 2)
	assert.Equal(t, 2, completion.Total)
	assertSymbol(t, completion.Entries, "cents", "number")
	assertSymbol(t, completion.Entries, "currency", `"EUR"`)
	assert.Contains(t, answers[3].Text, "cents")

	var typed struct {
		Display       string `json:"display"`
		Documentation string `json:"documentation"`
	}
	require.NoError(t, answers[4].Decode(&typed))
	assert.False(t, answers[4].IsError)
	assert.Equal(t, `function tax(goods: Money<"EUR">, rate?: number): Money<"EUR">`, typed.Display)
	assert.Equal(t, "The value added tax on goods.", typed.Documentation)
	assert.Contains(t, answers[4].Text, typed.Display)
}

// symbol is a name of a scope or of a completion list.
type symbol struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	TypeText string `json:"type_text"`
	Unsafe   bool   `json:"unsafe"`
}

func assertSymbol(t *testing.T, symbols []symbol, name, typeText string) {
	t.Helper()
	i := slices.IndexFunc(symbols, func(s symbol) bool { return s.Name == name })
	if assert.NotEqual(t, -1, i, "%s is missing in %v", name, symbols) {
		assert.Contains(t, symbols[i].TypeText, typeText)
		assert.NotEmpty(t, symbols[i].Kind)
	}
}

// toolNames reads the names of a tools array.
func toolNames(t *testing.T, tools json.RawMessage) []string {
	t.Helper()
	var list []struct {
		Name string `json:"name"`
	}
	require.NoError(t, json.Unmarshal(tools, &list))
	var names []string
	for _, tool := range list {
		names = append(names, tool.Name)
	}
	return names
}

var fourTools = []string{"tcg_complete", "tcg_scope", "tcg_type", "tcg_validate"}
