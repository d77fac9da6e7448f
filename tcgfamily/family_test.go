package tcgfamily_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
)

// oracles answers every question with one function and keeps what was asked.
type oracles struct {
	answer func(ctx context.Context, op string) (json.RawMessage, error)
	mu     sync.Mutex
	asked  []string // "language op params"
	warm   bool
}

func (o *oracles) Warm(tcgfamily.Language) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.warm
}

func (o *oracles) Ask(ctx context.Context, language tcgfamily.Language, op string, params any) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.asked = append(o.asked, fmt.Sprintf("%s %s %s", language, op, raw))
	answer := o.answer
	o.mu.Unlock()
	result, err := answer(ctx, op)
	o.mu.Lock()
	o.warm = o.warm || err == nil
	o.mu.Unlock()
	return result, err
}

// become changes how questions are answered from now on.
func (o *oracles) become(answer func(ctx context.Context, op string) (json.RawMessage, error)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = answer
}

// always answers with one result.
func always(result string) *oracles {
	return &oracles{answer: func(context.Context, string) (json.RawMessage, error) { return json.RawMessage(result), nil }}
}

// fails answers with one error.
func fails(err error) *oracles {
	return &oracles{answer: func(context.Context, string) (json.RawMessage, error) { return nil, err }}
}

const (
	cleanContent = `{"verdict":"clean","engine":{"name":"typescript","version":"7.0.2"},"coverage":"compiler","source":"content",` +
		`"config_file":"tsconfig.json","elapsed_ms":3,"file":"a.ts","diagnostics":[],"conform_findings":[],"advice":[],"facts":[],"markers":[],"degraded":false}`
	emptyListing = `{"verdict":"unknown","reason":"not-checked","engine":null,"coverage":"compiler","source":"disk","config_file":"",` +
		`"elapsed_ms":1,"file":"a.ts","symbols":[],"branded":[],"entries":[],"advice":[]}`
)

func call(t *testing.T, f *tcgfamily.Family, tool, args string) tcgfamily.Answer {
	t.Helper()
	a, err := f.Call(t.Context(), tool, json.RawMessage(args), nil)
	require.NoError(t, err)
	return a
}

// failure is the error object of an answer, which must be one.
func failure(t *testing.T, a tcgfamily.Answer) oracleproto.Error {
	t.Helper()
	var twin struct {
		Verdict oracleproto.Verdict
		Reason  oracleproto.Reason
		Error   oracleproto.Error
	}
	require.NoError(t, json.Unmarshal(a.Structured, &twin))
	assert.True(t, a.IsError)
	assert.Equal(t, oracleproto.VerdictUnknown, twin.Verdict)
	assert.EqualValues(t, twin.Error.Kind, twin.Reason)
	assert.Contains(t, a.Text, "failed")
	assert.Contains(t, a.Text, string(twin.Error.Kind))
	assert.Contains(t, a.Text, twin.Error.Detail)
	assert.Contains(t, a.Text, twin.Error.Recipe)
	assert.NotEmpty(t, twin.Error.Recipe, "a failure without a fix")
	return twin.Error
}

