package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/lsp/lsptest"
)

func connect(t *testing.T, opts Options) (*Client, *lsptest.Peer) {
	t.Helper()
	peer := lsptest.NewPeer(t)
	client := NewClient(peer.In, peer.Out, opts)
	t.Cleanup(func() {
		require.NoError(t, client.Close())
		peer.Close()
	})
	return client, peer
}

func TestCallsArePipelinedAndAnsweredInAnyOrder(t *testing.T) {
	client, peer := connect(t, Options{})
	first, second := client.Go("one", map[string]string{"s": "µ😀"}), client.Go("two", nil)
	a, b := peer.Expect("one"), peer.Expect("two")
	assert.JSONEq(t, `{"s":"µ😀"}`, string(a.Params))
	assert.Nil(t, b.Params, "params are absent, not null")
	peer.Reply(b, "zwei 日本")
	peer.Reply(a, 1)
	var one int
	var two string
	require.NoError(t, first.Wait(t.Context(), &one))
	require.NoError(t, second.Wait(t.Context(), &two))
	assert.Equal(t, 1, one)
	assert.Equal(t, "zwei 日本", two)
}

// TestAnswersInEverySpelling covers the short cut for results: only the plain
// form takes it, and all forms mean the same.
func TestAnswersInEverySpelling(t *testing.T) {
	client, peer := connect(t, Options{})
	for _, form := range []string{
		`{"jsonrpc":"2.0","id":%s,"result":{"a":[1,"}"]}}`,
		`{"jsonrpc":"2.0","id":%s,"result":{"a":[1,"}"]},"extra":{}}`,
		`{"jsonrpc": "2.0", "id": %s, "result": {"a":[1,"}"]}}`,
		`{"id":%s,"jsonrpc":"2.0","result":{"a":[1,"}"]}}`,
		`{"result":{"a":[1,"}"]},"id":%s,"jsonrpc":"2.0"}`,
	} {
		call := client.Go("x", nil)
		peer.Raw([]byte(frameOf(fmt.Sprintf(form, peer.Receive().ID))))
		var got json.RawMessage
		require.NoError(t, call.Wait(t.Context(), &got), form)
		assert.JSONEq(t, `{"a":[1,"}"]}`, string(got), form)
	}
	assert.Empty(t, client.stream.results)
}

func TestErrorAnswer(t *testing.T) {
	client, peer := connect(t, Options{})
	go func() { peer.ReplyError(peer.Receive(), -32801, "content modified") }()
	err := client.Call(t.Context(), "x", nil, nil)
	var response *ResponseError
	require.ErrorAs(t, err, &response)
	assert.EqualValues(t, -32801, response.Code)
}

func TestNullResult(t *testing.T) {
	client, peer := connect(t, Options{})
	go func() { peer.Reply(peer.Receive(), nil) }()
	var hover *Hover
	require.NoError(t, client.Call(t.Context(), "textDocument/hover", nil, &hover))
	assert.Nil(t, hover)
}

func TestServerRequestsAreAnsweredWhileACallWaits(t *testing.T) {
	client, peer := connect(t, Options{Configuration: func(section string) any {
		if section == "typescript" {
			return map[string]bool{"x": true}
		}
		return nil
	}})
	call := client.Go("slow", nil)
	slow := peer.Expect("slow")
	for _, tc := range []struct {
		method, params, result string
		code                   int
	}{
		{"workspace/configuration", `{"items":[{"section":"typescript"},{"section":"js/ts"},{"scopeUri":"file:///x","section":"typescript"}]}`, `[{"x":true},null,{"x":true}]`, 0},
		{"client/registerCapability", `{"registrations":[]}`, `null`, 0},
		{"window/workDoneProgress/create", `{"token":"t"}`, `null`, 0},
		{"workspace/applyEdit", `{"edit":{}}`, `{"applied":false,"failureReason":"this client never edits"}`, 0},
		{"workspace/diagnostic/refresh", `null`, `null`, 0},
		{"made/up", `{}`, ``, -32601},
	} {
		peer.Request("id-"+tc.method, tc.method, json.RawMessage(tc.params))
		answer := peer.Receive()
		assert.JSONEq(t, `"id-`+tc.method+`"`, string(answer.ID))
		if tc.code != 0 {
			assert.Contains(t, string(answer.Error), "-32601")
			continue
		}
		assert.JSONEq(t, tc.result, string(answer.Result), tc.method)
	}
	peer.Reply(slow, nil)
	require.NoError(t, call.Wait(t.Context(), nil))
}

