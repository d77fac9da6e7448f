package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/answer"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestCleanIsNeverBelievedAgainstTheEvidence(t *testing.T) {
	for name, r := range map[string]oracleproto.ValidateResult{
		"error diagnostic": func() oracleproto.ValidateResult {
			r := clean()
			r.Diagnostics = []oracleproto.Diagnostic{diagnostic(1, "error", "m", 1)}
			return r
		}(),
		"project error": func() oracleproto.ValidateResult {
			r := clean()
			r.ProjectErrors = []oracleproto.Diagnostic{diagnostic(1, "error", "m", 1)}
			return r
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			a := render(t, question(oracleproto.OpValidate), r)
			assert.True(t, strings.HasPrefix(a.Text, "errors: "), a.Text)
			assert.True(t, strings.HasPrefix(string(a.Structured), `{"verdict":"errors"`), "%s", a.Structured)
			assert.True(t, a.IsError)
		})
	}
}

func TestUntrustworthyResultsAreRefused(t *testing.T) {
	const rest = `"engine":null,"config_file":"","elapsed_ms":1,"file":"x","conform_findings":[],"advice":[],"facts":[],"markers":[],"degraded":false}`
	for name, tt := range map[string]struct{ op, result string }{
		"nothing":                      {oracleproto.OpValidate, ``},
		"null":                         {oracleproto.OpValidate, `null`},
		"not an object":                {oracleproto.OpValidate, `[]`},
		"empty object":                 {oracleproto.OpValidate, `{}`},
		"cut short":                    {oracleproto.OpValidate, `{"verdict":"clean"`},
		"other verdict":                {oracleproto.OpValidate, `{"verdict":"fine","coverage":"compiler","source":"content","diagnostics":[],` + rest},
		"clean without a list":         {oracleproto.OpValidate, `{"verdict":"clean","coverage":"compiler","source":"content",` + rest},
		"clean with a null list":       {oracleproto.OpValidate, `{"verdict":"clean","coverage":"compiler","source":"content","diagnostics":null,` + rest},
		"clean, nothing checked":       {oracleproto.OpValidate, `{"verdict":"clean","coverage":"none","source":"content","diagnostics":[],` + rest},
		"clean, coverage left open":    {oracleproto.OpValidate, `{"verdict":"clean","source":"content","diagnostics":[],` + rest},
		"clean about the text on disk": {oracleproto.OpValidate, `{"verdict":"clean","coverage":"compiler","source":"disk","diagnostics":[],` + rest},
		"errors without errors":        {oracleproto.OpValidate, `{"verdict":"errors","coverage":"compiler","source":"content","diagnostics":[],` + rest},
		"unknown without a reason":     {oracleproto.OpValidate, `{"verdict":"unknown","coverage":"none","source":"content","diagnostics":[],` + rest},
		"diagnostics of another shape": {oracleproto.OpValidate, `{"verdict":"clean","coverage":"compiler","source":"content","diagnostics":[1],` + rest},
		"scope without symbols":        {oracleproto.OpScope, `{"verdict":"unknown","reason":"not-checked"}`},
		"scope without a verdict":      {oracleproto.OpScope, `{"symbols":[]}`},
		"completion without entries":   {oracleproto.OpComplete, `{"verdict":"unknown","reason":"not-checked"}`},
		"type without a verdict":       {oracleproto.OpType, `{"display":"x"}`},
		"unknown operation":            {oracleproto.OpUpdate, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := answer.Render(question(tt.op), json.RawMessage(tt.result))
			var failure *oracleproto.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, oracleproto.KindProtocol, failure.Kind)
			assert.NotEmpty(t, failure.Recipe)
		})
	}
}

func TestListingsJudgeNothing(t *testing.T) {
	r := oracleproto.ScopeResult{Meta: compiler, Symbols: []oracleproto.Symbol{}}
	require.Equal(t, oracleproto.VerdictClean, r.Verdict)
	a := render(t, question(oracleproto.OpScope), r)
	assert.Contains(t, string(a.Structured), `"verdict":"unknown","reason":"not-checked"`)
	assert.NotContains(t, a.Text, "clean")
	assert.NotContains(t, a.Text, "unknown")
}

// Half a surrogate pair makes strict JSON readers refuse the whole frame.
func TestRawFactsAreMadeSafe(t *testing.T) {
	raw, err := json.Marshal(clean())
	require.NoError(t, err)
	raw = []byte(strings.Replace(string(raw), `"facts":[]`, `"facts":[{"fact":"item","symbol":"\uD800x"},{"fact":"`+"\xff"+`"}]`, 1))
	a, err := answer.Render(question(oracleproto.OpValidate), raw)
	require.NoError(t, err)
	assert.Contains(t, string(a.Structured), `"symbol":"`+"\uFFFD"+`x"`)
	assert.Contains(t, string(a.Structured), `"fact":"`+"\uFFFD"+`"`)
}
