package oracletest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Fake is an oracle.Backend without a compiler. It judges a language of lines:
//
//	name NAME TYPE…  declares a name
//	use PATH         is error 2 unless the root-relative PATH has a text
//	bad              is error 1
//	slow             takes until the context ends, the fake is closed or killed
//
// A file's text is its overlay's, else the disk's. The exported fields may be
// set before the first call.
type Fake struct {
	// Before runs at the start of every question, with the operation's name in
	// the protocol; its error is the answer.
	Before func(ctx context.Context, op string, doc oracle.Document) error
	// Judge, when set, replaces the answer of Validate.
	Judge func(doc oracle.Document) oracle.Validation

	root string

	mu       sync.Mutex
	overlays map[string]string
	synced   [][]oracle.Change
	closed   chan struct{}
	killed   chan struct{}
}

var _ oracle.Backend = (*Fake)(nil)

// NewFake makes a fake for a root.
func NewFake(root string) *Fake {
	return &Fake{root: root, overlays: map[string]string{}, closed: make(chan struct{}), killed: make(chan struct{})}
}

// Synced lists what every call of Sync brought.
func (f *Fake) Synced() [][]oracle.Change {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([][]oracle.Change(nil), f.synced...)
}

// Closed reports whether Close was called.
func (f *Fake) Closed() bool { return isDone(f.closed) }

// Kill makes the fake's compiler die.
func (f *Fake) Kill() { f.end(f.killed) }

func (f *Fake) end(c chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !isDone(c) {
		close(c)
	}
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Sync implements oracle.Backend.
func (f *Fake) Sync(_ context.Context, changes []oracle.Change) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.synced = append(f.synced, changes)
	for _, c := range changes {
		switch c.Kind {
		case oracle.OverlaySet:
			f.overlays[c.Path] = c.Text
		case oracle.OverlayClear:
			delete(f.overlays, c.Path)
		}
	}
	return nil
}

// begin is the common start of a question.
func (f *Fake) begin(ctx context.Context, op string, doc oracle.Document) (oracle.Context, error) {
	if f.Before != nil {
		if err := f.Before(ctx, op, doc); err != nil {
			return oracle.Context{}, err
		}
	}
	if strings.Contains("\n"+doc.Text, "\nslow\n") {
		select {
		case <-ctx.Done():
		case <-f.closed:
		case <-f.killed:
		}
	}
	switch {
	case isDone(f.closed):
		return oracle.Context{}, &oracleproto.Error{Kind: oracleproto.KindClosed, Detail: "the fake was closed"}
	case isDone(f.killed):
		return oracle.Context{}, &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: "the fake ended: signal: killed", Recipe: "ask again"}
	case ctx.Err() != nil:
		return oracle.Context{}, ctx.Err()
	}
	return oracle.Context{
		Engine:     oracleproto.Engine{Name: "fake", Version: "1"},
		ConfigFile: filepath.Join(f.root, "fake.json"),
	}, nil
}

func (f *Fake) exists(rel string) bool {
	path := filepath.Join(f.root, filepath.FromSlash(rel))
	f.mu.Lock()
	text, ok := f.overlays[path]
	f.mu.Unlock()
	if !ok {
		b, _ := os.ReadFile(path)
		text = string(b)
	}
	return strings.TrimSpace(text) != ""
}

// Validate implements oracle.Backend.
func (f *Fake) Validate(ctx context.Context, doc oracle.Document, _ oracle.Check) (oracle.Validation, error) {
	c, err := f.begin(ctx, oracleproto.OpValidate, doc)
	if err != nil {
		return oracle.Validation{}, err
	}
	if f.Judge != nil {
		return f.Judge(doc), nil
	}
	v := oracle.Validation{Context: c, Coverage: oracleproto.CoverageCompiler}
	report := func(line, code int, message string) {
		v.Diagnostics = append(v.Diagnostics, oracleproto.Diagnostic{
			Code: oracleproto.NumberCode(code), Category: "error", Message: message, Line: line + 1, EndLine: line + 1, EndCharacter: 3,
		})
	}
	for i, line := range strings.Split(doc.Text, "\n") {
		if line == "bad" {
			report(i, 1, "This line is bad.")
		}
		if path, ok := strings.CutPrefix(line, "use "); ok && !f.exists(path) {
			report(i, 2, "Cannot find "+path+".")
		}
	}
	return v, nil
}

// declared lists the names of a text above a line, with their types.
func declared(text string, line int) [][2]string {
	var out [][2]string
	for _, l := range strings.Split(text, "\n")[:line] {
		if rest, ok := strings.CutPrefix(l, "name "); ok {
			name, typ, _ := strings.Cut(rest, " ")
			out = append(out, [2]string{name, typ})
		}
	}
	return out
}

// Complete implements oracle.Backend.
func (f *Fake) Complete(ctx context.Context, doc oracle.Document, at oracleproto.Position, prefix string, limit int) (oracle.Completions, error) {
	c, err := f.begin(ctx, oracleproto.OpComplete, doc)
	if err != nil {
		return oracle.Completions{}, err
	}
	answer := oracle.Completions{Context: c}
	for _, n := range declared(doc.Text, at.Line-1) {
		if !strings.HasPrefix(n[0], prefix) {
			continue
		}
		if answer.Total++; answer.Total <= limit {
			answer.Entries = append(answer.Entries, oracleproto.Entry{Name: n[0], Kind: "variable", TypeText: n[1], Unsafe: n[1] == "any"})
		}
	}
	return answer, nil
}

// Type implements oracle.Backend.
func (f *Fake) Type(ctx context.Context, doc oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	c, err := f.begin(ctx, oracleproto.OpType, doc)
	if err != nil {
		return oracle.TypeInfo{}, err
	}
	answer := oracle.TypeInfo{Context: c}
	if here := declared(doc.Text, at.Line); len(here) > len(declared(doc.Text, at.Line-1)) {
		n := here[len(here)-1]
		answer.Display, answer.Documentation = n[0]+": "+n[1], "A name."
	}
	return answer, nil
}

// Scope implements oracle.Backend.
func (f *Fake) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	c, err := f.begin(ctx, oracleproto.OpScope, doc)
	if err != nil {
		return oracle.Scope{}, err
	}
	answer := oracle.Scope{Context: c}
	for _, n := range declared(doc.Text, at.Line-1) {
		answer.Symbols = append(answer.Symbols, oracleproto.Symbol{Name: n[0], Kind: "variable", TypeText: n[1]})
	}
	if globals {
		answer.Globals = []string{"world"}
	}
	return answer, nil
}

// Close implements oracle.Backend.
func (f *Fake) Close() error {
	f.end(f.closed)
	return nil
}
