// Package typescript is the TypeScript oracle: it finds the compiler that the
// project of a file builds with and asks that one.
//
// TypeScript 7 is a native executable (package native); 5 and 6 are JavaScript
// that node runs (package service). Two versions in one repository are served
// side by side.
package typescript

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/typescript/native"
	"vibevm.org/adapters/oracle/typescript/service"
	"vibevm.org/tcgfamily/oracleproto"
)

// Options bound what a Backend keeps alive.
type Options struct {
	// MaxCompilers is how many compilers may run at once, at least 1. One more
	// ends the one that was asked the longest ago.
	MaxCompilers int
	// IdleAfter is how long a compiler may go unasked before it is stopped. It
	// is started again by the next question.
	IdleAfter time.Duration
}

// DefaultOptions are generous for a repository with one version, and keep one
// with many from filling the memory.
func DefaultOptions() Options { return Options{MaxCompilers: 3, IdleAfter: 15 * time.Minute} }

// Backend implements oracle.Backend over one backend for each installed
// compiler. What the relay announced is kept here, so that a compiler may be
// stopped at any time and started again.
type Backend struct {
	root    string
	options Options
	locator locator
	node    service.Node  // the zero value until a compiler needs one
	closing chan struct{} // closed by Close

	mu       sync.Mutex // guards the rest against Close and the idle timer
	overlays map[string]string
	running  map[string]*running // by compiler.key
	idle     *time.Timer
	stopping sync.WaitGroup
	closed   bool
}

var (
	_ oracle.Backend = (*Backend)(nil)
	_ oracle.Reader  = (*Backend)(nil)
	_ oracle.Reader  = lspLines{}
	_ oracle.Reader  = (*service.Backend)(nil)
)

// running is a compiler that was asked and may have a process.
type running struct {
	oracle.Backend
	compiler compiler
	asked    time.Time // when the last question ended
	busy     bool
}

// New makes a backend for a root. Nothing is started before the first question.
func New(root string, options Options) *Backend {
	options.MaxCompilers = max(options.MaxCompilers, 1)
	return &Backend{root: root, options: options, closing: make(chan struct{}), overlays: map[string]string{}, running: map[string]*running{}}
}

// Sync implements oracle.Backend.
func (b *Backend) Sync(ctx context.Context, changes []oracle.Change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range changes {
		switch c.Kind {
		case oracle.OverlaySet:
			b.overlays[c.Path] = c.Text
		case oracle.OverlayClear:
			delete(b.overlays, c.Path)
		}
	}
	var failed error
	for _, r := range b.running {
		failed = errors.Join(failed, r.Sync(ctx, changes))
	}
	return failed
}

// Validate implements oracle.Backend.
func (b *Backend) Validate(ctx context.Context, doc oracle.Document, check oracle.Check) (oracle.Validation, error) {
	r, done, err := b.take(ctx, doc)
	if err != nil {
		return oracle.Validation{}, err
	}
	defer done()
	v, err := r.Validate(ctx, doc, check)
	v.Advice = advise(v.Context, doc)
	return v, err
}

// Complete implements oracle.Backend.
func (b *Backend) Complete(ctx context.Context, doc oracle.Document, at oracleproto.Position, prefix string, limit int) (oracle.Completions, error) {
	r, done, err := b.take(ctx, doc)
	if err != nil {
		return oracle.Completions{}, err
	}
	defer done()
	c, err := r.Complete(ctx, doc, at, prefix, limit)
	c.Advice = advise(c.Context, doc)
	if err == nil && c.Total == 0 {
		c.Advice = append(c.Advice, nothingFits(prefix))
	}
	return c, err
}

// Type implements oracle.Backend.
func (b *Backend) Type(ctx context.Context, doc oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	r, done, err := b.take(ctx, doc)
	if err != nil {
		return oracle.TypeInfo{}, err
	}
	defer done()
	t, err := r.Type(ctx, doc, at)
	t.Advice = advise(t.Context, doc)
	if err == nil && t.Display == "" && t.Documentation == "" {
		t.Advice = append(t.Advice, nothingThere)
	}
	return t, err
}

// Scope implements oracle.Backend.
func (b *Backend) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	r, done, err := b.take(ctx, doc)
	if err != nil {
		return oracle.Scope{}, err
	}
	defer done()
	s, err := r.Scope(ctx, doc, at, globals)
	s.Advice = advise(s.Context, doc)
	return s, err
}

