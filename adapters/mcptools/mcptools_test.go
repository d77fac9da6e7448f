package mcptools_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/adapters/mcptools"
	"vibevm.org/core"
	"vibevm.org/tcgfamily"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// oracle answers every question with one function.
type oracle func(ctx context.Context) (json.RawMessage, error)

func (o oracle) Ask(ctx context.Context, _ tcgfamily.Language, _ string, _ any) (json.RawMessage, error) {
	return o(ctx)
}

func (oracle) Warm(tcgfamily.Language) bool { return false }

// always answers with one result.
func always(result string) oracle {
	return func(context.Context) (json.RawMessage, error) { return json.RawMessage(result), nil }
}

// validation is a result with n errors.
func validation(n int) string {
	verdict, list := "clean", make([]string, n)
	for i := range list {
		verdict = "errors"
		list[i] = fmt.Sprintf(`{"code":2322,"category":"error","message":"Type 'Map<string, %d>' is not assignable.","line":%d,"character":3}`, i, i+1)
	}
	return fmt.Sprintf(`{"verdict":%q,"engine":{"name":"typescript","version":"7.0.2"},"coverage":"compiler","source":"disk","config_file":"tsconfig.json",`+
		`"elapsed_ms":3,"file":"a.ts","diagnostics":[%s],"conform_findings":[],"advice":[],"facts":[],"markers":[],"degraded":false}`, verdict, strings.Join(list, ","))
}

func server(t *testing.T, o oracle, opts ...tcgfamily.Option) *core.Server {
	t.Helper()
	family := tcgfamily.New(o, tcgfamily.Standalone(tcgfamily.TypeScript), opts...)
	tools, err := core.NewToolSet(mcptools.Tools(family)...)
	require.NoError(t, err)
	return core.NewServer(core.Info{Name: "test", Version: "1"}, tools, nil)
}

// frame is an answer or a notification of the server.
type frame struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Params json.RawMessage
}

// result is the result of tools/call.
type result struct {
	Content []struct{ Type, Text string }
	// StructuredContent is what a host that reads it sees.
	StructuredContent struct {
		Verdict   string
		Truncated map[string]int
		Error     struct{ Kind string }
	}
	IsError *bool
}

// replay sends lines and returns the frames that come back until the end.
func replay(t *testing.T, s *core.Server, lines ...string) []frame {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(lines, "\n") + "\n")
	require.NoError(t, s.Serve(t.Context(), core.NewTransport(in, &out)))
	var frames []frame
	for line := range bytes.Lines(out.Bytes()) {
		var f frame
		require.NoError(t, json.Unmarshal(line, &f), "%s", line)
		frames = append(frames, f)
	}
	return frames
}

func called(t *testing.T, f frame) result {
	t.Helper()
	var r result
	require.NoError(t, json.Unmarshal(f.Result, &r), "%s", f.Result)
	require.Len(t, r.Content, 1)
	require.NotNil(t, r.IsError)
	return r
}

const callValidate = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tcg_validate","arguments":{"file":"a.ts"}}}`

func TestToolsAreListed(t *testing.T) {
	frames := replay(t, server(t, nil), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	require.Len(t, frames, 1)
	assert.Less(t, len(frames[0].Result), 6000)
	var list struct {
		Tools []struct {
			Name, Title, Description string
			InputSchema              struct{ Type string }
			Annotations              map[string]bool
		}
	}
	require.NoError(t, json.Unmarshal(frames[0].Result, &list))
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		assert.NotEmpty(t, tool.Title)
		assert.NotEmpty(t, tool.Description)
		assert.Equal(t, "object", tool.InputSchema.Type)
		assert.Equal(t, map[string]bool{
			"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
		}, tool.Annotations)
	}
	assert.Equal(t, []string{"tcg_complete", "tcg_scope", "tcg_type", "tcg_validate"}, names)
}

