package acceptance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
)

// Texts for vatFile, which its siblings go on using.
const vatFixed = `//! Value added tax.

use money::{Eur, Money};

/// The value added tax on goods.
pub fn tax(goods: Money<Eur>) -> Money<Eur> {
    reduced(goods, 0.19)
}

/// A tax of another rate.
pub fn reduced(goods: Money<Eur>, rate: f64) -> Money<Eur> {
    goods.times(rate)
}
`

const (
	checkoutManifest = "crates/checkout/Cargo.toml"
	reducedSignature = "pub fn reduced(goods: Money<Eur>, rate: f64) -> Money<Eur>"
)

var (
	vatBroken     = strings.Replace(vatFixed, "goods.times(rate)", "goods.cents() * rate as i64", 1)
	vatUnfinished = strings.Replace(vatFixed, "    goods.times(rate)", "    goods.\n    goods.times(rate)", 1)
)

// rustQuestions are what every client asks the Rust server, in this order.
var rustQuestions = []question{
	{"tcg_validate", object{"language": "rust", "file": vatFile, "content": vatBroken}},
	{"tcg_validate", object{"language": "rust", "file": vatFile, "content": vatFixed, "depth": "full"}},
	{"tcg_scope", object{"file": vatFile, "content": vatFixed, "position": object{"line": 12, "character": 4}}},
	{"tcg_complete", object{"file": vatFile, "content": vatUnfinished, "position": "12:10"}},
	{"tcg_type", object{"file": vatFile, "content": vatFixed, "position": "11:8"}},
}

func assertRustAnswers(t *testing.T, answers []mcppipe.ToolResult) {
	t.Helper()
	require.Len(t, answers, len(rustQuestions))
	for i, answer := range answers {
		assert.NotEmpty(t, answer.Text)
		assert.Less(t, len(answer.Text)+len(answer.Structured), 8000, "%s: text and structured content together", rustQuestions[i].Name)
		v := judged(t, answer)
		assert.Equal(t, vatFile, v.File)
		assert.Equal(t, "content", v.Source)
		assert.Contains(t, []string{"rustc", "rust-analyzer"}, v.Engine.Name)
		assert.Regexp(t, `^1\.\d+\.\d+`, v.Engine.Version)
		assert.Equal(t, checkoutManifest, v.ConfigFile)
	}

	broken := judged(t, answers[0])
	assert.True(t, answers[0].IsError, "an error diagnostic is an error result")
	assert.Equal(t, "errors", broken.Verdict)
	require.Equal(t, []string{"E0308"}, broken.codes(), "%s", answers[0].Text)
	assert.Equal(t, 12, broken.Diagnostics[0].Line)
	assert.Contains(t, answers[0].Text, "expected `Money<Eur>`, found `i64`")

	fixed := judged(t, answers[1])
	assert.False(t, answers[1].IsError)
	assert.Equal(t, "clean", fixed.Verdict)
	assert.Equal(t, "rustc", fixed.Coverage)
	assert.Empty(t, fixed.Diagnostics)
	assert.Contains(t, strings.ToLower(answers[1].Text), "clean")

	var scope struct {
		Symbols []symbol `json:"symbols"`
	}
	require.NoError(t, answers[2].Decode(&scope))
	assert.False(t, answers[2].IsError)
	assertSymbol(t, scope.Symbols, "goods", "Money<Eur>")
	assertSymbol(t, scope.Symbols, "rate", "f64")
	assertSymbol(t, scope.Symbols, "tax", "pub fn tax(goods: Money<Eur>) -> Money<Eur>")
	assertSymbol(t, scope.Symbols, "Money", "")
	assert.Contains(t, answers[2].Text, "goods")

	var completion struct {
		Entries []symbol `json:"entries"`
		Total   int      `json:"total"`
	}
	require.NoError(t, answers[3].Decode(&completion))
	assert.False(t, answers[3].IsError)
	assertSymbol(t, completion.Entries, "times", "pub fn times(self, factor: f64) -> Self")
	assertSymbol(t, completion.Entries, "cents", "pub const fn cents(self) -> i64")
	assert.Equal(t, len(completion.Entries), completion.Total)
	assert.Contains(t, answers[3].Text, "times")

	var typed struct {
		Display       string `json:"display"`
		Documentation string `json:"documentation"`
	}
	require.NoError(t, answers[4].Decode(&typed))
	assert.False(t, answers[4].IsError)
	assert.Contains(t, typed.Display, reducedSignature)
	assert.Equal(t, "A tax of another rate.", typed.Documentation)
	assert.Contains(t, answers[4].Text, reducedSignature)
}
