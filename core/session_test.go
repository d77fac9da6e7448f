package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
	"vibevm.org/core/coretest"
)

const noArguments = `{"type":"object"}`

// fixtures are the tools the tests of the loop call.
func fixtures() []core.Tool {
	text := func(s string, isError bool) func(context.Context, json.RawMessage) (core.Output, error) {
		return func(context.Context, json.RawMessage) (core.Output, error) {
			return core.Output{Report: s, IsError: isError}, nil
		}
	}
	return []core.Tool{
		coretest.Func("echo", noArguments, func(_ context.Context, args json.RawMessage) (core.Output, error) {
			var in struct{ Text string }
			err := json.Unmarshal(args, &in)
			return core.Output{Report: in.Text}, err
		}),
		coretest.Func("args", noArguments, func(_ context.Context, args json.RawMessage) (core.Output, error) {
			return core.Output{Report: string(args)}, nil
		}),
		coretest.Func("slow", noArguments, slow),
		coretest.Func("deaf", noArguments, func(_ context.Context, args json.RawMessage) (core.Output, error) {
			return slow(context.Background(), args)
		}),
		coretest.Func("ok", noArguments, text("ok", false)),
		coretest.Func("fail", noArguments, text("tool failed on purpose", true)),
		coretest.Func("boom", noArguments, func(context.Context, json.RawMessage) (core.Output, error) { panic("boom") }),
	}
}

// slow takes ms milliseconds unless it is cancelled.
func slow(ctx context.Context, args json.RawMessage) (core.Output, error) {
	var in struct{ MS int }
	if err := json.Unmarshal(args, &in); err != nil {
		return core.Output{}, err
	}
	timer := time.NewTimer(time.Duration(in.MS) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return core.Output{Report: "slept"}, nil
	case <-ctx.Done():
		return core.Output{}, ctx.Err()
	}
}

func newServer(t testing.TB, tools ...core.Tool) *core.Server {
	t.Helper()
	set, err := core.NewToolSet(append(fixtures(), tools...)...)
	require.NoError(t, err)
	return core.NewServer(core.Info{Name: "test", Version: "1"}, set, nil)
}

// replay serves a script to its end and returns what the answers say.
func replay(t testing.TB, script ...coretest.Step) []string {
	t.Helper()
	r := coretest.NewReplay(script...)
	require.NoError(t, newServer(t).Serve(t.Context(), r))
	return said(t, r)
}

func said(t testing.TB, r *coretest.Replay) []string {
	t.Helper()
	var all []string
	for _, frame := range r.Frames() {
		all = append(all, brief(t, frame))
	}
	return all
}