// advise is the advice of an answer, with how to get the file into a project if
// it is in none.
func advise(c oracle.Context, doc oracle.Document) []string {
	if c.ConfigFile == "" && c.Engine.Name != "" {
		return append(c.Advice, notInProject(doc.Path))
	}
	return c.Advice
}

// Reads implements oracle.Reader.
func (b *Backend) Reads() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, r := range b.running {
		if reader, ok := r.Backend.(oracle.Reader); ok {
			all = append(all, reader.Reads()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// take finds or starts the compiler that the document's directory resolves to;
// done ends the question.
func (b *Backend) take(ctx context.Context, doc oracle.Document) (r *running, done func(), err error) {
	c, err := b.locator.locate(filepath.Dir(doc.Path))
	if err == nil && c.major < 7 {
		err = b.findNode(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, nil, errClosing
	}
	r = b.running[c.key()]
	if r != nil && r.compiler != c { // upgraded in place
		b.stop(r)
		r = nil
	}
	if r == nil {
		b.makeRoom()
		if r, err = b.start(ctx, c); err != nil {
			return nil, nil, err
		}
	}
	r.busy = true
	return r, func() { b.release(r) }, nil
}

// findNode sees to it that there is a node to run compilers with. One that was
// found is kept while it is there; looking takes a process or more.
func (b *Backend) findNode(ctx context.Context) error {
	if b.node.Path != "" {
		if _, err := os.Stat(b.node.Path); err == nil {
			return nil
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-b.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	node, err := service.FindNode(ctx)
	select {
	case <-b.closing:
		return errClosing
	default:
	}
	if err == nil {
		b.node = node
	}
	return err
}

// start makes the backend of a compiler and tells it what stands for the disk.
func (b *Backend) start(ctx context.Context, c compiler) (*running, error) {
	r := &running{compiler: c}
	if c.major < 7 {
		r.Backend = service.New(b.root, service.Compiler{Version: c.version, Package: filepath.Dir(filepath.Dir(c.entry))}, b.node)
	} else {
		r.Backend = lspLines{native.New(b.root, native.Compiler{Version: c.version, Exe: c.entry})}
	}
	changes := make([]oracle.Change, 0, len(b.overlays))
	for path, text := range b.overlays {
		changes = append(changes, oracle.Change{Kind: oracle.OverlaySet, Path: path, Text: text})
	}
	if err := r.Sync(ctx, changes); err != nil {
		return nil, err
	}
	b.running[c.key()] = r
	return r, nil
}

// release notes that a question ended, and sees to it that the compiler does
// not stay for ever.
func (b *Backend) release(r *running) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.busy, r.asked = false, time.Now()
	if b.idle == nil && !b.closed {
		b.idle = time.AfterFunc(b.options.IdleAfter, b.stopIdle)
	}
}

// stopIdle stops the compilers that nobody asked for long enough.
func (b *Backend) stopIdle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle = nil
	if b.closed {
		return
	}
	next := time.Duration(-1)
	for _, r := range b.running {
		left := b.options.IdleAfter
		if !r.busy {
			left -= time.Since(r.asked)
		}
		if left <= 0 {
			b.stop(r)
		} else if next < 0 || left < next {
			next = left
		}
	}
	if next >= 0 {
		b.idle = time.AfterFunc(next, b.stopIdle)
	}
}

// makeRoom ends the compilers asked the longest ago until one more may run.
func (b *Backend) makeRoom() {
	for len(b.running) >= b.options.MaxCompilers {
		var oldest *running
		for _, r := range b.running {
			if oldest == nil || r.asked.Before(oldest.asked) {
				oldest = r
			}
		}
		b.stop(oldest)
		b.stopping.Wait() // "at most" counts processes, not intentions
	}
}

// stop ends a compiler without waiting for it. The caller holds b.mu.
func (b *Backend) stop(r *running) {
	delete(b.running, r.compiler.key())
	b.stopping.Go(func() { _ = r.Close() })
}

// Close implements oracle.Backend.
func (b *Backend) Close() error {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.closing)
	}
	if b.idle != nil {
		b.idle.Stop()
		b.idle = nil
	}
	errs := make(chan error, len(b.running))
	for _, r := range b.running {
		b.stopping.Go(func() { errs <- r.Close() })
	}
	clear(b.running)
	b.mu.Unlock()
	b.stopping.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

// errClosing is the answer to a question that Close interrupted.
var errClosing = &oracleproto.Error{Kind: oracleproto.KindClosed, Detail: "the oracle is shutting down", Recipe: "start the server again"}
