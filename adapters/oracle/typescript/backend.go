// Package typescript is the TypeScript oracle: it finds the compiler that the
// project of a file builds with and asks that one.
//
// TypeScript 7 is a native executable (package native); 5 and 6 are JavaScript
// that node runs (package service). Two versions in one repository are served
// side by side.
package typescript

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/pool"
	"vibevm.org/adapters/oracle/typescript/native"
	"vibevm.org/adapters/oracle/typescript/service"
	"vibevm.org/tcgfamily/oracleproto"
)

// DefaultOptions are generous for a repository with one version, and keep one
// with many from filling the memory.
func DefaultOptions() pool.Options { return pool.Options{Max: 3, IdleAfter: 15 * time.Minute} }

// Backend implements oracle.Backend over one backend for each installed
// compiler.
type Backend struct {
	root      string
	locator   locator
	node      service.Node // the zero value until a compiler needs one
	compilers *pool.Pool[compiler]

	closing chan struct{} // closed by Close
	close   sync.Once
}

var (
	_ oracle.Backend = (*Backend)(nil)
	_ oracle.Reader  = (*Backend)(nil)
	_ oracle.Reader  = lspLines{}
	_ oracle.Reader  = (*service.Backend)(nil)
)

// New makes a backend for a root. Nothing is started before the first question.
func New(root string, options pool.Options) *Backend {
	return &Backend{root: root, compilers: pool.New[compiler](options), closing: make(chan struct{})}
}

// Sync implements oracle.Backend.
func (b *Backend) Sync(ctx context.Context, changes []oracle.Change) error {
	return b.compilers.Sync(ctx, changes)
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
	if broken := unreadable(doc.Path, v.ConfigFile); broken != nil && err == nil {
		v.ProjectErrors = append(v.ProjectErrors, *broken)
	}
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
	if filepath.Ext(doc.Path) == ".json" {
		return oracle.Scope{}, noScope(doc.Path)
	}
	r, done, err := b.take(ctx, doc)
	if err != nil {
		return oracle.Scope{}, err
	}
	defer done()
	s, err := r.Scope(ctx, doc, at, globals)
	s.Advice = advise(s.Context, doc)
	if n := len(s.Symbols); n > native.MaxTyped {
		s.Advice = append(s.Advice, manyNames(n))
	}
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
func (b *Backend) Reads() []string { return b.compilers.Reads() }

// take finds or starts the compiler that the document's directory resolves to;
// done ends the question.
func (b *Backend) take(ctx context.Context, doc oracle.Document) (compiler oracle.Backend, done func(), err error) {
	c, err := b.locator.locate(filepath.Dir(doc.Path))
	if err == nil && c.major < 7 {
		err = b.findNode(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	return b.compilers.Take(ctx, c.key(), c, func() oracle.Backend { return b.backend(c) })
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
		return pool.ErrClosing
	default:
	}
	if err == nil {
		b.node = node
	}
	return err
}

// backend makes the backend of a compiler.
func (b *Backend) backend(c compiler) oracle.Backend {
	if c.major < 7 {
		return service.New(b.root, service.Compiler{Version: c.version, Package: filepath.Dir(filepath.Dir(c.entry))}, b.node)
	}
	return lspLines{native.New(b.root, native.Compiler{Version: c.version, Exe: c.entry})}
}

// Close implements oracle.Backend.
func (b *Backend) Close() error {
	b.close.Do(func() { close(b.closing) })
	return b.compilers.Close()
}
