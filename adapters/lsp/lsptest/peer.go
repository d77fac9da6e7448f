// Package lsptest is a language server whose every message a test decides: the
// far end of a client's pipes, driven step by step.
package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Message is one JSON-RPC message the client sent.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Peer is the server's end. Its methods fail the test on a broken pipe.
type Peer struct {
	t testing.TB
	// In and Out are the client's ends: what it reads and what it writes.
	In  io.Reader
	Out io.WriteCloser

	fromClient *io.PipeReader
	requests   *bufio.Reader
	mu         sync.Mutex
	toClient   *io.PipeWriter
}

// NewPeer is a peer connected through in-memory pipes; the test's end closes
// them.
func NewPeer(t testing.TB) *Peer {
	t.Helper()
	in, toClient := io.Pipe()
	fromClient, out := io.Pipe()
	p := &Peer{t: t, In: in, Out: out, fromClient: fromClient, requests: bufio.NewReader(fromClient), toClient: toClient}
	t.Cleanup(p.Close)
	return p
}

// Receive returns the client's next message.
func (p *Peer) Receive() Message {
	p.t.Helper()
	m, err := p.ReceiveError()
	require.NoError(p.t, err)
	return m
}

// ReceiveError is Receive for a test that expects the end of the stream.
func (p *Peer) ReceiveError() (Message, error) {
	var m Message
	length := -1
	for {
		line, err := p.requests.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimSuffix(line, "\r\n"); line == "" {
			break
		}
		value, ok := strings.CutPrefix(line, "Content-Length: ")
		if !ok {
			return m, fmt.Errorf("unexpected header %q", line)
		}
		if length, err = strconv.Atoi(value); err != nil {
			return m, err
		}
	}
	body := make([]byte, max(length, 0))
	if _, err := io.ReadFull(p.requests, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

// Expect receives the next message and requires its method.
func (p *Peer) Expect(method string) Message {
	p.t.Helper()
	m := p.Receive()
	require.Equal(p.t, method, m.Method, "params %s", m.Params)
	return m
}

// Drain receives and forgets until the client closes its end.
func (p *Peer) Drain() {
	for {
		if _, err := p.ReceiveError(); err != nil {
			return
		}
	}
}

// Reply answers a request with a result.
func (p *Peer) Reply(request Message, result any) {
	p.t.Helper()
	p.send(map[string]any{"jsonrpc": "2.0", "id": request.ID, "result": result})
}

// ReplyError answers a request with an error.
func (p *Peer) ReplyError(request Message, code int, message string) {
	p.t.Helper()
	p.send(map[string]any{"jsonrpc": "2.0", "id": request.ID, "error": map[string]any{"code": code, "message": message}})
}

// Request sends a request of the server's own.
func (p *Peer) Request(id any, method string, params any) {
	p.t.Helper()
	p.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

// Notify sends a notification.
func (p *Peer) Notify(method string, params any) {
	p.t.Helper()
	p.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

func (p *Peer) send(v any) {
	p.t.Helper()
	p.Raw(Frame(v))
}

// Raw writes bytes as they are.
func (p *Peer) Raw(b []byte) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.toClient.Write(b)
	require.NoError(p.t, err)
}

// Close ends both directions, as a killed process does.
func (p *Peer) Close() {
	_ = p.toClient.Close()
	_ = p.fromClient.Close()
}

// Frame is a message with its header.
func Frame(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test passed something that is no JSON
	}
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}
