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
	// the compiler counts as hung: once it has answered, and while it loads.
	patience        = time.Minute
	loadingPatience = 10 * time.Minute

	// What a compiler gets to end by itself: for shutdown and exit, then after
	// the end of its input, then after SIGTERM. Their sum is the time until it
	// is killed with its group, and must stay well below the server's grace for
	// us (oracleGrace of package tcgfamily). A healthy compiler ends at the end
	// of its input at the latest, and none has anything to save.
	politeClose = 80 * time.Millisecond
	killGrace   = 60 * time.Millisecond

	reapWait = 2 * time.Second // for the exit status of a compiler that hung up
)

// process is one running compiler.
type process struct {
	compiler  Compiler
	child     *child.Process
	client    *lsp.Client
	documents documents
	projects  *projects
	expected  expectation

	ready    chan struct{} // closed when the handshake is over
	readyErr error         // written before ready is closed
	loaded   bool          // it has answered a question
	silence  time.Duration // that questions waited in vain since the last answer
	hung     atomic.Bool   // it was killed for its silence
	closing  atomic.Bool
}

// start runs the compiler and begins the handshake. The question that needs it
// may be given up; the compiler stays.
func start(c Compiler, root string, version *int) (*process, error) {
	cp, err := child.Start(child.Spec{Path: c.Exe, Args: []string{"--lsp", "--stdio"}, Dir: root, Grace: killGrace})
	if err != nil {
		return nil, &oracleproto.Error{
			Kind:   oracleproto.KindTypeScriptPlatformMissing,
			Detail: fmt.Sprintf("typescript %s cannot be started: %v", c.Version, err),
			Recipe: "reinstall it: run npm install --include=optional in the project",
		}
	}
	p := newProcess(c, version)
	p.child = cp
	p.client = lsp.NewClient(cp.Stdout(), cp.Stdin(), lsp.Options{Notify: p.notified, Configuration: configuration})
	go func() {
		// A compiler that dies while a descendant holds its pipe open would
		// otherwise leave calls waiting.
		select {
		case <-cp.Done():
			_ = p.client.Close()
		case <-p.client.Done():
		}
	}()
	go func() {
		defer close(p.ready)
		_, err := p.client.Initialize(context.Background(), initializeParams(root))
		if p.readyErr = err; err != nil && !errors.Is(err, lsp.ErrClosed) {
			cp.Kill() // it is alive and of no use
		}
	}()
	return p, nil
}

func newProcess(c Compiler, version *int) *process {
	p := &process{
		compiler:  c,
		ready:     make(chan struct{}),
		documents: documents{open: map[string]string{}, outside: map[string]bool{}, missing: map[string]bool{}, version: version},
	}
	p.projects = newProjects(p.documents.readFile)
	return p
}

// logNothing is the verbosity at which TypeScript 7 sends no log messages;
// without it every edit brings several, at the cost of both sides.
const logNothing = 5

// initializeParams ask for UTF-16, which is also the unit of our own positions,
// and for markdown hovers, the one format in which the signature can be told
// from the documentation.
func initializeParams(root string) lsp.InitializeParams {
	return lsp.InitializeParams{
		RootPath:   root,
		ClientName: "vibevm-tcg", ClientVersion: "1",
		Encodings: []lsp.Encoding{lsp.UTF16},
		Capabilities: map[string]any{
			"workspace": map[string]any{
				"configuration":         true,
				"didChangeWatchedFiles": map[string]any{"dynamicRegistration": false},
			},
			"textDocument": map[string]any{
				"diagnostic": map[string]any{"relatedInformation": true},
				"hover":      map[string]any{"contentFormat": []string{"markdown"}},
				"completion": map[string]any{"completionItem": map[string]any{
					"resolveSupport": map[string]any{"properties": []string{"detail", "documentation"}},
				}},
			},
		},
		Options: map[string]any{
			"disablePushDiagnostics": false, // configuration errors are pushed
			"logVerbosity":           logNothing,
		},
	}
}

