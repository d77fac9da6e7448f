package core

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// takeoverAfter is how often the watch looks, so a tool keeps the lead's
	// goroutine between once and twice that long: below what a person or a
	// host's ping notices, above what most questions to a warm compiler take. A
	// take-over costs such a question more than the loop does: the new lead's
	// blocked read holds a processor until the runtime takes it back.
	takeoverAfter = 20 * time.Millisecond
	// mostWaiting bounds the calls read ahead of a running tool, and
	// mostWaitingBytes their size. Past either, reading pauses until half of
	// the calls are done; the operating system's pipe then holds the caller.
	mostWaiting      = 1024
	mostWaitingBytes = 64 << 20
)

// session is one Serve.
//
// There are two roles, and no hand-off between goroutines as long as tools are
// quick. The lead reads frames and answers all of them but tools/call. The
// runner runs tools, strictly one at a time. Usually one goroutine is both: the
// lead runs a tool where it read the call. A watch, armed while tools run,
// notices a tool that takes its time: then the watch's goroutine becomes the
// lead, so that pings are answered, cancellations seen and further calls read,
// which wait. The old lead, detached, learns so when its tool is done: it works
// the waiting calls off and ends when none is left. From then on the new lead
// is both again.
//
//	state     running  detached  reads           runs a tool     leaves it when
//	idle      nil      false     the lead        nobody          a call is read: busy (accept)
//	busy      a call   false     nobody          the lead        the tool is done: idle (ran)
//	                                                             the watch saw it twice: detached (tick)
//	detached  a call   true      the new lead,   the old lead    the tool is done and no call waits:
//	                             calls wait                      idle, and the old lead ends (next)
//
// Who reads is decided under mu alone.
type session struct {
	server *Server
	t      Transport

	// values is Serve's context. A call's context has its values but not its
	// end: calls are cancelled by stop, which says why.
	values context.Context

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
	detached     bool // the running call's goroutine is not the lead any more
	watch        *time.Timer
	watching     bool  // watch is armed
	watched      *call // what was running at the last tick
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
		values:     ctx,
		t:          t,
		inputEnded: make(chan struct{}),
		idle:       make(chan struct{}),
		failed:     make(chan struct{}),
	}
	ss.room.L = &ss.mu
	return ss
}

func (s *session) start() {
	s.watch = time.AfterFunc(time.Hour, func() { s.guard(s.tick) })
	s.watch.Stop()
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
	if s.ran() {
		s.lead()
	} else {
		s.workOff()
	}
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
		c.run()
		if !s.ran() {
			s.workOff()
			return
		}
	}
}

// tick lets the watch's goroutine lead if the tool that ran at the last tick
// still runs on the lead's. The watch is not armed anew for each call: that
// would cost a quick one more than its own work.
func (s *session) tick() {
	s.mu.Lock()
	takeOver := s.running != nil && s.running == s.watched
	s.watched, s.watching, s.detached = nil, false, takeOver
	if s.running != nil && !takeOver {
		s.watched, s.watching = s.running, true
		s.watch.Reset(takeoverAfter)
	}
	s.mu.Unlock()
	if takeOver {
		s.lead()
	}
}

// ran ends the run of a tool on the lead's goroutine. It returns false when
// another goroutine leads by now.
func (s *session) ran() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.detached {
		return false
	}
	s.running = nil
	s.closeIdle()
	return true
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
		if !s.watching {
			s.watching = true
			s.watch.Reset(takeoverAfter)
		}
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
		s.detached = false
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
