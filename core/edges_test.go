package core_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
)

// TestEdgeCases feeds one hostile or boundary input each, and a ping after it:
// whatever came before, the loop lives. What is expected is decided in
// docs/wire.md. Cases of processes and signals are in coretest/testserver.
func TestEdgeCases(t *testing.T) {
	const initialize = `{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"%","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`
	asking := func(revision string) string { return strings.Replace(initialize, "%", revision, 1) }
	frame := func(rest string) string { return `{"jsonrpc":"2.0",` + rest + `}` }
	text := func(n int) string { return strings.Repeat("a", n) }

	for _, c := range []struct {
		name string
		line string
		want string // answers before the ping's, joined by &
	}{
		// Malformed lines.
		{"not JSON", `this is not json`, "null→-32700"},
		{"truncated object", `{"jsonrpc":"2.0","id":5,"method":"pi`, "null→-32700"},
		{"two frames on one line", frame(`"id":5,"method":"ping"`) + frame(`"id":6,"method":"ping"`), "null→-32700"},
		{"JSON scalar", `42`, "null→-32700"},
		{"JSON string", `"ping"`, "null→-32700"},
		{"JSON null", `null`, "null→-32700"},
		{"NUL bytes", "\x00\x00", "null→-32700"},
		{"batch of two pings", `[` + frame(`"id":5,"method":"ping"`) + `,` + frame(`"id":6,"method":"ping"`) + `]`, "null→-32700"},
		{"empty batch", `[]`, "null→-32700"},
		{"nesting 20000 deep", frame(`"id":5,"method":"tools/call","params":{"name":"ok","arguments":{"a":` +
			strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}}`), "null→-32700"},
		{"byte order mark before a later frame", "\xef\xbb\xbf" + frame(`"id":5,"method":"ping"`), "null→-32700"},
		{"no-break space before the frame", "\u00a0" + frame(`"id":5,"method":"ping"`), "null→-32700"},
		{"empty object", `{}`, "null→-32700"},

		// Frames without a method keep a usable id.
		{"no method, with id", frame(`"id":5`), "5→-32700"},
		{"no method, string id", frame(`"id":"a"`), `"a"→-32700`},
		{"no method, negative id", frame(`"id":-1`), `-1→-32700`},
		{"no method, id object", frame(`"id":{"a":1}`), "null→-32700"},
		{"no method, id true", frame(`"id":true`), "null→-32700"},
		{"no method, id null", frame(`"id":null`), "null→-32700"},
		{"no method, no id", `{"jsonrpc":"2.0"}`, "null→-32700"},
		{"response from the peer", frame(`"id":5,"result":{}`), "5→-32700"},
		{"method is a number", frame(`"id":5,"method":7`), "5→-32700"},
		{"method is null", frame(`"id":5,"method":null`), "5→-32700"},
		{"method is empty", frame(`"id":5,"method":""`), "5→-32601"},

		// Ids.
		{"id null, ping", frame(`"id":null,"method":"ping"`), ""},
		{"id null, call is not run", callLine("null", "boom", "{}"), ""},
		{"id string", frame(`"id":"abc","method":"ping"`), `"abc"→{}`},
		{"id string with escapes", frame(`"id":"\u0061\n","method":"ping"`), `"\u0061\n"→{}`},
		{"id 1.5", frame(`"id":1.5,"method":"ping"`), "1.5→{}"},
		{"id 2^53+1", frame(`"id":9007199254740993,"method":"ping"`), "9007199254740993→{}"},
		{"id of 30 digits", frame(`"id":123456789012345678901234567890,"method":"ping"`), "123456789012345678901234567890→{}"},
		{"id 1e3", frame(`"id":1e3,"method":"ping"`), "1e3→{}"},
		{"id object", frame(`"id":{"a":1},"method":"ping"`), `{"a":1}→{}`},
		{"id array", frame(`"id":[1, 2],"method":"ping"`), `[1, 2]→{}`},
		{"id true", frame(`"id":true,"method":"ping"`), "true→{}"},
		{"id empty string", frame(`"id":"","method":"ping"`), `""→{}`},
		{"id that is not UTF-8", frame("\"id\":\"\xff\xfe\",\"method\":\"ping\""), "null→-32700"},
		{"id object that is not UTF-8", frame("\"id\":{\"\xff\":1},\"method\":\"ping\""), "null→-32700"},
		{"id that is not UTF-8, no method", frame("\"id\":\"\xff\xfe\""), "null→-32700"},
		{"id that is not UTF-8, call is not run", callLine("\"\xff\"", "boom", "{}"), "null→-32700"},
		{"method that is not UTF-8", frame("\"id\":5,\"method\":\"\xff\xfe\""), "5→-32601"},
		{"id 0", frame(`"id":0,"method":"ping"`), "0→{}"},

		// The envelope.
		{"no jsonrpc member", `{"id":5,"method":"ping"}`, "5→{}"},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, "5→{}"},
		{"keys in wrong case", frame(`"ID":5,"METHOD":"ping"`), "null→-32700"},
		{"key with a long s", frame(`"id":5,"method":"tools/call","param\u017f":{"name":"ok"}`), "5→-32602"},
		{"key with an escape", frame(`"\u0069d":5,"meth\u006fd":"ping"`), "5→{}"},
		{"method with an escape", frame(`"id":5,"method":"pin\u0067"`), "5→{}"},
		{"duplicate method, last wins", frame(`"id":5,"method":"ping","method":"nope"`), "5→-32601"},
		{"duplicate id, last wins", frame(`"id":4,"method":"ping","id":5`), "5→{}"},
		{"duplicate id, last is null", frame(`"id":4,"method":"ping","id":null`), ""},
		{"spaces everywhere", " { \"id\" : 5 ,\t\"method\" : \"ping\" } ", "5→{}"},
		{"members in another order", `{"params":{"arguments":{"text":"x"},"name":"echo"},"method":"tools/call","id":5}`, "5→ok(x)"},
		{"carriage return before the line end", frame(`"id":5,"method":"ping"`) + "\r", "5→{}"},
		{"blank line", "", ""},
		{"line of spaces", "  \t ", ""},
		{"line of other white space", "\u00a0\v\f\u2003", ""},

		// Methods.
		{"unknown method", frame(`"id":5,"method":"no/such"`), "5→-32601"},
		{"unknown notification", frame(`"method":"notifications/nope"`), ""},
		{"notification with an id", frame(`"id":5,"method":"notifications/initialized"`), "5→-32601"},
		{"cancellation with an id", frame(`"id":5,"method":"notifications/cancelled","params":{"requestId":1}`), "5→-32601"},
		{"initialize without an id", frame(`"method":"initialize"`), ""},
		{"resources/list", frame(`"id":5,"method":"resources/list"`), "5→-32601"},
		{"tools/list", frame(`"id":5,"method":"tools/list"`), "5→tools"},
		{"tools/list with a cursor", frame(`"id":5,"method":"tools/list","params":{"cursor":"x"}`), "5→tools"},
		{"server/discover", frame(`"id":5,"method":"server/discover"`), "5→-32601"},
		{"server/discover of the 2026 revision", frame(`"id":5,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), "5→-32601"},
		{"initialize without params", frame(`"id":5,"method":"initialize"`), "5→2024-11-05"},
		{"initialize with null params", frame(`"id":5,"method":"initialize","params":null`), "5→2024-11-05"},
		{"initialize asks 1999-01-01", asking("1999-01-01"), "5→2024-11-05"},
		{"initialize asks 2026-07-28", asking("2026-07-28"), "5→2024-11-05"},
		{"initialize twice", asking("2024-11-05") + "\n" + asking("2024-11-05"), "5→2024-11-05 & 5→2024-11-05"},
		{"ping with params that are an array", frame(`"id":5,"method":"ping","params":[1]`), "5→-32602"},

		// Calls.
		{"call as a notification is not run", frame(`"method":"tools/call","params":{"name":"boom"}`), ""},
		{"unknown tool", callLine("5", "nosuch", "{}"), "5→-32601"},
		{"tool name in wrong case", callLine("5", "ECHO", "{}"), "5→-32601"},
		{"tool name missing", frame(`"id":5,"method":"tools/call","params":{"arguments":{}}`), "5→-32602"},
		{"tool name empty", callLine("5", "", "{}"), "5→-32601"},
		{"tool name is a number", frame(`"id":5,"method":"tools/call","params":{"name":5}`), "5→-32602"},
		{"tool name is null", frame(`"id":5,"method":"tools/call","params":{"name":null}`), "5→-32602"},
		{"tool name with an escape", callLine("5", `\u0065cho`, `{"text":"x"}`), "5→ok(x)"},
		{"tool name of 70 KB", callLine("5", text(70<<10), "{}"), "5→-32601"},
		{"call without params", frame(`"id":5,"method":"tools/call"`), "5→-32602"},
		{"call with params null", frame(`"id":5,"method":"tools/call","params":null`), "5→-32602"},
		{"call with params that are an array", frame(`"id":5,"method":"tools/call","params":["echo"]`), "5→-32602"},
		{"call with params that are a string", frame(`"id":5,"method":"tools/call","params":"echo"`), "5→-32602"},
		{"arguments absent", frame(`"id":5,"method":"tools/call","params":{"name":"args"}`), "5→ok({})"},
		{"arguments null", callLine("5", "args", "null"), "5→ok({})"},
		{"arguments are an array", callLine("5", "args", "[1]"), "5→ok([1])"},
		{"arguments with duplicate members", callLine("5", "echo", `{"text":"a","text":"b"}`), "5→ok(b)"},
		{"argument of the wrong type", callLine("5", "echo", `{"text":5}`), "5→error(json: cannot unmarshal number into Go struct field .Text of type string)"},
		{"tool fails", callLine("5", "fail", "{}"), "5→error(tool failed on purpose)"},
		{"tool panics", callLine("5", "boom", "{}"), "5→error(tool panicked: boom)"},
		{"call with unknown _meta", frame(`"id":5,"method":"tools/call","params":{"_meta":{"x":1},"name":"ok"}`), "5→ok(ok)"},
		{"call with _meta that is no object", frame(`"id":5,"method":"tools/call","params":{"_meta":7,"name":"ok"}`), "5→ok(ok)"},

		// Text.
		{"line of 70 KB", callLine("5", "echo", `{"text":"`+text(70<<10)+`"}`), "5→ok[71680 bytes]"},
		{"invalid UTF-8 in an argument", callLine("5", "echo", `{"text":"`+"\xff\xfe"+`"}`), "5→ok(\ufffd\ufffd)"},
		{"invalid UTF-8 handed back raw", callLine("5", "args", `{"text":"`+"\xff"+`"}`), "5→ok({\"text\":\"\ufffd\"})"},
		{"lone surrogate", callLine("5", "echo", `{"text":"\ud800"}`), "5→ok(\ufffd)"},
		{"NUL and U+2028 in an argument", callLine("5", "echo", `{"text":"\u0000 `+"\u2028"+`"}`), "5→ok(\x00 \u2028)"},
		{"quotes, backslashes, line ends", callLine("5", "echo", `{"text":"a\"b\\c\nd\re\tf"}`), "5→ok(a\"b\\c\nd\re\tf)"},

		// Cancellations that name nothing.
		{"cancellation without params", frame(`"method":"notifications/cancelled"`), ""},
		{"cancellation without a request id", frame(`"method":"notifications/cancelled","params":{}`), ""},
		{"cancellation with params that are an array", frame(`"method":"notifications/cancelled","params":[5]`), ""},
		{"cancellation of an unknown id", frame(`"method":"notifications/cancelled","params":{"requestId":77}`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := `{"id":"first","method":"ping"}` + "\n"
			got := serveText(t, first+c.line+"\n"+`{"id":"last","method":"ping"}`+"\n")
			want := []string{`"first"→{}`}
			if c.want != "" {
				want = append(want, strings.Split(c.want, " & ")...)
			}
			// A slow machine may answer the last ping while a tool still runs.
			require.ElementsMatch(t, append(want, `"last"→{}`), got)
		})
	}
}

