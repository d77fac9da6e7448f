package core

import (
	"errors"
	"io"
	"iter"
	"slices"
	"time"
)

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

// stop cancels all work and gives it time to end.
func (s *session) stop(why error) {
	s.mu.Lock()
	s.stopped = why
	for c := range s.unanswered() {
		c.cancel(why)
	}
	s.closeIdle()
	s.room.Signal()
	s.mu.Unlock()

	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-s.idle:
	case <-grace.C:
	}
}

// close ends the session and says how it went. What a deaf tool left unanswered
// is answered in its place, and a write under way is let finish; but a peer
// that does not read cannot hold it up.
func (s *session) close(why error) error {
	quiet := make(chan struct{})
	go func() {
		defer close(quiet)
		s.mu.Lock()
		left := slices.Collect(s.unanswered())
		s.mu.Unlock()
		for _, c := range left {
			if errors.Is(c.why(), why) { // not one its caller gave up before
				s.answer(c, Output{IsError: true, Report: why.Error()})
			}
		}
		s.out.Lock()
		defer s.out.Unlock()
		s.closed.Store(true)
	}()
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-quiet:
	case <-grace.C:
		s.closed.Store(true)
	}
	if errors.Is(why, errServerStops) {
		return nil
	}
	select {
	case <-s.failed:
		return s.writeErr
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readErr
}

// unanswered yields the running and the waiting calls; mu is held.
func (s *session) unanswered() iter.Seq[*call] {
	return func(yield func(*call) bool) {
		if s.running != nil && !yield(s.running) {
			return
		}
		for _, c := range s.waiting {
			if !yield(c) {
				return
			}
		}
	}
}
