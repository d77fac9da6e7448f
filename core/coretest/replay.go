package coretest

import (
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"vibevm.org/core"
)

// Replay is a core.Transport that plays a script and records what is written.
// It needs no process and no clock of its own: in a synctest bubble its pauses
// take no time.
type Replay struct {
	mu     sync.Mutex
	script []Step
	frames []string
	wrote  chan struct{} // closed and replaced at each frame
	broken error         // what WriteLine returns

	line []byte // the last one handed out

	closed    chan struct{}
	closeOnce sync.Once
}

var _ core.Transport = (*Replay)(nil)

// Step is one thing a script does; see Line, Pause, AfterFrames, Hang, Fail and
// BreakWrites.
type Step func(r *Replay) (line string, isLine bool, err error)

// NewReplay returns a transport that plays these steps, and then is at the end
// of its input.
func NewReplay(script ...Step) *Replay {
	return &Replay{script: script, wrote: make(chan struct{}), closed: make(chan struct{})}
}

// Line is one inbound line, without its line end.
func Line(text string) Step {
	return func(*Replay) (string, bool, error) { return text, true, nil }
}

// Pause lets time pass before the next line.
func Pause(d time.Duration) Step {
	return func(r *Replay) (string, bool, error) {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return "", false, nil
		case <-r.closed:
			return "", false, io.EOF
		}
	}
}

// AfterFrames holds the next line back until n frames in all were written.
func AfterFrames(n int) Step {
	return func(r *Replay) (string, bool, error) {
		for {
			r.mu.Lock()
			enough, wrote := len(r.frames) >= n, r.wrote
			r.mu.Unlock()
			if enough {
				return "", false, nil
			}
			select {
			case <-wrote:
			case <-r.closed:
				return "", false, io.EOF
			}
		}
	}
}

// Hang keeps the input open and silent until Close.
func Hang() Step {
	return func(r *Replay) (string, bool, error) {
		<-r.closed
		return "", false, io.EOF
	}
}

// Fail makes one ReadLine return err.
func Fail(err error) Step {
	return func(*Replay) (string, bool, error) { return "", false, err }
}

// BreakWrites makes every further WriteLine return err.
func BreakWrites(err error) Step {
	return func(r *Replay) (string, bool, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.broken = err
		return "", false, nil
	}
}

// ReadLine plays the script up to the next line. It spoils the line before, as a
// real transport does when it reuses its buffer.
func (r *Replay) ReadLine() ([]byte, error) {
	for i := range r.line {
		r.line[i] = '!'
	}
	for {
		r.mu.Lock()
		if len(r.script) == 0 {
			r.mu.Unlock()
			return nil, io.EOF
		}
		step := r.script[0]
		r.script = r.script[1:]
		r.mu.Unlock()
		if line, isLine, err := step(r); isLine || err != nil {
			r.line = append(r.line[:0], line...)
			return r.line, err
		}
	}
}

// WriteLine records the frame.
func (r *Replay) WriteLine(frame []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return r.broken
	}
	r.frames = append(r.frames, string(frame))
	close(r.wrote)
	r.wrote = make(chan struct{})
	return nil
}

// Close ends every wait of the script.
func (r *Replay) Close() error {
	r.closeOnce.Do(func() { close(r.closed) })
	return nil
}

// Frames returns what was written so far, line ends included.
func (r *Replay) Frames() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.frames)
}

// Output returns what was written so far as one text.
func (r *Replay) Output() string { return strings.Join(r.Frames(), "") }

// Left returns how many steps of the script were not played yet.
func (r *Replay) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.script)
}