func TestAskedAsTheProtocolWantsIt(t *testing.T) {
	for name, tt := range map[string]struct{ tool, args, want string }{
		"validate": {
			"tcg_validate", `{"language":"typescript","file":"a.ts","content":"","budget":9000}`,
			`typescript validate {"file":"a.ts","content":""}`,
		},
		"scope at the end": {"tcg_scope", `{"language":"rust","file":"a.rs"}`, `rust scope {"file":"a.rs"}`},
		"scope": {
			"tcg_scope", `{"language":"rust","file":"a.rs","position":"3:0","globals":true}`,
			`rust scope {"file":"a.rs","position":{"line":3,"character":0},"globals":true}`,
		},
		"complete": {
			"tcg_complete", `{"language":"typescript","file":"a.ts","position":{"line":3.0,"character":4},"prefix":"pu","max":7}`,
			`typescript complete {"file":"a.ts","position":{"line":3,"character":4},"prefix":"pu","max":7}`,
		},
		"nulls are absent": {
			"tcg_complete", `{"language":"typescript","file":"a.ts","position":"1:2","prefix":null,"max":null,"content":null,"budget":null}`,
			`typescript complete {"file":"a.ts","position":{"line":1,"character":2}}`,
		},
		"type": {
			"tcg_type", `{"language":"typescript","file":"a.ts","position":"1:2","content":"x"}`,
			`typescript type {"file":"a.ts","position":{"line":1,"character":2},"content":"x"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := always(strings.ReplaceAll(emptyListing, "disk", "content"))
			if tt.tool == "tcg_validate" {
				o = always(cleanContent)
			}
			a := call(t, tcgfamily.New(o, tcgfamily.Multiplexed()), tt.tool, tt.args)
			assert.Equal(t, []string{tt.want}, o.asked)
			assert.False(t, a.IsError, a.Text)
		})
	}
}

func TestLanguage(t *testing.T) {
	for name, tt := range map[string]struct {
		mode     tcgfamily.Mode
		language string // as JSON, "" for none
		kind     oracleproto.Kind
		says     []string
	}{
		"multiplexed, missing":     {tcgfamily.Multiplexed(), "", oracleproto.KindBadArguments, []string{"typescript", "rust"}},
		"multiplexed, null":        {tcgfamily.Multiplexed(), "null", oracleproto.KindBadArguments, []string{"typescript", "rust"}},
		"multiplexed, number":      {tcgfamily.Multiplexed(), "1", oracleproto.KindBadArguments, []string{"the number 1"}},
		"multiplexed, go":          {tcgfamily.Multiplexed(), `"go"`, oracleproto.KindLanguageUnsupported, []string{`"go"`, "typescript", "rust"}},
		"multiplexed, other case":  {tcgfamily.Multiplexed(), `"TypeScript"`, oracleproto.KindLanguageUnsupported, []string{"typescript"}},
		"multiplexed, empty":       {tcgfamily.Multiplexed(), `""`, oracleproto.KindLanguageUnsupported, []string{"typescript", "rust"}},
		"standalone, go":           {tcgfamily.Standalone(tcgfamily.TypeScript), `"go"`, oracleproto.KindLanguageUnsupported, []string{"typescript", "rust"}},
		"standalone, other server": {tcgfamily.Standalone(tcgfamily.TypeScript), `"rust"`, oracleproto.KindLanguageMismatch, []string{"rust-ai-native-mcp"}},
		"standalone, the reverse":  {tcgfamily.Standalone(tcgfamily.Rust), `"typescript"`, oracleproto.KindLanguageMismatch, []string{"typescript-ai-native-mcp"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := always(cleanContent)
			args := `{"file":"a.ts","content":"x"}`
			if tt.language != "" {
				args = `{"file":"a.ts","content":"x","language":` + tt.language + `}`
			}
			a := call(t, tcgfamily.New(o, tt.mode), "tcg_validate", args)
			assert.Equal(t, tt.kind, failure(t, a).Kind)
			for _, s := range tt.says {
				assert.Contains(t, a.Text, s)
			}
			assert.Empty(t, o.asked, "an oracle was asked")
		})
	}
	for _, args := range []string{`{"file":"a.ts","content":"x"}`, `{"file":"a.ts","content":"x","language":"typescript"}`} {
		o := always(cleanContent)
		call(t, tcgfamily.New(o, tcgfamily.Standalone(tcgfamily.TypeScript)), "tcg_validate", args)
		assert.Equal(t, []string{`typescript validate {"file":"a.ts","content":"x"}`}, o.asked)
	}
}

func TestBadArguments(t *testing.T) {
	const sample = `"file":"a.ts","position":"1:0"`
	for name, tt := range map[string]struct{ tool, args, says string }{
		"no arguments":             {"tcg_validate", ``, "file is missing"},
		"null":                     {"tcg_validate", `null`, "file is missing"},
		"a list":                   {"tcg_validate", `["a.ts"]`, "the arguments are a list, not an object"},
		"a string":                 {"tcg_validate", `"a.ts"`, `the arguments are the string "a.ts", not an object`},
		"file missing":             {"tcg_validate", `{"content":"x"}`, "file is missing"},
		"file empty":               {"tcg_validate", `{"file":""}`, "file is empty"},
		"file blank":               {"tcg_validate", `{"file":" \n"}`, "file is empty"},
		"file a number":            {"tcg_validate", `{"file":7}`, "file is the number 7, not a string"},
		"content an object":        {"tcg_validate", `{"file":"a.ts","content":{"a":1}}`, `content is the object {"a":1}, not a string`},
		"content a list":           {"tcg_validate", `{"file":"a.ts","content":["a"]}`, "content is a list, not a string"},
		"content true":             {"tcg_validate", `{"file":"a.ts","content":true}`, "content is true, not a string"},
		"slip of the pen":          {"tcg_validate", `{"file":"a.ts","contnet":"x"}`, `no argument "contnet"; did you mean content?`},
		"name used elsewhere":      {"tcg_validate", `{"filePath":"a.ts"}`, `no argument "filePath"; did you mean file?`},
		"argument of another tool": {"tcg_validate", `{"file":"a.ts","prefix":"x"}`, `no argument "prefix"; it takes language, file, content, budget`},
		"absurd name":              {"tcg_validate", `{"file":"a.ts","` + strings.Repeat("z", 100_000) + `":1}`, "it takes language"},
		"line by itself":           {"tcg_type", `{"file":"a.ts","line":1}`, `no argument "line"; did you mean position?`},
		"position missing":         {"tcg_type", `{"file":"a.ts"}`, "position is missing"},
		"position a number":        {"tcg_type", `{"file":"a.ts","position":3}`, "position is the number 3, not"},
		"position half":            {"tcg_type", `{"file":"a.ts","position":{"line":3}}`, `position is the object {"line":3}, not`},
		"position other words":     {"tcg_type", `{"file":"a.ts","position":{"line":3,"column":1}}`, "position is the object"},
		"position with more":       {"tcg_type", `{"file":"a.ts","position":{"line":3,"character":1,"x":2}}`, "position is the object"},
		"line zero":                {"tcg_type", `{"file":"a.ts","position":{"line":0,"character":0}}`, "line from 1"},
		"character negative":       {"tcg_type", `{"file":"a.ts","position":{"line":1,"character":-1}}`, "character from 0"},
		"half a line":              {"tcg_type", `{"file":"a.ts","position":{"line":1.5,"character":0}}`, "whole numbers"},
		"line a string":            {"tcg_type", `{"file":"a.ts","position":{"line":"1","character":0}}`, "whole numbers"},
		"line beyond any file":     {"tcg_type", `{"file":"a.ts","position":{"line":1e300,"character":0}}`, "whole numbers"},
		"string position, zero":    {"tcg_type", `{"file":"a.ts","position":"0:1"}`, `position is the string "0:1", not`},
		"string position, words":   {"tcg_type", `{"file":"a.ts","position":"end"}`, `position is the string "end", not`},
		"max zero":                 {"tcg_complete", `{` + sample + `,"max":0}`, "max is the number 0, not a whole number from 1 to 500"},
		"max too large":            {"tcg_complete", `{` + sample + `,"max":501}`, "from 1 to 500"},
		"max a string":             {"tcg_complete", `{` + sample + `,"max":"5"}`, `max is the string "5", not a whole number`},
		"max half":                 {"tcg_complete", `{` + sample + `,"max":5.5}`, "max is the number 5.5"},
		"prefix a number":          {"tcg_complete", `{` + sample + `,"prefix":5}`, "prefix is the number 5, not a string"},
		"budget too small":         {"tcg_type", `{` + sample + `,"budget":100}`, "budget is the number 100, not a whole number from 2000 to 200000"},
		"budget too large":         {"tcg_type", `{` + sample + `,"budget":1000000}`, "from 2000 to 200000"},
		"globals a string":         {"tcg_scope", `{"file":"a.ts","globals":"yes"}`, `globals is the string "yes", not true or false`},
		"unknown tool":             {"tcg_compile", `{}`, `there is no tool "tcg_compile"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := always(cleanContent)
			a := call(t, tcgfamily.New(o, tcgfamily.Standalone(tcgfamily.TypeScript)), tt.tool, tt.args)
			f := failure(t, a)
			assert.Equal(t, oracleproto.KindBadArguments, f.Kind)
			assert.Contains(t, f.Detail, tt.says)
			assert.Contains(t, f.Recipe, "call ")
			assert.Empty(t, o.asked, "an oracle was asked")
			assert.Less(t, len(a.Text)+len(a.Structured), 2000)
		})
	}
}

