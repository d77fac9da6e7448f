package acceptance_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
)

// An expected answer, compared with what describe makes of a frame:
// "5 ok", "5 error -32601", "5 text hello", "5 tool-error", "5 revision 2024-11-05".
type answers []string

type wireCase struct {
	name string
	// raw cases start without a handshake.
	raw bool
	// echo cases need the tools of the core's test server.
	echo bool
	send string
	want answers
}

func call(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments)
}

func initialize(id, revision string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`+"\n", id, revision)
}

const modernMeta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}}`

// Hostile and boundary input, and what docs/wire.md promises for each.
var wireCases = []wireCase{
	// Lines that are no request.
	{name: "not JSON", send: "this is not json\n", want: answers{"null error -32700"}},
	{name: "truncated object", send: `{"jsonrpc":"2.0","id":5,"method":"pi` + "\n", want: answers{"null error -32700"}},
	{name: "two frames on one line", send: `{"jsonrpc":"2.0","id":5,"method":"ping"}{"jsonrpc":"2.0","id":6,"method":"ping"}` + "\n", want: answers{"null error -32700"}},
	{name: "scalar", send: "42\n", want: answers{"null error -32700"}},
	{name: "null", send: "null\n", want: answers{"null error -32700"}},
	{name: "batch", send: `[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","id":6,"method":"ping"}]` + "\n", want: answers{"null error -32700"}},
	{name: "empty batch", send: "[]\n", want: answers{"null error -32700"}},
	{name: "NUL bytes", send: "\x00\x00\n", want: answers{"null error -32700"}},
	{name: "nested 20000 deep", send: `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}}\n", want: answers{"null error -32700"}},
	{name: "no method, with an id", send: `{"jsonrpc":"2.0","id":5}` + "\n", want: answers{"5 error -32700"}},
	{name: "no method, with a string id", send: `{"jsonrpc":"2.0","id":"a\"b"}` + "\n", want: answers{`"a\"b" error -32700`}},
	{name: "no method, no id", send: `{"jsonrpc":"2.0"}` + "\n", want: answers{"null error -32700"}},
	{name: "no method, id is an object", send: `{"jsonrpc":"2.0","id":{"a":1}}` + "\n", want: answers{"null error -32700"}},
	{name: "a response", send: `{"jsonrpc":"2.0","id":5,"result":{}}` + "\n", want: answers{"5 error -32700"}},
	{name: "method is a number", send: `{"jsonrpc":"2.0","id":5,"method":7}` + "\n", want: answers{"5 error -32700"}},
	{name: "method is null", send: `{"jsonrpc":"2.0","id":5,"method":null}` + "\n", want: answers{"5 error -32700"}},
	{name: "member names in capitals", send: `{"jsonrpc":"2.0","ID":5,"METHOD":"ping"}` + "\n", want: answers{"null error -32700"}},
	{name: "a member name that folds to method", send: `{"jsonrpc":"2.0","id":5,"method":"tools/call","param` + "\u017f" + `":{"name":"x"}}` + "\n", want: answers{"5 error -32602"}},

	// Lines that are nothing at all.
	{name: "blank line", send: "\n", want: answers{}},
	{name: "line of spaces", send: "  \t \n", want: answers{}},

	// Encodings of a line.
	{name: "CRLF", send: `{"jsonrpc":"2.0","id":5,"method":"ping"}` + "\r\n", want: answers{"5 ok"}},
	{name: "byte order mark before the first frame", raw: true, send: "\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":5,"method":"ping"}` + "\n", want: answers{"5 ok"}},
	{name: "escaped member name", send: `{"jsonrpc":"2.0","id":5,"\u006dethod":"ping"}` + "\n", want: answers{"5 ok"}},
	{name: "no jsonrpc member", send: `{"id":5,"method":"ping"}` + "\n", want: answers{"5 ok"}},
	{name: "jsonrpc 1.0", send: `{"jsonrpc":"1.0","id":5,"method":"ping"}` + "\n", want: answers{"5 ok"}},
	{name: "method twice", send: `{"jsonrpc":"2.0","id":5,"method":"ping","method":"nope"}` + "\n", want: answers{"5 error -32601"}},
	{name: "id twice", send: `{"jsonrpc":"2.0","id":4,"id":5,"method":"ping"}` + "\n", want: answers{"5 ok"}},

	// Ids come back as they were sent.
	{name: "id string", send: `{"jsonrpc":"2.0","id":"abc","method":"ping"}` + "\n", want: answers{`"abc" ok`}},
	{name: "id escaped string", send: `{"jsonrpc":"2.0","id":"\u0061\n","method":"ping"}` + "\n", want: answers{`"\u0061\n" ok`}},
	{name: "id empty string", send: `{"jsonrpc":"2.0","id":"","method":"ping"}` + "\n", want: answers{`"" ok`}},
	{name: "id zero", send: `{"jsonrpc":"2.0","id":0,"method":"ping"}` + "\n", want: answers{"0 ok"}},
	{name: "id fraction", send: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n", want: answers{"1.5 ok"}},
	{name: "id 1e3", send: `{"jsonrpc":"2.0","id":1e3,"method":"ping"}` + "\n", want: answers{"1e3 ok"}},
	{name: "id over 2^53", send: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}` + "\n", want: answers{"9007199254740993 ok"}},
	{name: "id of 30 digits", send: `{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}` + "\n", want: answers{"123456789012345678901234567890 ok"}},
	{name: "id object", send: `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}` + "\n", want: answers{`{"a":1} ok`}},
	{name: "id true", send: `{"jsonrpc":"2.0","id":true,"method":"ping"}` + "\n", want: answers{"true ok"}},

	// Notifications are absorbed, whatever they name.
	{name: "id null, ping", send: `{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n", want: answers{}},
	{name: "id null, 2026 probe", send: `{"jsonrpc":"2.0","id":null,"method":"server/discover","params":` + modernMeta + "}\n", want: answers{}},
	{name: "ping without an id", send: `{"jsonrpc":"2.0","method":"ping"}` + "\n", want: answers{}},
	{name: "initialize without an id", send: `{"jsonrpc":"2.0","method":"initialize"}` + "\n", want: answers{}},
	{name: "unknown notification", send: `{"jsonrpc":"2.0","method":"notifications/nope"}` + "\n", want: answers{}},
	{name: "cancelled without params", send: `{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n", want: answers{}},
	{name: "cancelled for an unknown call", send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}` + "\n", want: answers{}},
	{name: "initialized with an id", send: `{"jsonrpc":"2.0","id":5,"method":"notifications/initialized"}` + "\n", want: answers{"5 error -32601"}},

	// Methods.
	{name: "unknown method", send: `{"jsonrpc":"2.0","id":5,"method":"no/such"}` + "\n", want: answers{"5 error -32601"}},
	{name: "empty method", send: `{"jsonrpc":"2.0","id":5,"method":""}` + "\n", want: answers{"5 error -32601"}},
	{name: "prompts/list, not declared", send: `{"jsonrpc":"2.0","id":5,"method":"prompts/list"}` + "\n", want: answers{"5 error -32601"}},
	{name: "unknown tool", send: call("5", "nosuch", "{}"), want: answers{"5 error -32601"}},
	{name: "empty tool name", send: call("5", "", "{}"), want: answers{"5 error -32601"}},
	{name: "no tool name", send: `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"arguments":{}}}` + "\n", want: answers{"5 error -32602"}},
	{name: "tool name is a number", send: `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":5}}` + "\n", want: answers{"5 error -32602"}},
	{name: "tools/call without params", send: `{"jsonrpc":"2.0","id":5,"method":"tools/call"}` + "\n", want: answers{"5 error -32602"}},
	{name: "tools/call with an array", send: `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":["echo"]}` + "\n", want: answers{"5 error -32602"}},
	{name: "tools/list without params", send: `{"jsonrpc":"2.0","id":5,"method":"tools/list"}` + "\n", want: answers{"5 ok"}},

	// No state gates anything.
	{name: "ping first", raw: true, send: `{"jsonrpc":"2.0","id":5,"method":"ping"}` + "\n", want: answers{"5 ok"}},
	{name: "tools/list first", raw: true, send: `{"jsonrpc":"2.0","id":5,"method":"tools/list"}` + "\n", want: answers{"5 ok"}},
	{name: "2026 probe first, bare", raw: true, send: `{"jsonrpc":"2.0","id":5,"method":"server/discover"}` + "\n", want: answers{"5 error -32601"}},
	{
		name: "2026 probe, then initialize", raw: true,
		send: `{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":` + modernMeta + "}\n" + initialize("6", "2025-11-25"),
		want: answers{`"server-discover-probe-1" error -32601`, "6 revision 2024-11-05"},
	},
	{name: "initialize without params", raw: true, send: `{"jsonrpc":"2.0","id":5,"method":"initialize"}` + "\n", want: answers{"5 revision 2024-11-05"}},
	{name: "initialize asks for the past", raw: true, send: initialize("5", "1999-01-01"), want: answers{"5 revision 2024-11-05"}},
	{name: "initialize asks for 2025-06-18", raw: true, send: initialize("5", "2025-06-18"), want: answers{"5 revision 2024-11-05"}},
	{name: "initialize asks for 2026-07-28", raw: true, send: initialize("5", "2026-07-28"), want: answers{"5 revision 2024-11-05"}},
	{name: "initialize again", send: initialize("5", "2024-11-05"), want: answers{"5 revision 2024-11-05"}},
	{name: "last line without a newline", send: `{"jsonrpc":"2.0","id":5,"method":"ping"}`, want: answers{"5 ok"}},

	// Tools of the test server.
	{name: "call before initialize", raw: true, echo: true, send: call("5", "echo", `{"text":"x"}`), want: answers{"5 text x"}},
	{name: "call as a notification", echo: true, send: `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}` + "\n", want: answers{}},
	{name: "call with id null", echo: true, send: call("null", "echo", `{"text":"x"}`), want: answers{}},
	{name: "arguments absent", echo: true, send: `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_simple_text"}}` + "\n", want: answers{"5 text *"}},
	{name: "arguments null", echo: true, send: call("5", "test_simple_text", "null"), want: answers{"5 text *"}},
	{name: "arguments are an array", echo: true, send: call("5", "echo", "[1]"), want: answers{"5 tool-error"}},
	{name: "argument of the wrong type", echo: true, send: call("5", "echo", `{"text":5}`), want: answers{"5 tool-error"}},
	{name: "a tool that fails", echo: true, send: call("5", "fail", "{}"), want: answers{"5 tool-error"}},
	{name: "a tool that panics", echo: true, send: call("5", "boom", "{}"), want: answers{"5 tool-error"}},
	{name: "a tool that writes to stderr", echo: true, send: call("5", "noisy", "{}"), want: answers{"5 text *"}},
	{name: "a failing tool, then a good one", echo: true, send: call("5", "boom", "{}") + call("6", "echo", `{"text":"y"}`), want: answers{"5 tool-error", "6 text y"}},
	{name: "invalid UTF-8", echo: true, send: call("5", "echo", "{\"text\":\"\xff\xfe\"}"), want: answers{"5 text \ufffd\ufffd"}},
	{name: "lone surrogate", echo: true, send: call("5", "echo", `{"text":"\ud800"}`), want: answers{"5 text \ufffd"}},
	{name: "NUL and U+2028", echo: true, send: call("5", "echo", `{"text":"\u0000 `+"\u2028"+`"}`), want: answers{"5 text \x00 \u2028"}},
	{name: "newlines and HTML", echo: true, send: call("5", "echo", `{"text":"a\nb\r\n<&>"}`), want: answers{"5 text a\nb\r\n<&>"}},
	{name: "the same id twice", echo: true, send: call("5", "slow", `{"ms":50}`) + call("5", "slow", `{"ms":50}`), want: answers{"5 text *", "5 text *"}},
	{
		name: "ten calls and the end of input", echo: true,
		send: call("5", "echo", `{"text":"a"}`) + call("6", "echo", `{"text":"b"}`) + call("7", "echo", `{"text":"c"}`) + call("8", "echo", `{"text":"d"}`) + call("9", "echo", `{"text":"e"}`) +
			call("10", "echo", `{"text":"f"}`) + call("11", "echo", `{"text":"g"}`) + call("12", "echo", `{"text":"h"}`) + call("13", "echo", `{"text":"i"}`) + call("14", "echo", `{"text":"j"}`),
		want: answers{"5 text a", "6 text b", "7 text c", "8 text d", "9 text e", "10 text f", "11 text g", "12 text h", "13 text i", "14 text j"},
	},
}

// describe renders a frame the way wireCases expects it. A text that the case
// leaves open is "*".
func describe(t *testing.T, frame mcppipe.Frame, want string) string {
	t.Helper()
	var members map[string]json.RawMessage
	_ = json.Unmarshal(frame.Result, &members)
	switch {
	case frame.Error != nil:
		return fmt.Sprintf("%s error %d", frame.ID, frame.Error.Code)
	case strings.HasPrefix(want, frame.ID+" revision "):
		var result struct {
			ProtocolVersion string `json:"protocolVersion"`
			ServerInfo      struct{ Name, Version string }
			Capabilities    struct {
				Tools *struct {
					ListChanged bool `json:"listChanged"`
				} `json:"tools"`
			} `json:"capabilities"`
		}
		require.NoError(t, json.Unmarshal(frame.Result, &result))
		assert.NotEmpty(t, result.ServerInfo.Name)
		assert.NotEmpty(t, result.ServerInfo.Version)
		if assert.NotNil(t, result.Capabilities.Tools) {
			assert.False(t, result.Capabilities.Tools.ListChanged)
		}
		return frame.ID + " revision " + result.ProtocolVersion
	case members["content"] != nil:
		result, err := mcppipe.ParseToolResult(frame.Result)
		require.NoError(t, err)
		switch {
		case result.IsError:
			assert.NotEmpty(t, result.Text)
			return frame.ID + " tool-error"
		case want == frame.ID+" text *":
			return want
		}
		return frame.ID + " text " + result.Text
	}
	return frame.ID + " ok"
}

// replay sends a case and a ping, ends the input, and returns every answer but
// the handshake's and the ping's. Nothing can come later: the server has exited.
func replay(t *testing.T, server mcppipe.Server, c wireCase) []mcppipe.Frame {
	t.Helper()
	session := start(t, server, false)
	ctx := within60s(t)
	if !c.raw {
		_, err := session.Initialize(ctx)
		require.NoError(t, err)
	}
	shaken := len(session.Frames())
	send := c.send
	if strings.HasSuffix(send, "\n") {
		send += `{"jsonrpc":"2.0","id":"alive?","method":"ping"}` + "\n"
	}
	require.NoError(t, session.Send(send))
	require.NoError(t, session.CloseInput())
	require.NoError(t, session.Wait(ctx))
	frames := session.Frames()[shaken:]
	alive := slices.IndexFunc(frames, func(f mcppipe.Frame) bool { return f.ID == `"alive?"` })
	if strings.HasSuffix(c.send, "\n") {
		require.NotEqual(t, -1, alive, "the server was deaf afterwards")
		frames = slices.Delete(slices.Clone(frames), alive, alive+1)
	}
	return frames
}

func TestCoreAnswersWireCases(t *testing.T) {
	t.Parallel()
	testWireCases(t, mcppipe.Server{Path: binary(t, "core/coretest/testserver")}, wireCases)
}

func TestProductAnswersWireCases(t *testing.T) {
	t.Parallel()
	cases := slices.DeleteFunc(slices.Clone(wireCases), func(c wireCase) bool { return c.echo })
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		testWireCases(t, mcppipe.Server{Path: binary(t, l.server), Args: []string{"--path", t.TempDir()}}, cases)
	})
}

func testWireCases(t *testing.T, server mcppipe.Server, cases []wireCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := answers{}
			for i, frame := range replay(t, server, c) {
				want := ""
				if i < len(c.want) {
					want = c.want[i]
				}
				got = append(got, describe(t, frame, want))
			}
			assert.Equal(t, c.want, got)
		})
	}
}