func TestNotificationsArriveInOrderWithoutLogs(t *testing.T) {
	got := make(chan string, 10)
	_, peer := connect(t, Options{Notify: func(method string, params json.RawMessage) { got <- method + " " + string(params) }})
	peer.Raw([]byte(frameOf(`{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":4,"message":"noise"}}`)))
	peer.Raw([]byte(frameOf(`{"method":"window/logMessage","params":{},"jsonrpc":"2.0"}`)))
	peer.Notify("textDocument/publishDiagnostics", 1)
	peer.Notify("other", 2)
	assert.Equal(t, "textDocument/publishDiagnostics 1", receive(t, got))
	assert.Equal(t, "other 2", receive(t, got))
}

func TestContextEndCancelsAndLateAnswerIsDropped(t *testing.T) {
	client, peer := connect(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	call := client.Go("slow", nil)
	slow := peer.Expect("slow")
	done := make(chan error, 1)
	go func() { done <- call.Wait(ctx, nil) }()
	cancel()
	require.ErrorIs(t, receive(t, done), context.Canceled)
	note := peer.Expect("$/cancelRequest")
	assert.JSONEq(t, `{"id":`+string(slow.ID)+`}`, string(note.Params))
	peer.ReplyError(slow, -32800, "cancelled")
	go func() { peer.Reply(peer.Receive(), "next") }()
	var next string
	require.NoError(t, client.Call(t.Context(), "next", nil, &next))
	assert.Equal(t, "next", next)
	assert.Empty(t, client.stream.results, "a late answer is not kept")
}

func TestEveryPendingCallFailsWhenThePeerDies(t *testing.T) {
	client, peer := connect(t, Options{})
	var calls []*Pending
	for range 20 {
		calls = append(calls, client.Go("x", nil))
		peer.Receive()
	}
	peer.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for _, c := range calls {
		require.ErrorIs(t, c.Wait(ctx, nil), ErrClosed)
	}
	<-client.Done()
	require.ErrorIs(t, client.Err(), ErrClosed)
	require.ErrorIs(t, client.Call(ctx, "x", nil, nil), ErrClosed)
	require.ErrorIs(t, client.Notify("x", nil), ErrClosed)
}

func TestGarbageEndsTheConnectionWithItsReason(t *testing.T) {
	for name, tc := range map[string]struct{ wire, reason string }{
		"header":   {"panic: runtime error\n\n", "CRLF"},
		"body":     {frameOf("not json"), "no JSON-RPC message"},
		"neither":  {frameOf(`{"jsonrpc":"2.0","id":1}`), "no JSON-RPC message"},
		"cut off":  {"Content-Length: 10\r\n\r\n{", "unexpected EOF"},
		"too long": {"Content-Length: 999999999999\r\n\r\n", "over the limit"},
	} {
		t.Run(name, func(t *testing.T) {
			client, peer := connect(t, Options{})
			call := client.Go("x", nil)
			peer.Receive()
			go func() {
				peer.Raw([]byte(tc.wire))
				peer.Close()
			}()
			err := call.Wait(t.Context(), nil)
			require.ErrorIs(t, err, ErrClosed)
			require.ErrorContains(t, err, tc.reason)
			require.ErrorContains(t, client.Err(), tc.reason)
		})
	}
}

// TestNeverBlocksOnAPeerThatDoesNotRead covers the deadlock of two full pipes:
// the server floods us with requests before it reads anything of ours.
func TestNeverBlocksOnAPeerThatDoesNotRead(t *testing.T) {
	client, peer := connect(t, Options{})
	big := strings.Repeat("x", 1<<16)
	for range 100 {
		require.NoError(t, client.Notify("textDocument/didChange", big))
	}
	ctx, cancel := context.WithCancel(t.Context())
	call := client.Go("x", nil)
	cancel()
	require.ErrorIs(t, call.Wait(ctx, nil), context.Canceled)
	for i := range 100 {
		peer.Request(i, "client/registerCapability", nil)
	}
	for range 100 {
		peer.Expect("textDocument/didChange")
	}
	peer.Expect("x")
	peer.Expect("$/cancelRequest")
	for range 100 {
		assert.JSONEq(t, "null", string(peer.Receive().Result))
	}
}

func TestCloseFailsPendingCallsAndFlushesTheQueue(t *testing.T) {
	client, peer := connect(t, Options{})
	call := client.Go("x", nil)
	require.NoError(t, client.Notify("exit", nil))
	require.NoError(t, client.Close())
	require.ErrorIs(t, call.Wait(t.Context(), nil), ErrClosed)
	peer.Expect("x")
	peer.Expect("exit")
	_, err := peer.ReceiveError()
	require.ErrorIs(t, err, io.EOF)
}

func TestInitializeNegotiatesTheEncoding(t *testing.T) {
	for name, tc := range map[string]struct {
		offer  []Encoding
		choice any
		want   Encoding
		fails  bool
	}{
		"absent is utf-16":       {[]Encoding{UTF8}, nil, UTF16, false},
		"utf-8":                  {[]Encoding{UTF8, UTF16}, "utf-8", UTF8, false},
		"utf-16":                 {nil, "utf-16", UTF16, false},
		"utf-32":                 {[]Encoding{UTF32, UTF8}, "utf-32", UTF32, false},
		"one not offered":        {nil, "utf-8", "", true},
		"one that is unheard of": {nil, "utf-7", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			client, peer := connect(t, Options{})
			go func() {
				m := peer.Receive()
				var params struct {
					ProcessID    int    `json:"processId"`
					RootURI      string `json:"rootUri"`
					Capabilities struct {
						General struct{ PositionEncodings []Encoding }
						Window  map[string]any
					}
				}
				assert.NoError(t, json.Unmarshal(m.Params, &params))
				assert.Positive(t, params.ProcessID)
				assert.Equal(t, PathToURI("/r"), params.RootURI)
				assert.NotEmpty(t, params.Capabilities.General.PositionEncodings)
				assert.Equal(t, true, params.Capabilities.Window["workDoneProgress"])
				capabilities := map[string]any{}
				if tc.choice != nil {
					capabilities["positionEncoding"] = tc.choice
				}
				peer.Reply(m, map[string]any{"capabilities": capabilities, "serverInfo": map[string]string{"name": "fake", "version": "1"}})
			}()
			result, err := client.Initialize(t.Context(), InitializeParams{
				RootPath: "/r", Encodings: tc.offer,
				Capabilities: map[string]any{"window": map[string]any{"workDoneProgress": true}},
			})
			if tc.fails {
				require.ErrorContains(t, err, "not offered")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, client.Encoding())
			assert.Equal(t, "fake", result.ServerInfo.Name)
			peer.Expect("initialized")
		})
	}
}

func TestShutdown(t *testing.T) {
	client, peer := connect(t, Options{})
	go func() {
		peer.Reply(peer.Receive(), nil)
		assert.Equal(t, "exit", peer.Receive().Method)
		peer.Close()
	}()
	require.NoError(t, client.Shutdown(t.Context()))
	receive(t, client.Done())
}

func frameOf(body string) string { return string(appendFrame(nil, []byte(body))) }

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		require.Fail(t, "nothing came")
		panic("unreachable")
	}
}
