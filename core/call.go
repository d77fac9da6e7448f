package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"time"
)

// Why the context of a call is done.
var (
	errCallCancelled = errors.New("cancelled: the caller sent notifications/cancelled")
	errInputEnded    = errors.New("cancelled: input ended")
	errServerStops   = errors.New("cancelled: the server is stopping")
	errPeerGone      = errors.New("cancelled: the peer is gone")
	errAnswered      = errors.New("the call was answered")
)

// call is one tools/call from its acceptance to its answer. id, token and args
// are copies: the line they came in is overwritten by the next read.
//
// It is itself the context of its run. The standard constructors would do, at
// the price of four allocations and two map operations a call, a tenth of what
// a quick call costs in all.
type call struct {
	session *session
	tool    Tool
	id      []byte
	token   []byte // progress token; nil when the caller gave none
	args    []byte

	mu    sync.Mutex
	done  chan struct{} // made when first asked for
	cause error         // why the call is cancelled or over

	// Guarded by session.out.
	answered bool
	progress float64 // the last one sent
}

// size is what a waiting call counts for in the queue.
func (c *call) size() int { return len(c.id) + len(c.token) + len(c.args) }

// cancel cancels the call's context. The first cause stays.
func (c *call) cancel(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		return
	}
	c.cause = cause
	if c.done != nil {
		close(c.done)
	}
}

// why returns the cause given to cancel; nil while the call is not cancelled.
func (c *call) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// Deadline implements context.Context: a call has none.
func (c *call) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (c *call) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.cause != nil {
			close(c.done)
		}
	}
	return c.done
}

// Err implements context.Context.
func (c *call) Err() error {
	if c.why() == nil {
		return nil
	}
	return context.Canceled
}

// callKey finds the call in a context derived from it.
type callKey struct{}

// Value implements context.Context with the values of Serve's context.
func (c *call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.session.values.Value(key)
}

// run runs the tool and answers the call, whatever the tool does: return,
// panic, or end its goroutine with runtime.Goexit. In the last case run does
// not return either; see session.guard.
func (c *call) run() {
	var out Output
	var err error
	returned := false
	defer func() {
		if !returned {
			out, err = Output{IsError: true, Report: "tool ended its goroutine without a result"}, nil
			if p := recover(); p != nil {
				out.Report = fmt.Sprintf("tool panicked: %v", p)
				c.session.debug("tool panicked", slog.String("stack", string(debug.Stack())))
			}
		}
		c.finish(out, err)
	}()
	if err = c.why(); err == nil { // else it was cancelled while it waited
		out, err = c.tool.Run(c, c.args)
	}
	returned = true
}

// finish answers the call with what its tool returned, unless the tool stopped
// because the caller cancelled it: this revision of MCP asks for silence then.
func (c *call) finish(out Output, err error) {
	defer c.cancel(errAnswered)
	if err != nil {
		cause := c.why()
		stopped := cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, cause))
		if stopped && errors.Is(cause, errCallCancelled) {
			c.session.dropAnswer(c)
			return
		}
		if stopped {
			err = cause
		}
		out = Output{IsError: true, Report: err.Error()}
	}
	c.session.answer(c, out)
}

// ReportProgress tells the caller of the running call how far it is, as an MCP
// notifications/progress: done of total, in any unit, with a message for
// people. A total of zero or less means unknown.
//
// ctx is the context given to Tool.Run or one derived from it. Nothing is sent
// when the caller gave no progressToken, after the call was answered or
// cancelled, or when done is not greater than what was last reported: the
// protocol wants it to rise. The first report may be zero.
func ReportProgress(ctx context.Context, message string, done, total float64) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok || c.token == nil || c.why() != nil || math.IsNaN(done) || math.IsInf(done, 0) || math.IsInf(total, 0) {
		return
	}
	c.session.sendProgress(c, message, done, total)
}
