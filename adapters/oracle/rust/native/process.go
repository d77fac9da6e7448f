package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"vibevm.org/adapters/lsp"
	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// Times. None of them delays an answer that has come.
const (
	// How long questions may have waited in vain, one after the other, before
	// the analyzer counts as hung: once it has answered, and while it loads,
	// for which it may have to build all procedural macros.
	patience        = time.Minute
	loadingPatience = 30 * time.Minute

	// What an analyzer gets to end by itself: for shutdown and exit, then after
	// the end of its input, then after SIGTERM. Their sum is the time until it
	// is killed with its group, and must stay well below the server's grace for
	// us (oracleGrace of package tcgfamily). It has nothing to save.
	politeClose = 80 * time.Millisecond
	killGrace   = 60 * time.Millisecond

	reapWait = 2 * time.Second // for the exit status of an analyzer that hung up
)

// process is one running analyzer.
type process struct {
	analyzer  Analyzer
	project   Project
	child     *child.Process
	client    *lsp.Client
	documents documents
	status    *status

	ready    chan struct{} // closed when the handshake is over
	readyErr error         // written before ready is closed
	loaded   atomic.Bool   // it has answered a question
	silence  time.Duration // that questions waited in vain since the last answer
	hung     atomic.Bool   // it was killed for its silence
	closing  atomic.Bool
}

// start runs the analyzer and begins the handshake. The question that needs it
// may be given up; the analyzer stays, and loads the file asked about.
func start(a Analyzer, project Project, loose []string, first string, version *int) (*process, error) {
	cp, err := child.Start(child.Spec{Path: a.Exe, Dir: project.Root, Env: a.Env, Grace: killGrace})
	if err != nil {
		return nil, &oracleproto.Error{
			Kind:   oracleproto.KindRustAnalyzerMissing,
			Detail: fmt.Sprintf("rust-analyzer %s cannot be started: %v", a.Version, err),
			Recipe: "install it again: rustup component add rust-analyzer",
		}
	}
	p := newProcess(a, project, version)
	p.child = cp
	options := options(project, loose)
	p.client = lsp.NewClient(cp.Stdout(), cp.Stdin(), lsp.Options{Notify: p.notified, Configuration: func(string) any { return options }})
	go func() {
		// An analyzer that dies while a descendant holds its pipe open would
		// otherwise leave calls waiting.
		select {
		case <-cp.Done():
			_ = p.client.Close()
		case <-p.client.Done():
		}
	}()
	go func() {
		defer close(p.ready)
		p.readyErr = p.load(initializeParams(project.Root, options), first)
		if p.readyErr != nil && !errors.Is(p.readyErr, lsp.ErrClosed) {
			cp.Kill() // it is alive and of no use
		}
	}()
	return p, nil
}

func newProcess(a Analyzer, project Project, version *int) *process {
	return &process{
		analyzer:  a,
		project:   project,
		status:    newStatus(),
		ready:     make(chan struct{}),
		documents: documents{open: map[string]string{}, disk: map[string]bool{}, version: version},
	}
}

// load shakes hands and waits until the project is loaded. Then the file first
// asked about is looked at, whether its question still waits or not: analysing
// the standard library takes longer than all loading.
func (p *process) load(params lsp.InitializeParams, first string) error {
	if _, err := p.client.Initialize(context.Background(), params); err != nil {
		return err
	}
	if err := p.status.await(context.Background(), p.client.Done()); err != nil {
		return err
	}
	warm := p.client.Go("textDocument/diagnostic", documentOf(uriOf(first)))
	go func() { _ = warm.Wait(context.Background(), nil) }()
	return nil
}

// notified takes what the analyzer says unasked, on the reading goroutine.
func (p *process) notified(method string, params json.RawMessage) {
	if method == "experimental/serverStatus" {
		p.status.notified(params)
	}
}

// awaitReady waits until the project is loaded. A handshake that failed is the
// analyzer's end.
func (p *process) awaitReady(ctx context.Context) error {
	start := time.Now()
	select {
	case <-p.ready:
	case <-ctx.Done():
		p.silence += time.Since(start)
		return ctx.Err()
	}
	if err := p.readyErr; err != nil && !errors.Is(err, lsp.ErrClosed) {
		<-p.child.Done()
		return p.crash(fmt.Sprintf("rust-analyzer %s failed in the handshake: %v", p.analyzer.Version, err))
	}
	return p.explain(p.readyErr)
}

// wait waits for an answer and keeps count of how long answers fail to come.
func (p *process) wait(ctx context.Context, call *lsp.Pending, result any) error {
	start := time.Now()
	err := call.Wait(ctx, result)
	if err != nil && ctx.Err() != nil {
		p.silence += time.Since(start)
	} else {
		p.silence = 0
	}
	return p.explain(err)
}

// endIfHung kills an analyzer that has let questions wait for longer than there
// is any reason for. The question that finds it so is answered with a crash,
// after which the owner of this process starts another.
func (p *process) endIfHung(patience, loadingPatience time.Duration) {
	if p.loaded.Load() && p.silence > patience || p.silence > loadingPatience {
		p.hung.Store(true)
		p.child.Kill()
		<-p.child.Done()
	}
}

// explain makes the end of the connection a report of how the analyzer died.
func (p *process) explain(err error) error {
	if !errors.Is(err, lsp.ErrClosed) {
		return err
	}
	if p.closing.Load() {
		return errClosing
	}
	// An analyzer that hung up is about to exit, or is out of step for good.
	select {
	case <-p.child.Done():
	case <-time.After(reapWait):
		p.child.Kill()
		<-p.child.Done()
	}
	detail := fmt.Sprintf("rust-analyzer %s ended: %s", p.analyzer.Version, p.child.Exit())
	if p.hung.Load() {
		detail = fmt.Sprintf("rust-analyzer %s was stopped: it let questions wait for %v without an answer", p.analyzer.Version, p.silence.Round(time.Second))
	}
	if frame := (*lsp.FrameError)(nil); errors.As(err, &frame) {
		detail += "; " + frame.Error()
	}
	return p.crash(detail)
}

// crash is the report of an analyzer that is no more.
func (p *process) crash(detail string) error {
	if tail := strings.TrimSpace(p.child.StderrTail()); tail != "" {
		detail += "; its last words: " + tail
	}
	return &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: detail, Recipe: "ask again; if it happens every time, update it: rustup update"}
}

// unexpected reports an answer that is against the protocol.
func (p *process) unexpected(method, how string) error {
	return &oracleproto.Error{
		Kind:   oracleproto.KindInternal,
		Detail: fmt.Sprintf("rust-analyzer %s answered %s %s", p.analyzer.Version, method, how),
		Recipe: "run cargo check for a verdict, and report this with the version of rust-analyzer",
	}
}

// close ends the analyzer politely, within bounds, and waits for it.
func (p *process) close() error {
	p.closing.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), politeClose)
	defer cancel()
	_ = p.client.Shutdown(ctx) // what follows does not depend on its manners
	return p.end()
}

// kill ends the analyzer at once and waits for it.
func (p *process) kill() error {
	p.closing.Store(true)
	p.child.Kill()
	return p.end()
}

func (p *process) end() error {
	_ = p.client.Close()
	err := p.child.Close()
	<-p.ready
	return err
}