// configuration answers the compiler's questions about settings, the same for
// every section it asks for. Automatic typings acquisition would run npm,
// auto-imports are not in scope, and style checks are errors to tsc.
func configuration(string) any {
	return map[string]any{
		"suggest":                     map[string]any{"autoImports": false},
		"tsserver":                    map[string]any{"automaticTypeAcquisition": map[string]any{"enabled": false}},
		"reportStyleChecksAsWarnings": false,
	}
}

// notified takes what the compiler says unasked, on the reading goroutine.
func (p *process) notified(method string, params json.RawMessage) {
	if method != "textDocument/publishDiagnostics" {
		return
	}
	var published lsp.PublishDiagnosticsParams
	if json.Unmarshal(params, &published) != nil {
		return
	}
	if path, err := lsp.URIToPath(published.URI); err == nil {
		p.projects.published(path, published.Diagnostics)
	}
}

// awaitReady waits for the handshake. One that failed is the compiler's end.
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
		return p.crash(fmt.Sprintf("typescript %s failed in the handshake: %v", p.compiler.Version, err))
	}
	return p.explain(p.readyErr)
}

// wait waits for an answer and keeps count of how long answers fail to come.
func (p *process) wait(ctx context.Context, call *lsp.Pending, result any) error {
	start := time.Now()
	err := p.await(ctx, call, result)
	if err != nil && ctx.Err() != nil {
		p.silence += time.Since(start)
	} else {
		p.silence = 0
	}
	return err
}

// endIfHung kills a compiler that has let questions wait for longer than there
// is any reason for. The question that finds it so is answered with a crash,
// after which the owner of this process starts another.
func (p *process) endIfHung(patience, loadingPatience time.Duration) {
	if p.loaded && p.silence > patience || p.silence > loadingPatience {
		p.hung.Store(true)
		p.child.Kill()
		<-p.child.Done()
	}
}

// await waits for an answer. The first question makes the compiler load the
// project; when that question is given up, loading goes on for the next one.
func (p *process) await(ctx context.Context, call *lsp.Pending, result any) error {
	if p.loaded {
		return p.explain(call.Wait(ctx, result))
	}
	type answer struct {
		raw json.RawMessage
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		a.err = call.Wait(context.Background(), &a.raw)
		answered <- a
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return p.explain(a.err)
		}
		p.loaded = true
		return json.Unmarshal(a.raw, result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// explain makes the end of the connection a report of how the compiler died.
func (p *process) explain(err error) error {
	if !errors.Is(err, lsp.ErrClosed) {
		return err
	}
	if p.closing.Load() {
		return errClosing
	}
	// A compiler that hung up is about to exit, or is out of step for good.
	select {
	case <-p.child.Done():
	case <-time.After(reapWait):
		p.child.Kill()
		<-p.child.Done()
	}
	detail := fmt.Sprintf("typescript %s ended: %s", p.compiler.Version, p.child.Exit())
	if p.hung.Load() {
		detail = fmt.Sprintf("typescript %s was stopped: it let questions wait for %v without an answer", p.compiler.Version, p.silence.Round(time.Second))
	}
	if frame := (*lsp.FrameError)(nil); errors.As(err, &frame) {
		detail += "; " + frame.Error()
	}
	return p.crash(detail)
}

// crash is the report of a compiler that is no more.
func (p *process) crash(detail string) error {
	if tail := strings.TrimSpace(p.child.StderrTail()); tail != "" {
		detail += "; its last words: " + tail
	}
	return &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: detail, Recipe: "ask again; if it happens every time, run npx tsc --noEmit to see the compiler fail by itself"}
}

// unexpected reports an answer that is against the protocol.
func (p *process) unexpected(method, how string) error {
	return &oracleproto.Error{
		Kind:   oracleproto.KindInternal,
		Detail: fmt.Sprintf("typescript %s answered %s %s", p.compiler.Version, method, how),
		Recipe: "run npx tsc --noEmit for a verdict, and report this with the version of typescript",
	}
}

// close ends the compiler politely, within bounds, and waits for it.
func (p *process) close() error {
	p.closing.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), politeClose)
	defer cancel()
	_ = p.client.Shutdown(ctx) // what follows does not depend on its manners
	return p.end()
}

// kill ends the compiler at once and waits for it.
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
