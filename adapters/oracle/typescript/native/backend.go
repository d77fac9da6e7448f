// Package native is the oracle backend for TypeScript 7: the project's own
// native compiler, driven over its language server protocol
// (`tsc --lsp --stdio`), so that answers are those of the tsc the project
// builds with.
package native

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Compiler is an installed TypeScript 7.
type Compiler struct {
	Version string
	Exe     string // the native executable; needs no node
}

// Backend implements oracle.Backend for the files of a root that one installed
// compiler is for. It runs one process of it.
//
// It keeps what the relay announced and brings the process up to date when it
// is asked, in the same write as the question; so one that is started late, or
// anew, needs no replay of its own.
type Backend struct {
	root     string
	compiler Compiler
	overlays map[string]string
	version  int // of the last document sent, over all documents and processes

	mu      sync.Mutex // guards what Close shares with a running method
	running *process   // nil until a question needs it, and after its retirement
	closed  bool
	retired sync.WaitGroup
}

var _ oracle.Backend = (*Backend)(nil)

// New makes a backend for a root. Nothing is started before the first question.
func New(root string, compiler Compiler) *Backend {
	return &Backend{root: root, compiler: compiler, overlays: map[string]string{}}
}

// Sync implements oracle.Backend.
func (b *Backend) Sync(_ context.Context, changes []oracle.Change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range changes {
		_, overlaid := b.overlays[c.Path]
		switch c.Kind {
		case oracle.OverlaySet:
			b.overlays[c.Path] = c.Text
			if !overlaid {
				b.cameOrWent(c.Path)
			}
		case oracle.OverlayClear:
			delete(b.overlays, c.Path)
			if overlaid {
				b.cameOrWent(c.Path)
			}
		case oracle.DiskLost:
			if b.running != nil {
				b.retire()
			}
		default:
			if b.running != nil && !b.running.diskChanged(c.Path, c.Kind) {
				b.retire()
			}
		}
	}
	return nil
}

// cameOrWent ends the process if its view of the projects does not survive
// that an overlay was set or cleared, when that makes or removes the file.
func (b *Backend) cameOrWent(path string) {
	if b.running != nil && b.running.projects.mindFile(path) && !exists(path) {
		b.retire()
	}
}

// session is a question's hold on a compiler that knows the question's text.
type session struct {
	*process
	doc  oracle.Document
	uri  string
	sent map[*lsp.Pending]request // requests that nobody has waited for yet
}

// request is what it takes to ask again.
type request struct {
	method string
	params any
	text   string // that the compiler held for the document
}

// call sends a request of the question.
func (s *session) call(method string, params any) *lsp.Pending {
	call := s.client.Go(method, params)
	s.sent[call] = request{method, params, s.documents.open[s.doc.Path]}
	return call
}

// wait waits for the answer to a request of the question, which is asked again
// while the compiler asks for that.
func (s *session) wait(ctx context.Context, call *lsp.Pending, result any) error {
	again := s.sent[call]
	for asked := 1; ; asked++ {
		delete(s.sent, call)
		err := s.process.wait(ctx, call, result)
		if !wantsItAgain(err) {
			return err
		}
		if asked == mostAsked {
			break
		}
		if call, err = s.again(again); err != nil {
			return err
		}
	}
	return &oracleproto.Error{
		Kind:   oracleproto.KindTimeout,
		Detail: fmt.Sprintf("typescript %s put %s off %d times in a row", s.compiler.Version, again.method, mostAsked),
		Recipe: "ask again: the compiler is busy with changes",
	}
}

// again makes a request about the text it was made about, which another may
// have taken the place of.
func (s *session) again(r request) (*lsp.Pending, error) {
	now := s.documents.open[s.doc.Path]
	if now == r.text {
		return s.call(r.method, r.params), nil
	}
	if err := s.hold(s.doc.Path, r.text); err != nil {
		return nil, err
	}
	call := s.call(r.method, r.params)
	return call, s.hold(s.doc.Path, now)
}

// mostAsked bounds how often one request is made.
const mostAsked = 4

// wantsItAgain reports the error answers ContentModified and ServerCancelled
// (LSP 3.17, "Base Protocol", ErrorCodes): nothing is wrong with the request,
// which got no answer because something else came between.
func wantsItAgain(err error) bool {
	var answer *lsp.ResponseError
	return errors.As(err, &answer) && (answer.Code == -32801 || answer.Code == -32802)
}

// cancel gives up requests that were sent and not waited for.
func (s *session) cancel(calls ...*lsp.Pending) {
	for _, call := range calls {
		if _, sent := s.sent[call]; sent {
			delete(s.sent, call)
			call.Cancel()
		}
	}
}

// end gives up what the question no longer needs, which is nothing unless it
// failed. Every request is waited for or given up, else its answer is kept for
// the compiler's life.
func (s *session) end() { s.cancel(slices.Collect(maps.Keys(s.sent))...) }

// ask readies the document's compiler: started, up to date.
func (b *Backend) ask(ctx context.Context, doc oracle.Document) (*session, error) {
	p, err := b.process(doc)
	if err != nil {
		return nil, err
	}
	p.endIfHung(patience, loadingPatience)
	if err := p.awaitReady(ctx); err != nil {
		return nil, err
	}
	if err := p.projects.settle(ctx, p.client.Done()); err != nil {
		return nil, p.explain(err)
	}
	return newSession(p, doc), p.flush(b.overlays, doc)
}

func newSession(p *process, doc oracle.Document) *session {
	return &session{process: p, doc: doc, uri: uriOf(doc.Path), sent: map[*lsp.Pending]request{}}
}

// process is the running process, started if there is none that will do.
func (b *Backend) process(doc oracle.Document) (*process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosing
	}
	if b.running != nil && b.running.outdated(b.overlays, doc) {
		b.retire()
	}
	if b.running == nil {
		p, err := start(b.compiler, b.root, &b.version)
		if err != nil {
			return nil, err
		}
		b.running = p
	}
	return b.running, nil
}

// retire ends a process whose view of the project cannot be brought up to
// date, without waiting for it. The caller holds b.mu.
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
