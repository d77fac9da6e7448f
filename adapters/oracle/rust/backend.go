// Package rust is the Rust oracle: rust-analyzer answers in milliseconds
// (package native), and cargo check on a shadow of the workspace has the last
// word on what the analyzer lets pass (package shadow).
package rust

import (
	"context"
	"errors"
	"sync"
	"time"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/pool"
	"vibevm.org/adapters/oracle/rust/native"
	"vibevm.org/adapters/oracle/rust/shadow"
	"vibevm.org/tcgfamily/oracleproto"
)

// Options say how a Backend works.
type Options struct {
	// Analyzers bounds the analyzers that are kept alive, one for each
	// workspace; one takes between half a gigabyte and one.
	Analyzers pool.Options
	// FullBudget is how long an all-clear of the analyzer waits for rustc's
	// confirmation.
	FullBudget time.Duration
	// NoBuildScripts forbids running code of the project and its dependencies:
	// build scripts and procedural macros.
	NoBuildScripts bool
}

// DefaultOptions suit a machine for development.
func DefaultOptions() Options {
	return Options{
		Analyzers:  pool.Options{Max: 2, IdleAfter: 15 * time.Minute},
		FullBudget: 3 * time.Second,
	}
}

// Backend implements oracle.Backend over one analyzer for each workspace and
// one shadow checker.
type Backend struct {
	root    string
	options Options
	locator locator
	pool    *pool.Pool[made]
	checker *shadow.Checker

	tools map[string]tool // by workspace root
}

var _ oracle.Backend = (*Backend)(nil)

// tool is a toolchain with what it was chosen by.
type tool struct {
	toolchain
	chosenBy digest
}

// made is what an analyzer was started from.
type made struct {
	exe, version string
	built        stamp
	chosenBy     digest
}

// New makes a backend for a root, which has its symlinks resolved. Nothing is
// started or written before the first question.
func New(root string, options Options) *Backend {
	return &Backend{
		root:    root,
		options: options,
		pool:    pool.New[made](options.Analyzers),
		checker: shadow.New(shadow.Options{Root: root, NoBuildScripts: options.NoBuildScripts}),
		tools:   map[string]tool{},
	}
}

// Sync implements oracle.Backend.
func (b *Backend) Sync(ctx context.Context, changes []oracle.Change) error {
	return b.pool.Sync(ctx, sources(changes))
}

// Complete implements oracle.Backend.
func (b *Backend) Complete(ctx context.Context, doc oracle.Document, at oracleproto.Position, prefix string, limit int) (oracle.Completions, error) {
	a, err := b.take(ctx, doc)
	if err != nil {
		return oracle.Completions{}, err
	}
	defer a.done()
	c, err := a.Complete(ctx, doc, at, prefix, limit)
	c.Advice = append(c.Advice, a.advice...)
	return c, err
}

// Type implements oracle.Backend.
func (b *Backend) Type(ctx context.Context, doc oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	a, err := b.take(ctx, doc)
	if err != nil {
		return oracle.TypeInfo{}, err
	}
	defer a.done()
	t, err := a.Type(ctx, doc, at)
	t.Advice = append(t.Advice, a.advice...)
	return t, err
}

// Scope implements oracle.Backend.
func (b *Backend) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	a, err := b.take(ctx, doc)
	if err != nil {
		return oracle.Scope{}, err
	}
	defer a.done()
	s, err := a.Scope(ctx, doc, at, globals)
	s.Advice = append(s.Advice, a.advice...)
	return s, err
}

// analyzer is a question's hold on the analyzer of a workspace.
type analyzer struct {
	*native.Backend
	advice []string
	done   func()
}

// take finds or starts the analyzer of a document's workspace.
func (b *Backend) take(ctx context.Context, doc oracle.Document) (analyzer, error) {
	w, err := b.locator.locate(ctx, doc.Path)
	if err != nil {
		return analyzer{}, err
	}
	t, err := b.toolchain(ctx, w.root)
	if err != nil {
		return analyzer{}, err
	}
	id := "workspace " + w.root
	if w.manifest == "" {
		id = "files in " + w.root
	}
	from := made{t.analyzer.Exe, t.analyzer.Version, t.built, t.chosenBy}
	backend, done, err := b.pool.Take(ctx, id, from, func() oracle.Backend {
		analyzer := t.analyzer
		analyzer.Env = environment()
		return native.New(b.project(ctx, w), analyzer)
	})
	if err != nil {
		return analyzer{}, err
	}
	return analyzer{backend.(*native.Backend), t.advice, done}, nil
}

// project is a workspace as an analyzer is to load it.
func (b *Backend) project(ctx context.Context, w workspace) native.Project {
	p := native.Project{
		Root: w.root, Manifest: w.manifest,
		TargetDir:      targetDir(b.root, w.root),
		NoBuildScripts: b.options.NoBuildScripts,
	}
	if w.manifest == "" {
		p.Sysroot, p.SysrootSource = sysroot(ctx, w.root)
	}
	return p
}

// toolchain is the toolchain of a workspace, looked for again when what chooses
// it has changed or the analyzer was replaced.
func (b *Backend) toolchain(ctx context.Context, root string) (tool, error) {
	chosenBy := toolchainOf(root)
	if t, ok := b.tools[root]; ok && t.chosenBy == chosenBy && t.current() {
		return t, nil
	}
	found, err := resolve(ctx, root)
	if err != nil {
		return tool{}, err
	}
	t := tool{found, chosenBy}
	b.tools[root] = t
	return t, nil
}

// Close implements oracle.Backend.
func (b *Backend) Close() error {
	var stopping sync.WaitGroup
	var checker error
	stopping.Go(func() { checker = b.checker.Close() })
	analyzers := b.pool.Close()
	stopping.Wait()
	return errors.Join(analyzers, checker)
}