// The example in a refusal must itself be accepted.
func TestExamplesInRefusalsWork(t *testing.T) {
	for _, mode := range []tcgfamily.Mode{tcgfamily.Multiplexed(), tcgfamily.Standalone(tcgfamily.TypeScript), tcgfamily.Standalone(tcgfamily.Rust)} {
		o := always(cleanContent)
		f := tcgfamily.New(o, mode)
		for _, tool := range f.Tools() {
			_, example, ok := strings.Cut(failure(t, call(t, f, tool.Name, `{"nonsense":1}`)).Recipe, "arguments like ")
			require.True(t, ok)
			before := len(o.asked)
			call(t, f, tool.Name, example)
			assert.Len(t, o.asked, before+1, "%s refuses its own example %s", tool.Name, example)
		}
	}
}

func TestOracleFailuresSurvive(t *testing.T) {
	crashed := &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: "signal: killed", Recipe: "run typescript-ai-native-tcg validate FILE to see why"}
	for name, tt := range map[string]struct {
		err  error
		want oracleproto.Error
	}{
		"as it is": {crashed, *crashed},
		"wrapped":  {fmt.Errorf("after a respawn: %w", crashed), *crashed},
		"other": {errors.New("disk on fire"), oracleproto.Error{
			Kind: oracleproto.KindInternal, Detail: "disk on fire",
			Recipe: "call again; if it happens again, report it with the arguments of the call",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := tcgfamily.New(fails(tt.err), tcgfamily.Standalone(tcgfamily.TypeScript))
			assert.Equal(t, tt.want, failure(t, call(t, f, "tcg_validate", `{"file":"a.ts"}`)))
		})
	}
}

