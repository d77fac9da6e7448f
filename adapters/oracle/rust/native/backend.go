// Package native is the oracle backend over rust-analyzer: one workspace's
// analyzer, driven over its language server protocol. It answers in
// milliseconds and finds part of what rustc finds; docs/accuracy.md says which.
package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Analyzer is an installed rust-analyzer.
type Analyzer struct {
	Exe     string // absolute
	Version string
	Env     []string // its environment
}

// Project is what one analyzer loads.
type Project struct {
	// Root is the directory the analyzer runs in: the workspace's, or that of
	// files outside every workspace. Absolute, symlinks resolved.
	Root string
	// Manifest is the workspace's Cargo.toml; empty for files outside every
	// workspace, of which each is a crate of its own.
	Manifest string
	// TargetDir is the target directory for what the analyzer builds, apart
	// from the user's, whose lock it would hold.
	TargetDir string
	// NoBuildScripts forbids running code of the project and its dependencies:
	// build scripts and procedural macros.
	NoBuildScripts bool
	// Sysroot and SysrootSource are the toolchain's directory and that of the
	// standard library's sources; needed without a Manifest.
	Sysroot, SysrootSource string
}

// Backend implements oracle.Backend for the files of one project. It runs one
// process of the analyzer.
//
// It keeps what the relay announced and brings the process up to date when it
// is asked; so one that is started late, or anew, needs no replay of its own.
type Backend struct {
	analyzer Analyzer
	project  Project
	overlays map[string]string
	loose    []string // files asked about without a Manifest
	version  int      // of the last document sent, over all documents and processes

	mu      sync.Mutex // guards what Close shares with a running method
	running *process   // nil until a question needs it, and after its retirement
	closed  bool
	retired sync.WaitGroup
}

var _ oracle.Backend = (*Backend)(nil)

// New makes a backend for a project. Nothing is started before the first
// question.
func New(project Project, analyzer Analyzer) *Backend {
	return &Backend{project: project, analyzer: analyzer, overlays: map[string]string{}}
}

// Sync implements oracle.Backend.
func (b *Backend) Sync(_ context.Context, changes []oracle.Change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range changes {
		switch c.Kind {
		case oracle.OverlaySet:
			b.overlays[c.Path] = c.Text
		case oracle.OverlayClear:
			delete(b.overlays, c.Path)
		case oracle.DiskLost:
			if b.running != nil {
				b.retire()
			}
		default:
			if b.running != nil && !b.running.diskChanged(c.Path) {
				b.retire()
			}
		}
	}
	return nil
}

// session is a question's hold on an analyzer that knows the question's text.
type session struct {
	*process
	backend *Backend
	doc     oracle.Document
	uri     string
}

// request is what it takes to ask, and to ask again.
type request struct {
	method string
	params any
	result any // a pointer, as for json.Unmarshal
}

// mostAsked bounds how often one request is made.
const mostAsked = 10

// ask makes requests about the text the analyzer holds and waits for all
// answers. Only answers of an analyzer that was at rest throughout count: one
// that is loading answers that it found nothing.
func (s *session) ask(ctx context.Context, requests ...request) error {
	for range mostAsked {
		loads := s.status.loads()
		err := s.askOnce(ctx, requests)
		if err != nil && !wantsItAgain(err) {
			return err
		}
		if err == nil && s.status.restedSince(loads) {
			s.loaded.Store(true)
			return nil
		}
		if err := s.status.await(ctx, s.client.Done()); err != nil {
			return s.explain(err)
		}
	}
	return &oracleproto.Error{
		Kind:   oracleproto.KindTimeout,
		Detail: fmt.Sprintf("rust-analyzer %s put %s off %d times in a row", s.analyzer.Version, requests[0].method, mostAsked),
		Recipe: "ask again: the analyzer is busy with changes",
	}
}

// askOnce pipelines requests. Each is waited for or given up, else its answer
// is kept for the analyzer's life.
func (s *session) askOnce(ctx context.Context, requests []request) error {
	calls := make([]*lsp.Pending, len(requests))
	for i, r := range requests {
		calls[i] = s.client.Go(r.method, r.params)
	}
	for i, call := range calls {
		if err := s.wait(ctx, call, requests[i].result); err != nil {
			for _, rest := range calls[i+1:] {
				rest.Cancel()
			}
			return err
		}
	}
	return nil
}

// wantsItAgain reports the error answers ContentModified and ServerCancelled
// (LSP 3.17, "Base Protocol", ErrorCodes): nothing is wrong with the request,
// which got no answer because something else came between.
func wantsItAgain(err error) bool {
	var answer *lsp.ResponseError
	return errors.As(err, &answer) && (answer.Code == -32801 || answer.Code == -32802)
}

// ask readies the document's analyzer: started, loaded, up to date.
func (b *Backend) ask(ctx context.Context, doc oracle.Document) (*session, error) {
	p, err := b.process(doc)
	if err != nil {
		return nil, err
	}
	p.endIfHung(patience, loadingPatience)
	if err := p.awaitReady(ctx); err != nil {
		return nil, err
	}
	s := &session{process: p, backend: b, doc: doc, uri: uriOf(doc.Path)}
	if err := p.flush(ctx, b.overlays, doc); err != nil {
		return nil, err
	}
	return s, s.usable()
}

// Warm starts the analyzer, so that a later question finds it loaded. It does
// not wait.
func (b *Backend) Warm(doc oracle.Document) error {
	_, err := b.process(doc)
	return err
}

// Loaded reports that the analyzer has answered a question, so that the next
// is a matter of milliseconds.
func (b *Backend) Loaded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running != nil && b.running.loaded.Load()
}

// process is the running process, started if there is none that will do.
func (b *Backend) process(doc oracle.Document) (*process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosing
	}
	if b.project.Manifest == "" && !slices.Contains(b.loose, doc.Path) {
		// Crates are only read at the start.
		if b.loose = append(b.loose, doc.Path); b.running != nil {
			b.retire()
		}
	}
	if b.running != nil && b.running.outdated() {
		b.retire()
	}
	if b.running == nil {
		p, err := start(b.analyzer, b.project, b.loose, doc.Path, &b.version)
		if err != nil {
			return nil, err
		}
		b.running = p
	}
	return b.running, nil
}

// retire ends a process that cannot be brought up to date, without waiting for
// it. The caller holds b.mu.
func (b *Backend) retire() {
	p := b.running
	b.running = nil
	b.retired.Go(func() { _ = p.kill() })
}

// Close implements oracle.Backend.
func (b *Backend) Close() error {
	b.mu.Lock()
	b.closed = true
	p := b.running
	b.running = nil
	b.mu.Unlock()
	var err error
	if p != nil {
		err = p.close()
	}
	b.retired.Wait()
	return err
}

// errClosing is the answer to a question that Close interrupted.
var errClosing = &oracleproto.Error{Kind: oracleproto.KindClosed, Detail: "the oracle is shutting down", Recipe: "start the server again"}
