package shadow

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"vibevm.org/tcgfamily/oracleproto"
)

// errSuperseded ends a run whose answer nobody will ask for.
var errSuperseded = errors.New("superseded by a newer request")

// runs keeps the one run in progress and the last answers.
type runs struct {
	mu       sync.Mutex
	current  *run
	finished []answer // oldest first
	closed   bool
}

// run is one request being answered.
type run struct {
	key    key
	cancel context.CancelCauseFunc
	done   chan struct{}
	result Result // set before done is closed
	err    error  // likewise

	mu    sync.Mutex
	stage func() string
}

// answer is a result together with all it depended on.
type answer struct {
	key    key
	inputs inputs
	at     time.Time
	result Result
}

// Answers are kept for the request that gave up waiting and asks again, not
// as a store: what they depend on outside the project (the toolchain) is not
// compared.
const (
	mostAnswers  = 4
	answersStale = 10 * time.Minute
)

// key tells requests apart.
type key [sha256.Size]byte

func keyOf(request Request) key {
	h := sha256.New()
	fmt.Fprintf(h, "%q %v\n", request.File, request.Tests)
	for _, path := range slices.Sorted(maps.Keys(request.Overlays)) {
		text := request.Overlays[path]
		fmt.Fprintf(h, "%q %d\n%s\n", path, len(text), text)
	}
	return key(h.Sum(nil))
}

func (c *Checker) check(ctx context.Context, request Request) (Result, error) {
	r, err := c.start(request)
	if err != nil {
		return Result{}, err
	}
	select {
	case <-r.done:
		return r.result, r.err
	case <-ctx.Done():
		return Result{}, fmt.Errorf("%s: %w", r.busyWith(), ctx.Err())
	}
}

// start joins the run of the same request or begins one in place of another.
func (c *Checker) start(request Request) (*run, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &oracleproto.Error{Kind: oracleproto.KindClosed, Detail: "the checker is closed"}
	}
	k := keyOf(request)
	previous := c.current
	if previous != nil && !previous.isDone() {
		if previous.key == k {
			return previous, nil
		}
		previous.cancel(errSuperseded)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &run{key: k, cancel: cancel, done: make(chan struct{})}
	c.current = r
	request.Overlays = maps.Clone(request.Overlays)
	go func() {
		defer close(r.done)
		defer cancel(nil)
		if previous != nil {
			<-previous.done // it may still be writing to the shadow
		}
		ctx, stop := context.WithTimeoutCause(ctx, c.options.MaxRun, &oracleproto.Error{
			Kind:   oracleproto.KindTimeout,
			Detail: fmt.Sprintf("cargo check took longer than %v", c.options.MaxRun),
			Recipe: "run `cargo check` in the project once and ask again",
		})
		defer stop()
		r.result, r.err = c.perform(ctx, request, r)
		if ctx.Err() != nil && r.err != nil {
			r.err = context.Cause(ctx)
		}
	}()
	return r, nil
}

// remembered finds the answer to a request whose inputs are as they were.
func (c *Checker) remembered(k key, now inputs) (Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.finished {
		if a.key == k && time.Since(a.at) < answersStale && a.inputs.equal(now) {
			return a.result, true
		}
	}
	return Result{}, false
}

func (c *Checker) remember(k key, in inputs, result Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished = slices.DeleteFunc(c.finished, func(a answer) bool { return a.key == k })
	if len(c.finished) == mostAnswers {
		c.finished = slices.Delete(c.finished, 0, 1)
	}
	c.finished = append(c.finished, answer{key: k, inputs: in, at: time.Now(), result: result})
}

func (c *Checker) close() error {
	c.mu.Lock()
	c.closed = true
	r := c.current
	c.mu.Unlock()
	if r != nil {
		r.cancel(&oracleproto.Error{Kind: oracleproto.KindClosed, Detail: "the checker was closed"})
		<-r.done
	}
	return c.release()
}

func (r *run) isDone() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// enter says what the run is doing from now on.
func (r *run) enter(stage func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stage = stage
}

func (r *run) busyWith() string {
	r.mu.Lock()
	stage := r.stage
	r.mu.Unlock()
	if stage == nil {
		return "preparing the check"
	}
	return stage()
}