// brief checks that text is one whole frame, and shortens it to `id→what`.
func brief(t testing.TB, text string) string {
	t.Helper()
	require.True(t, utf8.ValidString(text), "a frame is UTF-8: %.200q", text)
	require.Equal(t, len(text)-1, strings.IndexByte(text, '\n'), "a frame is one line: %.200q", text)
	var f struct {
		Version string `json:"jsonrpc"`
		ID      json.RawMessage
		Method  string
		Params  json.RawMessage
		Error   *struct {
			Code    int
			Message string
		}
		Result *struct {
			ProtocolVersion string
			Tools           json.RawMessage
			IsError         *bool
			Content         []struct{ Type, Text string }
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	require.NoError(t, d.Decode(&f), "a frame is JSON: %.200q", text)
	require.Equal(t, "2.0", f.Version)
	if f.Method != "" {
		return f.Method + string(f.Params)
	}
	require.NotEmpty(t, f.ID, "an answer has an id: %.200q", text)
	switch {
	case f.Error != nil:
		require.NotEmpty(t, f.Error.Message)
		return fmt.Sprintf("%s→%d", f.ID, f.Error.Code)
	case f.Result.ProtocolVersion != "":
		return fmt.Sprintf("%s→%s", f.ID, f.Result.ProtocolVersion)
	case f.Result.Tools != nil:
		return fmt.Sprintf("%s→tools", f.ID)
	case f.Result.Content != nil:
		require.NotNil(t, f.Result.IsError)
		what := "ok"
		if *f.Result.IsError {
			what = "error"
		}
		if t := f.Result.Content[0].Text; len(t) > 100 {
			return fmt.Sprintf("%s→%s[%d bytes]", f.ID, what, len(t))
		}
		return fmt.Sprintf("%s→%s(%s)", f.ID, what, f.Result.Content[0].Text)
	}
	return fmt.Sprintf("%s→{}", f.ID)
}

// call is a tools/call frame; id and args are raw JSON.
func call(id, name, args string) coretest.Step {
	return coretest.Line(callLine(id, name, args))
}

func callLine(id, name, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `}}`
}

func ping(id string) coretest.Step {
	return coretest.Line(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
}

func cancelled(id string) coretest.Step {
	return coretest.Line(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
}

// serveText serves a text as the peer's whole input over the real line
// transport.
func serveText(t testing.TB, input string) []string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, newServer(t).Serve(t.Context(), core.NewTransport(strings.NewReader(input), &out)))
	var all []string
	for frame := range strings.Lines(out.String()) {
		all = append(all, brief(t, frame))
	}
	return all
}

func TestServerInitializeSaysWhatItIs(t *testing.T) {
	set, err := core.NewToolSet()
	require.NoError(t, err)
	r := coretest.NewReplay(coretest.Line(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`))
	s := core.NewServer(core.Info{Name: "n", Version: "v", Instructions: "Ask \"it\"."}, set, nil)
	require.NoError(t, s.Serve(t.Context(), r))
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","serverInfo":{"name":"n","version":"v"},`+
		`"capabilities":{"tools":{"listChanged":false}},"instructions":"Ask \"it\"."}}`+"\n", r.Output())
}

func TestServeWithoutTools(t *testing.T) {
	r := coretest.NewReplay(coretest.Line(`{"id":1,"method":"tools/list"}`), call("2", "echo", "{}"))
	require.NoError(t, core.NewServer(core.Info{}, nil, nil).Serve(t.Context(), r))
	require.Equal(t, []string{"1→tools", "2→-32601"}, said(t, r))
}

func TestGoexitInAToolIsAResultAndTheLoopLives(t *testing.T) {
	require.Equal(t, []string{"1→error(tool ended its goroutine without a result)", "2→{}"},
		replayWith(t, coretest.Func("exit", noArguments, func(context.Context, json.RawMessage) (core.Output, error) {
			runtime.Goexit()
			return core.Output{}, nil
		}), call("1", "exit", "{}"), coretest.AfterFrames(1), ping("2")))
}

func TestGoexitInALongToolIsAResultAndTheLoopLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := replayWith(t, coretest.Func("exit", noArguments, func(context.Context, json.RawMessage) (core.Output, error) {
			time.Sleep(time.Second) // the bubble's clock: long enough for another goroutine to lead
			runtime.Goexit()
			return core.Output{}, nil
		}), call("1", "exit", "{}"), call("2", "exit", "{}"), call("3", "ok", "{}"))
		require.Equal(t, []string{
			"1→error(tool ended its goroutine without a result)",
			"2→error(tool ended its goroutine without a result)", "3→ok(ok)",
		}, got)
	})
}

func TestToolErrorBecomesAnErrorResult(t *testing.T) {
	got := replayWith(t, coretest.Func("bad", noArguments, func(context.Context, json.RawMessage) (core.Output, error) {
		return core.Output{Report: "not shown"}, errors.New("why it failed")
	}), call("1", "bad", "{}"))
	require.Equal(t, []string{"1→error(why it failed)"}, got)
}

func TestArgumentsAreTheToolsToKeep(t *testing.T) {
	var kept []json.RawMessage
	replayWith(t, coretest.Func("keep", noArguments, func(_ context.Context, args json.RawMessage) (core.Output, error) {
		kept = append(kept, args)
		_ = append(args, "overwritten by an append"...)
		return core.Output{}, nil
	}), call(`"a"`, "keep", `{"n":1}`), call(`"b"`, "keep", `{"n":2}`))
	require.Equal(t, []json.RawMessage{json.RawMessage(`{"n":1}`), json.RawMessage(`{"n":2}`)}, kept)
}

func replayWith(t testing.TB, tool core.Tool, script ...coretest.Step) []string {
	t.Helper()
	r := coretest.NewReplay(script...)
	require.NoError(t, newServer(t, tool).Serve(t.Context(), r))
	return said(t, r)
}
