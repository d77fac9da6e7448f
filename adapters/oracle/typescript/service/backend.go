// Package service is the oracle backend for TypeScript 5 and 6: a script on top
// of the project's own compiler library, run by node. Answers are those of the
// tsc the project builds with.
package service

import (
	"context"
	"maps"
	"slices"
	"sync"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Compiler is an installed TypeScript 5 or 6.
type Compiler struct {
	Version string
	Package string // its directory
}

// Backend implements oracle.Backend for the files of a root that one installed
// compiler is for. It runs one node process.
//
// It keeps what the relay announced and tells the script with the next question,
// in the same line.
type Backend struct {
	root     string
	compiler Compiler
	node     Node
	heap     int // MiB that node may fill

	mu       sync.Mutex // guards the rest against Close
	overlays map[string]string
	running  *process // nil until a question needs it
	closed   bool
}

var _ oracle.Backend = (*Backend)(nil)

// New makes a backend for a root. Nothing is started before the first question.
func New(root string, compiler Compiler, node Node) *Backend {
	return &Backend{root: root, compiler: compiler, node: node, heap: heapSize(node.Memory), overlays: map[string]string{}}
}

// maxPending bounds what is kept for a compiler that is not asked.
const maxPending = 20_000

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
				b.running.pending = []change{{Kind: changeAll}}
			}
		default:
			if b.running != nil {
				b.running.pending = append(b.running.pending, change{Kind: diskChanges[c.Kind], Path: c.Path})
				if len(b.running.pending) > maxPending {
					b.running.pending = []change{{Kind: changeAll}}
				}
			}
		}
	}
	return nil
}

// Reads implements oracle.Reader.
func (b *Backend) Reads() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == nil {
		return nil
	}
	return b.running.reads
}

// Validate implements oracle.Backend.
func (b *Backend) Validate(ctx context.Context, doc oracle.Document, _ oracle.Check) (oracle.Validation, error) {
	var result validated
	c, err := b.ask(ctx, doc, question{Op: oracleproto.OpValidate}, &result)
	if err != nil {
		return oracle.Validation{}, err
	}
	v := oracle.Validation{
		Context:       c,
		Coverage:      oracleproto.CoverageCompiler,
		Diagnostics:   render(result.Diagnostics, doc.Path),
		ProjectErrors: render(result.ProjectErrors, c.ConfigFile),
	}
	switch {
	case c.ConfigFile == "":
		v.Unknown = oracleproto.ReasonNotInProject
	case result.Unchecked:
		v.Unknown = oracleproto.ReasonProjectBroken
		v.Advice = append(v.Advice, c.ConfigFile+" does not check this file, because a project that it refers to has it as well; end the circle of their \"references\"")
	}
	return v, nil
}

// Complete implements oracle.Backend.
func (b *Backend) Complete(ctx context.Context, doc oracle.Document, at oracleproto.Position, prefix string, limit int) (oracle.Completions, error) {
	var result struct {
		Entries []struct {
			Name, Kind, TypeText string
			Unsafe               bool
		}
		Total int
	}
	c, err := b.ask(ctx, doc, question{Op: oracleproto.OpComplete, Line: at.Line - 1, Character: at.Character, Prefix: prefix, Limit: limit}, &result)
	if err != nil {
		return oracle.Completions{}, err
	}
	answer := oracle.Completions{Context: c, Total: result.Total, Entries: make([]oracleproto.Entry, 0, len(result.Entries))}
	for _, e := range result.Entries {
		answer.Entries = append(answer.Entries, oracleproto.Entry{Name: e.Name, Kind: e.Kind, TypeText: e.TypeText, Unsafe: e.Unsafe})
	}
	return answer, nil
}

// Type implements oracle.Backend.
func (b *Backend) Type(ctx context.Context, doc oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	var result struct{ Display, Documentation string }
	c, err := b.ask(ctx, doc, question{Op: oracleproto.OpType, Line: at.Line - 1, Character: at.Character}, &result)
	if err != nil {
		return oracle.TypeInfo{}, err
	}
	return oracle.TypeInfo{Context: c, Display: result.Display, Documentation: result.Documentation}, nil
}

// Scope implements oracle.Backend.
func (b *Backend) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	var result struct {
		Symbols []struct{ Name, Kind, TypeText string }
		Globals []string
	}
	c, err := b.ask(ctx, doc, question{Op: oracleproto.OpScope, Line: at.Line - 1, Character: at.Character, Globals: globals}, &result)
	if err != nil {
		return oracle.Scope{}, err
	}
	answer := oracle.Scope{Context: c, Globals: result.Globals}
	for _, s := range result.Symbols {
		answer.Symbols = append(answer.Symbols, oracleproto.Symbol{Name: s.Name, Kind: s.Kind, TypeText: s.TypeText})
	}
	return answer, nil
}

// ask asks the document's compiler, started and up to date.
func (b *Backend) ask(ctx context.Context, doc oracle.Document, q question, result any) (oracle.Context, error) {
	p, err := b.process()
	if err != nil {
		return oracle.Context{}, err
	}
	p.endIfHung(patience, loadingPatience)
	q.File = doc.Path
	q.Changes = b.changes(p, doc)
	config, err := p.ask(ctx, q, result)
	if err != nil {
		return oracle.Context{}, err
	}
	return oracle.Context{Engine: oracleproto.Engine{Name: "typescript", Version: b.compiler.Version}, ConfigFile: config}, nil
}

// process is the running process, started if there is none.
func (b *Backend) process() (*process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosing
	}
	if b.running != nil && b.running.unusable() { // what kept it from loading may be mended
		b.running.discard()
		b.running = nil
	}
	if b.running == nil {
		p, err := start(b.compiler, b.node, b.heap, b.root)
		if err != nil {
			return nil, err
		}
		b.running = p
	}
	return b.running, nil
}

// changes takes everything that the process does not know: what happened on
// disk, texts that no longer stand for a file, and the texts that do, the asked
// document's among them. A text that no overlay announced stands for this
// question only.
func (b *Backend) changes(p *process, doc oracle.Document) []change {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := p.pending
	p.pending = nil
	want := maps.Clone(b.overlays)
	want[doc.Path] = doc.Text
	for _, path := range slices.Sorted(maps.Keys(p.overlays)) {
		if _, stays := want[path]; !stays {
			delete(p.overlays, path)
			out = append(out, change{Kind: changeClear, Path: path})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if told, known := p.overlays[path]; !known || told != want[path] {
			p.overlays[path] = want[path]
			out = append(out, change{Kind: changeSet, Path: path, Text: want[path]})
		}
	}
	return out
}

// Close implements oracle.Backend.
func (b *Backend) Close() error {
	b.mu.Lock()
	b.closed = true
	p := b.running
	b.running = nil
	b.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.close()
}

// errClosing is the answer to a question that Close interrupted.
var errClosing = &oracleproto.Error{Kind: oracleproto.KindClosed, Detail: "the oracle is shutting down", Recipe: "start the server again"}
