package native

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"vibevm.org/adapters/lsp"
)

// status follows the analyzer's experimental/serverStatus, the only sign that
// it has loaded the project: before, it answers that there is nothing.
type status struct {
	mu      sync.Mutex
	now     report
	began   int           // how often it began to load
	changed chan struct{} // closed at the next report
}

// report is what the analyzer says about itself.
type report struct {
	Health    string `json:"health"` // ok, warning, error
	Quiescent bool   `json:"quiescent"`
	Message   string `json:"message"`
}

func newStatus() *status { return &status{changed: make(chan struct{})} }

// notified takes a report, on the reading goroutine.
func (s *status) notified(params json.RawMessage) {
	var now report
	if json.Unmarshal(params, &now) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Quiescent {
		s.began++
	}
	s.now = now
	close(s.changed)
	s.changed = make(chan struct{})
}

// current is the last report.
func (s *status) current() report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// loads counts how often the analyzer has begun to load something.
func (s *status) loads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began
}

// restedSince reports that it is at rest and has been since loads was read.
func (s *status) restedSince(loads int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.settled() && s.began == loads
}

// await waits until the analyzer is at rest.
func (s *status) await(ctx context.Context, dead <-chan struct{}) error {
	for {
		s.mu.Lock()
		now, changed := s.now, s.changed
		s.mu.Unlock()
		if now.settled() {
			return nil
		}
		select {
		case <-changed:
		case <-dead:
			return lsp.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// settled reports that nothing more will come by itself. An analyzer that
// cannot load the project at all says so and never comes to rest.
func (r report) settled() bool { return r.Quiescent || r.failed() }

// failed reports that nothing of the project is loaded: all answers would be
// empty.
func (r report) failed() bool { return r.Health == "error" }

// What the analyzer's messages begin with, by what they are about.
const (
	metadataFailed = "Failed to read Cargo metadata"
	sysrootFailed  = "has sysroot errors"
	scriptsFailed  = "Failed to run build scripts"
)

// says reports whether the message is about something.
func (r report) says(about string) bool { return strings.Contains(r.Message, about) }

// paragraph is the part of the message about something.
func (r report) paragraph(about string) string {
	at := strings.Index(r.Message, about)
	if at < 0 {
		return ""
	}
	start := strings.LastIndex(r.Message[:at], "\n\n") + 1
	return strings.TrimSpace(r.Message[max(start, 0):])
}