func TestCall(t *testing.T) {
	for name, tt := range map[string]struct {
		oracle  oracle
		isError bool
		verdict string
		text    string
	}{
		"clean":       {always(validation(0)), false, "clean", "clean: no errors in a.ts"},
		"errors":      {always(validation(2)), true, "errors", "errors: 2 errors in a.ts"},
		"many errors": {always(validation(5000)), true, "errors", "errors: 5000 errors in a.ts"},
		"failure": {
			func(context.Context) (json.RawMessage, error) {
				return nil, &tcgfamily.ToolError{Kind: "typescript-unresolvable", Detail: "none", Recipe: "npm install -D typescript"}
			},
			true, "unknown", "tcg_validate failed: typescript-unresolvable: none\nfix: npm install -D typescript",
		},
	} {
		t.Run(name, func(t *testing.T) {
			frames := replay(t, server(t, tt.oracle), callValidate)
			require.Len(t, frames, 1)
			r := called(t, frames[0])
			assert.Equal(t, tt.isError, *r.IsError)
			assert.Equal(t, tt.verdict, r.StructuredContent.Verdict)
			assert.True(t, strings.HasPrefix(r.Content[0].Text, tt.text), r.Content[0].Text)
			assert.Less(t, len(frames[0].Result), 8000)
		})
	}
}

// Bad arguments are an answer that the model can read, not a protocol error.
func TestRefusal(t *testing.T) {
	frames := replay(t, server(t, nil), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tcg_validate"}}`)
	require.Len(t, frames, 1)
	r := called(t, frames[0])
	assert.True(t, *r.IsError)
	assert.Equal(t, "bad-arguments", r.StructuredContent.Error.Kind)
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(context.Context) (json.RawMessage, error) {
			time.Sleep(1900 * time.Millisecond) // the end of input gives it two seconds
			return json.RawMessage(validation(0)), nil
		}
		s := server(t, slow, tcgfamily.WithProgressEvery(900*time.Millisecond))

		frames := replay(t, s, strings.Replace(callValidate, `"params":{`, `"params":{"_meta":{"progressToken":"p"},`, 1))
		require.Len(t, frames, 4)
		var messages []string
		var last float64
		for _, f := range frames[:3] {
			var p struct {
				ProgressToken, Message string
				Progress               float64
				Total                  *float64
			}
			require.NoError(t, json.Unmarshal(f.Params, &p))
			assert.Equal(t, "notifications/progress", f.Method)
			assert.Equal(t, "p", p.ProgressToken)
			assert.Greater(t, p.Progress, last)
			assert.Nil(t, p.Total)
			messages, last = append(messages, p.Message), p.Progress
		}
		const starting = "starting the typescript oracle"
		assert.Equal(t, []string{starting, starting + " (1 s)", starting + " (2 s)"}, messages)
		called(t, frames[3])

		assert.Len(t, replay(t, s, callValidate), 1, "progress without a token")
	})
}

// A call that its caller gave up is not answered; the next one is.
func TestCancelledCallIsNotAnswered(t *testing.T) {
	asked := make(chan struct{}, 2)
	busy := func(ctx context.Context) (json.RawMessage, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	s := server(t, busy)
	go func() {
		served <- s.Serve(t.Context(), core.NewTransport(in, out))
		_ = out.Close() // ends the scanner
	}()
	send := func(line string) {
		_, err := io.WriteString(toServer, line+"\n")
		require.NoError(t, err)
	}
	send(callValidate)
	<-asked
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tcg_validate"}}`)
	scanner := bufio.NewScanner(fromServer)
	require.True(t, scanner.Scan())
	var first frame
	require.NoError(t, json.Unmarshal(scanner.Bytes(), &first))
	assert.Equal(t, "2", string(first.ID), scanner.Text())
	require.NoError(t, toServer.Close()) // the end of input ends the server
	assert.False(t, scanner.Scan(), scanner.Text())
	require.NoError(t, <-served)
}