func TestMalformedResultIsNoVerdict(t *testing.T) {
	f := tcgfamily.New(always(`{"verdict":"clean"}`), tcgfamily.Standalone(tcgfamily.TypeScript))
	assert.Equal(t, oracleproto.KindProtocol, failure(t, call(t, f, "tcg_validate", `{"file":"a.ts"}`)).Kind)
}

func TestPanicBelowIsAnAnswer(t *testing.T) {
	o := &oracles{answer: func(context.Context, string) (json.RawMessage, error) { panic("boom") }}
	f := tcgfamily.New(o, tcgfamily.Standalone(tcgfamily.TypeScript))
	got := failure(t, call(t, f, "tcg_validate", `{"file":"a.ts"}`))
	assert.Equal(t, oracleproto.KindInternal, got.Kind)
	assert.Contains(t, got.Detail, "boom")
}

// untilDone waits for the context's end, as an oracle that is busy does.
func untilDone(ctx context.Context, _ string) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestDeadline(t *testing.T) {
	deaf := make(chan struct{})
	for name, tt := range map[string]struct {
		busy func(context.Context, string) (json.RawMessage, error)
		took time.Duration
	}{
		"the oracle is busy": {untilDone, 45 * time.Second},
		"the oracle's side is deaf to the context": {func(context.Context, string) (json.RawMessage, error) {
			<-deaf
			return nil, errors.New("too late")
		}, 45 * time.Second},
		"the oracle gives up itself": {func(context.Context, string) (json.RawMessage, error) {
			time.Sleep(30 * time.Second)
			return nil, &oracleproto.Error{Kind: oracleproto.KindTimeout, Detail: "no answer", Recipe: "wait"}
		}, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				deaf = make(chan struct{})
				defer close(deaf)
				o := &oracles{answer: tt.busy}
				f := tcgfamily.New(o, tcgfamily.Standalone(tcgfamily.TypeScript))
				check := func(reason string) {
					started := time.Now()
					a := call(t, f, "tcg_validate", `{"file":"a.ts","content":"x"}`)
					assert.Equal(t, tt.took, time.Since(started))
					assert.False(t, a.IsError)
					assert.Contains(t, a.Text, "unknown ("+reason+"): nothing was checked in a.ts")
					assert.Contains(t, a.Text, "call tcg_validate again")
					assert.Contains(t, string(a.Structured), `{"verdict":"unknown","reason":"`+reason+`","engine":null,"coverage":"none","source":"content"`)
					assert.Contains(t, string(a.Structured), `"diagnostics":[],"conform_findings":[],"advice":[],"facts":[],"markers":[]`)
				}
				check("warming")
				o.become(always(cleanContent).answer)
				call(t, f, "tcg_validate", `{"file":"a.ts","content":"x"}`)
				o.become(tt.busy)
				check("timeout")
			})
		})
	}
}

func TestCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := tcgfamily.New(&oracles{answer: untilDone}, tcgfamily.Standalone(tcgfamily.TypeScript))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		started := time.Now()
		a, err := f.Call(ctx, "tcg_validate", json.RawMessage(`{"file":"a.ts"}`), nil)
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, time.Second, time.Since(started))
		assert.Zero(t, a)
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &oracles{answer: func(context.Context, string) (json.RawMessage, error) {
			time.Sleep(7 * time.Second)
			return json.RawMessage(cleanContent), nil
		}}
		f := tcgfamily.New(o, tcgfamily.Standalone(tcgfamily.TypeScript))
		var said []string
		ask := func() {
			said = nil
			_, err := f.Call(t.Context(), "tcg_validate", json.RawMessage(`{"file":"a.ts","content":"x"}`), func(m string) { said = append(said, m) })
			require.NoError(t, err)
		}
		ask()
		assert.Equal(t, []string{"starting the typescript oracle", "starting the typescript oracle (3 s)", "starting the typescript oracle (6 s)"}, said)
		ask()
		assert.Equal(t, []string{"waiting for the typescript oracle (3 s)", "waiting for the typescript oracle (6 s)"}, said)
	})
}

func TestOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := tcgfamily.New(&oracles{answer: untilDone}, tcgfamily.Multiplexed(),
			tcgfamily.WithDeadline(2*time.Second), tcgfamily.WithProgressEvery(time.Second/2))
		var said int
		started := time.Now()
		_, err := f.Call(t.Context(), "tcg_scope", json.RawMessage(`{"language":"rust","file":"a.rs"}`), func(string) { said++ })
		require.NoError(t, err)
		assert.Equal(t, 2*time.Second, time.Since(started))
		assert.GreaterOrEqual(t, said, 4)
	})
}
