package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"
)

// ErrClosed is matched by the error of every call on a connection that ended,
// whether we closed it or the peer died. The text says which.
var ErrClosed = errors.New("connection closed")

// ResponseError is an error the server answered with.
type ResponseError = jsonrpc2.Error

// Options of a client; the zero value is usable.
type Options struct {
	// Notify receives the server's notifications other than logs, in order. It
	// runs on the goroutine that reads, so it must return at once.
	Notify func(method string, params json.RawMessage)
	// Configuration answers workspace/configuration for one section; nil
	// answers null to all.
	Configuration func(section string) any
}

// Client is one connection to a language server. All methods may be called
// concurrently.
type Client struct {
	conn     *jsonrpc2.Conn
	stream   *stream
	ids      atomic.Uint64
	encoding atomic.Value // Encoding
}

// NewClient starts reading from r and writing to w. Close closes w; the reader
// ends when r does, which for a child process is when it exits.
func NewClient(r io.Reader, w io.WriteCloser, opts Options) *Client {
	c := &Client{stream: newStream(r, w)}
	c.encoding.Store(UTF16)
	c.conn = jsonrpc2.NewConn(context.Background(), c.stream, &serverHandler{opts: opts}, jsonrpc2.SetLogger(silent{}))
	return c
}

// silent drops the library's log lines: a late answer to a cancelled request
// is normal, and the reason of a broken connection is in Err.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Pending is a request that was sent.
type Pending struct {
	client *Client
	id     uint64
	waiter jsonrpc2.Waiter
	err    error
}

// Go sends a request without waiting, so that requests can be pipelined. It
// never blocks; a failure to send is reported by Wait.
func (c *Client) Go(method string, params any) *Pending {
	// The id is picked here because $/cancelRequest must name it.
	p := &Pending{client: c, id: c.ids.Add(1)}
	c.stream.expect(p.id)
	p.waiter, p.err = c.conn.DispatchCall(context.Background(), method, params, jsonrpc2.PickID(jsonrpc2.ID{Num: p.id}))
	return p
}

// Wait decodes the answer into result, which may be nil. When ctx ends first
// the server is told with $/cancelRequest and Wait returns the context's error
// at once. Either Wait or Cancel is called, once.
func (p *Pending) Wait(ctx context.Context, result any) error {
	if p.err != nil {
		p.client.stream.take(p.id)
		return p.client.explain(p.err)
	}
	var answer json.RawMessage
	err := p.waiter.Wait(ctx, &answer)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		p.Cancel()
		return err
	}
	aside := p.client.stream.take(p.id)
	switch {
	case err != nil:
		return p.client.explain(err)
	case result == nil:
		return nil
	case aside != nil:
		answer = aside
	}
	return json.Unmarshal(answer, result)
}

// Cancel tells the server that nobody waits for the answer, and forgets it.
func (p *Pending) Cancel() {
	p.client.stream.take(p.id)
	_ = p.client.Notify("$/cancelRequest", cancelParams{ID: p.id})
}

type cancelParams struct {
	ID uint64 `json:"id"`
}

// Call sends a request and waits for its answer as Pending.Wait does. An error
// answer is a *ResponseError; the end of the connection matches ErrClosed.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	return c.Go(method, params).Wait(ctx, result)
}

// Notify queues a notification. It never blocks; the error is that of a closed
// connection. It goes past the library, which encodes a message three times:
// notifications carry whole source texts.
func (c *Client) Notify(method string, params any) error {
	return c.explain(c.stream.notify(method, params))
}

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.conn.DisconnectNotify() }

// Err says why the connection ended, matching ErrClosed; nil while it is open.
func (c *Client) Err() error {
	select {
	case <-c.Done():
		return c.explain(jsonrpc2.ErrClosed)
	default:
		return nil
	}
}

// explain gives the library's bare ErrClosed its reason.
func (c *Client) explain(err error) error {
	if !errors.Is(err, jsonrpc2.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	if reason := c.stream.reason(); reason != nil {
		return fmt.Errorf("%w: %w", ErrClosed, reason)
	}
	return ErrClosed
}

// Shutdown asks the server to end (LSP 3.17, "Shutdown" and "Exit") and waits
// for its answer until ctx ends. It leaves the connection open; the server
// closes it by exiting.
func (c *Client) Shutdown(ctx context.Context) error {
	if err := c.Call(ctx, "shutdown", nil, nil); err != nil {
		return err
	}
	return c.Notify("exit", nil)
}

// Close ends the connection: calls that wait return ErrClosed, and the write
// side is closed after what was queued. It does not wait for the peer.
func (c *Client) Close() error {
	if err := c.conn.Close(); err != nil && !errors.Is(err, jsonrpc2.ErrClosed) {
		return err
	}
	return nil
}
