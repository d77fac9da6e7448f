package core_test

import (
	"io"
	"strings"
	"testing"

	"vibevm.org/core"
)

// peer sends one line for every iteration of the benchmark and takes the
// answers.
type peer struct {
	b    *testing.B
	line []byte
}

func (p *peer) ReadLine() ([]byte, error) {
	if !p.b.Loop() {
		return nil, io.EOF
	}
	return p.line, nil
}

func (p *peer) WriteLine([]byte) error { return nil }
func (p *peer) Close() error           { return nil }

func benchmark(b *testing.B, line string) {
	b.Helper()
	server := newServer(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	if err := server.Serve(b.Context(), &peer{b: b, line: []byte(line)}); err != nil {
		b.Fatal(err)
	}
}

var _ core.Transport = (*peer)(nil)

func BenchmarkPing(b *testing.B) { benchmark(b, `{"jsonrpc":"2.0","id":12345,"method":"ping"}`) }
func BenchmarkToolsList(b *testing.B) {
	benchmark(b, `{"jsonrpc":"2.0","id":12345,"method":"tools/list"}`)
}

func BenchmarkCall(b *testing.B) { benchmark(b, callLine("12345", "ok", "{}")) }

func BenchmarkEcho(b *testing.B) { benchmark(b, callLine("12345", "echo", `{"text":"hello"}`)) }

func BenchmarkEchoMiB(b *testing.B) {
	benchmark(b, callLine("12345", "echo", `{"text":"`+strings.Repeat(`the quick brown fox, \"quoted\"\n`, 32<<10)+`"}`))
}
