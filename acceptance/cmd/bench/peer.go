package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"

	"vibevm.org/acceptance/proctable"
)

// peer is a stdio MCP server under load. Unlike mcppipe's session it keeps
// nothing and looks only at ids.
type peer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
}

const initializeFrame = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}` + "\n"

func startPeer(ctx context.Context, argv []string) (*peer, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	// Some contestants log to stderr under load; it goes to the null device.
	in, out, err := startPiped(cmd)
	if err != nil {
		return nil, err
	}
	return &peer{cmd: cmd, in: in, out: out, next: 10}, nil
}

func (p *peer) stop() { endPiped(p.cmd, p.in) }

// peakRSS is in MiB; 0 where the process table cannot be read.
func (p *peer) peakRSS() float64 {
	process, _ := proctable.Get(p.cmd.Process.Pid)
	return float64(process.PeakRSS) / (1 << 20)
}

func (p *peer) initialize() error {
	if _, err := io.WriteString(p.in, initializeFrame); err != nil {
		return err
	}
	if _, err := p.await(1); err != nil {
		return err
	}
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// echoFrame is a call of the echo tool.
func echoFrame(id int, text string) []byte {
	quoted, _ := json.Marshal(text) // a string always marshals
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":%s}}}`+"\n", id, quoted)
}

// echo makes one call and waits for its answer. Writing and reading overlap:
// the answer can be larger than a pipe holds.
func (p *peer) echo(text string) ([]byte, error) {
	p.next++
	frame := echoFrame(p.next, text)
	if len(frame) < 32<<10 {
		if _, err := p.in.Write(frame); err != nil {
			return nil, err
		}
		return p.await(p.next)
	}
	written := make(chan error, 1)
	go func() {
		_, err := p.in.Write(frame)
		written <- err
	}()
	answer, err := p.await(p.next)
	if err != nil {
		return nil, err
	}
	return answer, <-written
}

// await reads up to the answer with this id.
func (p *peer) await(id int) ([]byte, error) {
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("waiting for answer %d: %w", id, err)
		}
		if got, ok := idOf(line); ok && got == id {
			return line, nil
		}
	}
}

// idOf finds the numeric id in a frame without parsing what may be a megabyte.
func idOf(line []byte) (int, bool) {
	// Some servers put the id last.
	for _, at := range []int{bytes.Index(line, []byte(`"id":`)), bytes.LastIndex(line, []byte(`"id":`))} {
		if at < 0 {
			continue
		}
		digits := line[at+len(`"id":`):]
		n := 0
		for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
			n++
		}
		if id, err := strconv.Atoi(string(digits[:n])); err == nil {
			return id, true
		}
	}
	return 0, false
}
