package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"vibevm.org/core"
)

// FuzzServe feeds the loop any bytes: it does not panic, answers each line at
// most once, says only whole frames, and is alive after them.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, callLine("2", "echo", `{"text":"x"}`), callLine("3", "boom", `{}`),
		callLine(`"a"`, "fail", `null`), `{"id":{"a":[1]},"method":"ping"}`, `{"method":"notifications/cancelled","params":{"requestId":1}}`,
		`[{"id":1}]`, "\xef\xbb\xbf{}\r\n\n \t\n42", `{"id":1,"id":null,"method":"tools/list"}`,
		`{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":"t"},"name":"args","arguments":[1,{"a":"\ud800"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	server := newServer(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		last := "\n" + `{"id":"the last","method":"ping"}` + "\n"
		r := bytes.NewReader(append(bytes.Clone(input), last...))
		if err := server.Serve(context.Background(), core.NewTransport(r, &out)); err != nil {
			t.Fatal(err)
		}
		answers := 0
		for frame := range strings.Lines(out.String()) {
			answers++
			if !strings.HasSuffix(frame, "\n") || !json.Valid([]byte(frame)) {
				t.Fatalf("not a frame: %q", frame)
			}
		}
		if lines := bytes.Count(input, []byte("\n")) + 1; answers > lines+1 {
			t.Fatalf("%d answers to %d lines", answers, lines)
		}
		if !strings.Contains(out.String(), `{"jsonrpc":"2.0","id":"the last","result":{}}`+"\n") {
			t.Fatalf("the loop is dead after %q: %q", input, out.String())
		}
	})
}
