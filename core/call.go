package core

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Why the context of a call was cancelled, as context.Cause reports it.
var (
	errCallCancelled = errors.New("cancelled: the caller sent notifications/cancelled")
	errInputEnded    = errors.New("cancelled: input ended")
	errServerStops   = errors.New("cancelled: the server is stopping")
	errPeerGone      = errors.New("cancelled: the peer is gone")
)

// call is one tools/call from its acceptance to its answer. id, token and args
// are copies: the line they came in is overwritten by the next read.
type call struct {
	session *session
	tool    registered
	id      []byte
	token   []byte // progress token; nil when the caller gave none
	args    []byte

	ctx    context.Context
	cancel context.CancelCauseFunc

	// Guarded by session.out.
	answered bool
	progress float64 // the last one sent
}

// size is what a waiting call counts for in the queue.
func (c *call) size() int { return len(c.id) + len(c.token) + len(c.args) }

type callKey struct{}

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
			}
		}
		c.finish(out, err)
	}()
	if err = context.Cause(c.ctx); err == nil { // cancelled while it waited
		out, err = c.tool.tool.Run(c.ctx, c.args)
	}
	returned = true
}

// finish answers the call with what its tool returned, unless the tool stopped
// because the caller cancelled it: that revision of MCP asks for silence then.
func (c *call) finish(out Output, err error) {
	defer c.cancel(nil)
	if err != nil {
		cause := context.Cause(c.ctx)
		stopped := cause != nil && (errors.Is(err, c.ctx.Err()) || errors.Is(err, cause))
		switch {
		case stopped && errors.Is(cause, errCallCancelled):
			c.session.dropAnswer(c)
			return
		case stopped:
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
	if !ok || c.token == nil || c.ctx.Err() != nil || math.IsNaN(done) || math.IsInf(done, 0) || math.IsInf(total, 0) {
		return
	}
	c.session.sendProgress(c, message, done, total)
}
