package core

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// takeoverAfter is how long a tool may keep the reader's goroutine before
	// another one reads on. Well below what a person or a host's ping notices,
	// well above a tool that answers from memory.
	takeoverAfter = time.Millisecond
	// mostWaiting bounds the calls read ahead of a running tool, and
	// mostWaitingBytes their size. Past either, reading pauses until half of
	// the calls are done; the operating system's pipe then holds the caller.
	mostWaiting      = 1024
	mostWaitingBytes = 64 << 20
)

// session is one Serve.
//
// There are two roles, and no hand-off between goroutines as long as tools are
// quick. The reader reads frames, and answers all of them but tools/call. The
// runner runs tools, strictly one at a time. One goroutine, the lead, plays
// both: it runs a tool where it read the call. Before it does, it arms a timer.
// If the tool is done first, the timer is stopped and the lead reads on. If
// the timer fires first, its goroutine is the new lead: it answers pings, sees
// cancellations, and lets further calls wait. The old one, when its tool is
// done, learns from Timer.Stop that it no longer reads: it works the waiting
// calls off, and ends when none is left. From then on the lead is both again.
//
// Timer.Stop decides alone who reads: it returns true or the timer's function
// runs, never both.
type session struct {
	server   *Server
	t        Transport
	takeover *time.Timer

	// Every call's context derives from ctx. It keeps the values of Serve's but
	// not its end: calls are cancelled by stop, which says why.
	ctx       context.Context
	cancelAll context.CancelCauseFunc

	inputEnded chan struct{} // closed when nothing more can be read
	idle       chan struct{} // closed when there is no work and will be none
	failed     chan struct{} // closed at the first failed write
	closed     atomic.Bool   // Serve returns: nothing more is written

	// out is held from the making of a frame to the end of its write, so that
	// one buffer serves all, and an answer is the last thing said of its call.
	out      sync.Mutex
	frame    []byte
	writeErr error

	// mu guards the calls and how the session ends. It is never held during a
	// read, a write or a tool.
	mu           sync.Mutex
	room         sync.Cond // there may be room for a waiting call
	running      *call
	waiting      []*call
	waitingBytes int
	ended        bool
	stopped      error // why calls are cancelled; nil while they run
	idleClosed   bool
	readErr      error
}

func newSession(ctx context.Context, s *Server, t Transport) *session {
	ss := &session{
		server:     s,
		t:          t,
		inputEnded: make(chan struct{}),
		idle:       make(chan struct{}),
		failed:     make(chan struct{}),
	}
	ss.ctx, ss.cancelAll = context.WithCancelCause(context.WithoutCancel(ctx))
	ss.room.L = &ss.mu
	return ss
}

func (s *session) start() {
	s.takeover = time.AfterFunc(time.Hour, func() { s.guard(s.lead) })
	s.takeover.Stop()
	go s.guard(s.lead)
}

// guard runs one of the session's goroutines. A tool may end the goroutine it
// runs on with runtime.Goexit; then another takes its place and its role.
func (s *session) guard(role func()) {
	returned := false
	defer func() {
		if !returned {
			go s.guard(s.carryOn)
		}
	}()
	role()
	returned = true
}

func (s *session) carryOn() {
	if s.takeover.Stop() {
		s.ranInline()
		s.lead()
		return
	}
	s.workOff()
}

// lead reads and answers until the input ends or another goroutine leads.
func (s *session) lead() {
	for {
		line, err := s.t.ReadLine()
		if s.closed.Load() {
			return
		}
		var c *call
		switch {
		case err == nil:
			c = s.handle(line)
		case errors.Is(err, ErrLineTooLong):
			s.replyError(nil, codeParseError, "parse error: "+ErrLineTooLong.Error())
		default:
			s.endInput(err)
			return
		}
		if c == nil || !s.accept(c) {
			continue
		}
		s.takeover.Reset(takeoverAfter)
		c.run()
		if !s.takeover.Stop() {
			s.workOff()
			return
		}
		s.ranInline()
	}
}

// accept makes c the running call and returns true. Otherwise c waits, or was
// answered because the session is stopping.
func (s *session) accept(c *call) bool {
	s.mu.Lock()
	if len(s.waiting) >= mostWaiting || s.waitingBytes >= mostWaitingBytes {
		for s.stopped == nil && (len(s.waiting) > mostWaiting/2 || s.waitingBytes > mostWaitingBytes/2) {
			s.room.Wait()
		}
	}
	stopped := s.stopped
	run := s.running == nil && stopped == nil
	switch {
	case run:
		s.running = c
	case stopped == nil:
		s.waiting = append(s.waiting, c)
		s.waitingBytes += c.size()
	}
	s.mu.Unlock()
	if stopped != nil {
		c.finish(Output{}, stopped)
	}
	return run
}

// ranInline ends the run of a tool on the lead's own goroutine.
func (s *session) ranInline() {
	s.mu.Lock()
	s.running = nil
	s.closeIdle()
	s.mu.Unlock()
}

// workOff runs the waiting calls, until there is none.
func (s *session) workOff() {
	for {
		c := s.next()
		if c == nil {
			return
		}
		c.run()
	}
}

func (s *session) next() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = nil
	if len(s.waiting) == 0 {
		s.waiting = nil
		s.closeIdle()
		s.room.Signal()
		return nil
	}
	c := s.waiting[0]
	s.waiting[0] = nil
	s.waiting = s.waiting[1:]
	s.waitingBytes -= c.size()
	s.running = c
	s.room.Signal()
	return c
}

// closeIdle is called with mu held whenever work or input may be over.
func (s *session) closeIdle() {
	if s.running == nil && (s.ended || s.stopped != nil) && !s.idleClosed {
		s.idleClosed = true
		close(s.idle)
	}
}

// cancel cancels the calls of this id, running or waiting. A waiting one is
// forgotten at once; of the running one its tool decides (see call.finish).
func (s *session) cancel(id []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil && bytes.Equal(s.running.id, id) {
		s.running.cancel(errCallCancelled)
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(c *call) bool {
		if !bytes.Equal(c.id, id) {
			return false
		}
		c.cancel(errCallCancelled)
		s.waitingBytes -= c.size()
		return true
	})
}

// endInput notes that nothing more will be read, err being io.EOF or the reason.
func (s *session) endInput(err error) {
	s.mu.Lock()
	s.ended = true
	if !errors.Is(err, io.EOF) {
		s.readErr = readError(err)
	}
	s.closeIdle()
	s.mu.Unlock()
	close(s.inputEnded)
}

// stop cancels all work and waits for it, but not for ever. What a deaf tool
// leaves unanswered is answered in its place.
func (s *session) stop(why error) {
	s.mu.Lock()
	s.stopped = why
	s.closeIdle()
	s.room.Signal()
	s.mu.Unlock()
	s.cancelAll(why)

	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-s.idle:
		return
	case <-grace.C:
	}
	// The write may block, too, on a peer that does not read.
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		s.mu.Lock()
		left := slices.Clone(s.waiting)
		if s.running != nil {
			left = append(left, s.running)
		}
		s.mu.Unlock()
		for _, c := range left {
			s.answer(c, Output{IsError: true, Report: why.Error()})
		}
	}()
	grace.Reset(stopGrace)
	select {
	case <-answered:
	case <-grace.C:
	}
}

// close ends the session and says how it went.
func (s *session) close() error {
	s.closed.Store(true)
	s.cancelAll(errServerStops)
	select {
	case <-s.failed:
		return s.writeErr
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readErr
}
