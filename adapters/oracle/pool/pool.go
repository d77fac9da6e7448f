// Package pool keeps a bounded number of an oracle's compilers alive: a
// repository may hold many projects, and each has a compiler of its own.
package pool

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Options bound what a Pool keeps alive.
type Options struct {
	// Max is how many compilers may run at once, at least 1. One more ends the
	// one that was asked the longest ago.
	Max int
	// IdleAfter is how long a compiler may go unasked before it is stopped. It
	// is started again by the next question.
	IdleAfter time.Duration
}

// Pool holds the backends of compilers by id. What the relay announced is kept
// here, so that a compiler may be stopped at any time and started again. V
// tells what a backend was made from: one made from something else is out of
// date.
//
// Its methods are for one goroutine at a time, save Close.
type Pool[V comparable] struct {
	options Options

	mu       sync.Mutex // guards the rest against Close and the idle timer
	overlays map[string]string
	running  map[string]*running[V]
	idle     *time.Timer
	stopping sync.WaitGroup
	closed   bool
}

// running is a backend that was asked and may have a process.
type running[V comparable] struct {
	oracle.Backend
	id       string
	madeFrom V
	asked    time.Time // when the last question ended
	busy     bool
}

// New makes an empty pool.
func New[V comparable](options Options) *Pool[V] {
	options.Max = max(options.Max, 1)
	return &Pool[V]{options: options, overlays: map[string]string{}, running: map[string]*running[V]{}}
}

// Sync passes changes on, and keeps the overlays for backends to come.
func (p *Pool[V]) Sync(ctx context.Context, changes []oracle.Change) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range changes {
		switch c.Kind {
		case oracle.OverlaySet:
			p.overlays[c.Path] = c.Text
		case oracle.OverlayClear:
			delete(p.overlays, c.Path)
		}
	}
	var failed error
	for _, r := range p.running {
		failed = errors.Join(failed, r.Sync(ctx, changes))
	}
	return failed
}

// Overlays are the texts that stand in for the disk, by path.
func (p *Pool[V]) Overlays() map[string]string { return p.overlays }

// Reads are the files that the backends say they read, for oracle.Reader; in
// the same order as long as no backend says anything new.
func (p *Pool[V]) Reads() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, id := range slices.Sorted(maps.Keys(p.running)) {
		if reader, ok := p.running[id].Backend.(oracle.Reader); ok {
			all = append(all, reader.Reads()...)
		}
	}
	return all
}

// Alive are the ids of the backends that may have a process, sorted.
func (p *Pool[V]) Alive() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.running))
}

// Take finds the backend with an id, or has one made; done ends the question.
func (p *Pool[V]) Take(ctx context.Context, id string, from V, make func() oracle.Backend) (b oracle.Backend, done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, ErrClosing
	}
	r := p.running[id]
	if r != nil && r.madeFrom != from {
		p.stop(r)
		r = nil
	}
	if r == nil {
		p.makeRoom()
		r = &running[V]{Backend: make(), id: id, madeFrom: from}
		if err := r.Sync(ctx, p.standing()); err != nil {
			return nil, nil, err
		}
		p.running[id] = r
	}
	r.busy = true
	return r.Backend, func() { p.release(r) }, nil
}

// standing is what a new backend has to be told.
func (p *Pool[V]) standing() []oracle.Change {
	changes := make([]oracle.Change, 0, len(p.overlays))
	for path, text := range p.overlays {
		changes = append(changes, oracle.Change{Kind: oracle.OverlaySet, Path: path, Text: text})
	}
	return changes
}

// release notes that a question ended, and sees to it that the compiler does
// not stay for ever.
func (p *Pool[V]) release(r *running[V]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.busy, r.asked = false, time.Now()
	if p.idle == nil && !p.closed {
		p.idle = time.AfterFunc(p.options.IdleAfter, p.stopIdle)
	}
}

// stopIdle stops the compilers that nobody asked for long enough.
func (p *Pool[V]) stopIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = nil
	if p.closed {
		return
	}
	next := time.Duration(-1)
	for _, r := range p.running {
		left := p.options.IdleAfter
		if !r.busy {
			left -= time.Since(r.asked)
		}
		if left <= 0 {
			p.stop(r)
		} else if next < 0 || left < next {
			next = left
		}
	}
	if next >= 0 {
		p.idle = time.AfterFunc(next, p.stopIdle)
	}
}

// makeRoom ends the compilers asked the longest ago until one more may run.
func (p *Pool[V]) makeRoom() {
	for len(p.running) >= p.options.Max {
		var oldest *running[V]
		for _, r := range p.running {
			if oldest == nil || r.asked.Before(oldest.asked) {
				oldest = r
			}
		}
		p.stop(oldest)
		p.stopping.Wait() // "at most" counts processes, not intentions
	}
}

// stop ends a compiler without waiting for it. The caller holds p.mu.
func (p *Pool[V]) stop(r *running[V]) {
	delete(p.running, r.id)
	p.stopping.Go(func() { _ = r.Close() })
}

// Close stops the compilers and waits for them. It is idempotent.
func (p *Pool[V]) Close() error {
	p.mu.Lock()
	p.closed = true
	if p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
	errs := make(chan error, len(p.running))
	for _, r := range p.running {
		p.stopping.Go(func() { errs <- r.Close() })
	}
	clear(p.running)
	p.mu.Unlock()
	p.stopping.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

// ErrClosing is the answer to a question that Close interrupted.
var ErrClosing = &oracleproto.Error{Kind: oracleproto.KindClosed, Detail: "the oracle is shutting down", Recipe: "start the server again"}