func TestByteOrderMarkBeforeTheFirstFrameIsStripped(t *testing.T) {
	require.Equal(t, []string{"5→{}"}, serveText(t, "\xef\xbb\xbf"+`{"id":5,"method":"ping"}`+"\r\n"))
}

func TestLastLineWithoutLineEndIsAnswered(t *testing.T) {
	require.Equal(t, []string{"5→{}"}, serveText(t, `{"id":5,"method":"ping"}`))
}

func TestTenCallsThenEndOfInputAreTenAnswers(t *testing.T) {
	var in strings.Builder
	for range 10 {
		in.WriteString(callLine("5", "echo", `{"text":"x"}`) + "\n")
	}
	require.Len(t, serveText(t, in.String()), 10)
}

func TestEndOfInputBeforeAnything(t *testing.T) {
	require.Empty(t, serveText(t, ""))
}

func TestLongLinesAreAnswered(t *testing.T) {
	for _, size := range []int{1, 4095, 4096, 4097, 65535, 65536, 65537, 131072, 1 << 20, 20 << 20} {
		for _, delta := range []int{-110, -105, -100, -95, 0} {
			n := max(1, size+delta)
			in := &openEnd{Reader: strings.NewReader(callLine("5", "echo", `{"text":"`+strings.Repeat("a", n)+`"}`) + "\n" + `{"id":6,"method":"ping"}` + "\n"), end: make(chan struct{})}
			out := &frameCount{enough: 2, reached: in.end}
			require.NoError(t, newServer(t).Serve(t.Context(), core.NewTransport(in, out)))
			var got []string
			for frame := range strings.Lines(out.String()) {
				got = append(got, brief(t, frame))
			}
			slices.Sort(got) // the ping may overtake a long call
			require.Len(t, got, 2, "%d bytes", n)
			require.Contains(t, got[0], "5→ok")
			require.Equal(t, "6→{}", got[1])
			if size > 1<<20 {
				break
			}
		}
	}
}

// openEnd is an input that stays open until end is closed.
type openEnd struct {
	io.Reader
	end chan struct{}
}

func (r *openEnd) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		<-r.end
	}
	return n, err
}

// frameCount closes reached at the frame that makes it enough.
type frameCount struct {
	bytes.Buffer
	enough  int
	reached chan struct{}
}

func (w *frameCount) Write(p []byte) (int, error) {
	if w.enough--; w.enough == 0 {
		close(w.reached)
	}
	return w.Buffer.Write(p)
}
