package core

import (
	"log/slog"
	"slices"
)

// Everything the session says goes through one of these. Each makes a whole
// frame in the shared buffer and writes it, both under s.out.

func (s *session) reply(id []byte, result string) {
	s.out.Lock()
	defer s.out.Unlock()
	s.frame = appendResult(s.frame[:0], id, result)
	s.writeFrame()
}

func (s *session) replyError(id []byte, code int, message string) {
	s.out.Lock()
	defer s.out.Unlock()
	s.frame = appendError(s.frame[:0], id, code, message)
	s.writeFrame()
}

// answer answers a call once; what comes later is dropped.
func (s *session) answer(c *call, out Output) {
	out = fit(out)
	s.out.Lock()
	defer s.out.Unlock()
	if c.answered {
		return
	}
	c.answered = true
	// Room for the escapes of an ordinary text, so that a large one is not
	// copied while the buffer grows.
	s.frame = slices.Grow(s.frame[:0], len(out.Report)+len(out.Report)/8+len(out.Structured)+256)
	s.frame = appendOutput(s.frame, c.id, out)
	s.writeFrame()
	if s.server.log != nil { // the attributes would be made for nothing
		s.debug("call answered", slog.String("id", string(c.id)), slog.Bool("isError", out.IsError), slog.Int("bytes", len(out.Report)))
	}
}

// dropAnswer ends a call without an answer.
func (s *session) dropAnswer(c *call) {
	s.out.Lock()
	defer s.out.Unlock()
	c.answered = true
}

func (s *session) sendProgress(c *call, message string, done, total float64) {
	s.out.Lock()
	defer s.out.Unlock()
	if c.answered || done <= c.progress {
		return
	}
	c.progress = done
	s.frame = appendProgress(s.frame[:0], c.token, message, done, total)
	s.writeFrame()
}

// writeFrame writes s.frame with s.out held. The first failed write ends the
// session: a peer that is gone does not come back.
func (s *session) writeFrame() {
	if s.writeErr != nil || s.closed.Load() {
		return
	}
	if err := s.t.WriteLine(s.frame); err != nil {
		s.writeErr = writeError(err)
		close(s.failed)
	}
	if cap(s.frame) > keepBuffer {
		s.frame = nil
	}
}
