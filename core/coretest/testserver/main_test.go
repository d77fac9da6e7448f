package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// serveVariable makes the test binary be the server.
const serveVariable = "TESTSERVER_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := serve(append(mounted(), strays()...)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process is a running server.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	stdout *os.File
	out    *bufio.Reader
	stderr bytes.Buffer // to be read after wait
}

func command(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	return cmd
}

// start starts a server; the test's end closes its input and waits for it.
func start(t *testing.T) *process {
	t.Helper()
	p := &process{Cmd: command(t)}
	p.Stderr = &p.stderr
	var err error
	p.in, err = p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	p.stdout = out.(*os.File)
	p.out = bufio.NewReaderSize(out, 1<<20)
	require.NoError(t, p.Start())
	t.Cleanup(func() {
		_ = p.in.Close()
		_ = out.Close()
		kill := time.AfterFunc(time.Minute, func() { _ = p.Process.Kill() })
		defer kill.Stop()
		_ = p.Wait()
	})
	return p
}

func (p *process) send(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(p.in, line+"\n")
		require.NoError(t, err)
	}
}

// next returns the next frame.
func (p *process) next(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(line)), "every line on stdout is a frame: %.200q", line)
	return strings.TrimSuffix(line, "\n")
}

// rest closes the input, if it is open, and returns the frames up to the end.
func (p *process) rest(t *testing.T) (frames []string) {
	t.Helper()
	_ = p.in.Close()
	all, err := io.ReadAll(p.out)
	require.NoError(t, err)
	for line := range strings.Lines(string(all)) {
		require.True(t, json.Valid([]byte(line)), "every line on stdout is a frame: %.200q", line)
		frames = append(frames, strings.TrimSuffix(line, "\n"))
	}
	return frames
}

func ping(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func pong(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

func call(id, name, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `}}`
}

func text(id, report string, isError bool) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}],"isError":%t}}`, id, report, isError)
}

func TestSession(t *testing.T) {
	p := start(t)
	p.send(t, `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	require.Contains(t, p.next(t), "-32601")
	require.Contains(t, p.next(t), `"protocolVersion":"2024-11-05"`)
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	require.Contains(t, p.next(t), `"$defs":{"address":`)
	p.send(t, call("3", "echo", `{"text":"x"}`), call("4", "fail", `{}`), call("5", "boom", `null`), call("6", "noisy", `{}`))
	require.Equal(t, text("3", "x", false), p.next(t))
	require.Equal(t, text("4", "tool failed on purpose", true), p.next(t))
	require.Equal(t, text("5", "tool panicked: boom", true), p.next(t))
	require.Equal(t, text("6", "ok\n\nstandard error:\nstray stderr\n", false), p.next(t))
	p.send(t, "garbage", ping("7"))
	require.Contains(t, p.next(t), `"id":null,"error":{"code":-32700`)
	require.Equal(t, pong("7"), p.next(t))
	require.Empty(t, p.rest(t))
	require.NoError(t, p.Wait())
	require.Empty(t, p.stderr.String(), "standard error is silent")
}

func TestEndOfInputExitsCleanly(t *testing.T) {
	tenCalls := strings.Repeat(call("1", "echo", `{"text":"x"}`)+"\n", 10)
	for name, c := range map[string]struct {
		input string
		want  int
	}{
		"before anything":          {"", 0},
		"in the middle of a frame": {`{"jsonrpc":"2.0","id":`, 1},
		"after ten calls":          {tenCalls, 10},
		"while a tool runs":        {call("1", "slow", `{"ms":300}`) + "\n", 1},
		"without a line end":       {ping("1"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			_, err := io.WriteString(p.in, c.input)
			require.NoError(t, err)
			require.Len(t, p.rest(t), c.want)
			require.NoError(t, p.Wait())
		})
	}
}

// Regression: a null standard input made servers spin or leak.
func TestNullDeviceAsStandardInputExitsAtOnce(t *testing.T) {
	cmd := command(t) // os/exec gives it the null device
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, out)
}

func TestLineOf20MB(t *testing.T) {
	p := start(t)
	long := strings.Repeat("a", 20<<20)
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.in, call("1", "echo", `{"text":"`+long+`"}`)+"\n"+ping("2")+"\n")
		sent <- err
	}()
	// The report is bounded, the call is not.
	frames := []string{p.next(t), p.next(t)}
	if frames[0] == pong("2") { // the ping may overtake a long call
		frames[0], frames[1] = frames[1], frames[0]
	}
	require.NoError(t, <-sent)
	require.Contains(t, frames[0][:40], `{"jsonrpc":"2.0","id":1,"result"`)
	require.Contains(t, frames[0], "the report is 20971520 bytes long")
	require.Equal(t, pong("2"), frames[1])
}

func TestTwoServersAtOnce(t *testing.T) {
	a, b := start(t), start(t)
	for _, p := range []*process{a, b} {
		p.send(t, ping("1"))
		require.Equal(t, pong("1"), p.next(t))
	}
}
