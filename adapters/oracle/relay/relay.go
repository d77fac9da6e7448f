package relay

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/disk"
	"vibevm.org/tcgfamily/oracleproto"
)

// Language is what a relay needs to know of the language it serves.
type Language struct {
	// Name is the language as the `language` argument spells it.
	Name string
	// Extensions are the file name endings the compiler takes, lower case with
	// the dot; none means any.
	Extensions []string
	// LineEnds are the characters that end a line beside LF, CR and CRLF.
	LineEnds []rune
	// ProjectFiles are the names of files that make a directory a project or a
	// workspace, such as package.json.
	ProjectFiles []string
	// Packages says where the language's packages are installed; the zero value
	// where that is not among the sources.
	Packages disk.Packages
	// UTF8 says that the compiler refuses a file that is not UTF-8.
	UTF8 bool
	// Depths says that the language has more than one depth of validation, and
	// test code.
	Depths bool
	// Clean removes what questions about a root left on disk and returns the
	// directories it removed; nil when they leave nothing.
	Clean func(root string) (removed []string, err error)
	// Flags registers the language's own command line flags; nil for none.
	Flags func(*flag.FlagSet)
	// Backend makes the language's backend for a root, as the flags say. It
	// must not start anything: compilers start with the first question.
	Backend func(root string) oracle.Backend
}

// Relay answers the operations of the oracle protocol for one root. It is used
// by one goroutine at a time.
type Relay struct {
	language Language
	root     string
	backend  oracle.Backend
	overlays *overlays

	// rootReal is the root with symlinks resolved, when it led to rootInfo.
	rootReal string
	rootInfo fs.FileInfo

	// watches are the trees that were looked at, one for each that questions
	// were about: a tree that was left may change before it is asked about again.
	watches map[string]*disk.Watch
	trees   map[string]string // by root and directory of the file
	asked   bool              // the backend may have read something

	// unfollowed is when the first question came since the backend last said
	// what it reads; zero when there was none.
	unfollowed time.Time
}

// New makes a relay for a root, which need not exist yet. Nothing is started
// or read before the first question.
func New(language Language, root string) *Relay {
	return &Relay{
		language: language,
		root:     root,
		backend:  language.Backend(root),
		overlays: newOverlays(),
		watches:  map[string]*disk.Watch{},
		trees:    map[string]string{},
	}
}

// Close stops the compilers and waits for them.
func (r *Relay) Close() error {
	for _, w := range r.watches {
		w.Close()
	}
	return r.backend.Close()
}

// Do answers one operation. The result marshals to the operation's result
// object; the error is the context's own or an *oracleproto.Error.
func (r *Relay) Do(ctx context.Context, op string, params json.RawMessage) (any, error) {
	switch op {
	case oracleproto.OpInit:
		r.overlays.reset()
		return oracleproto.InitResult{Root: r.root, Language: r.language.Name, Ops: oracleproto.Operations()}, nil
	case oracleproto.OpShutdown:
		return struct{}{}, nil
	case oracleproto.OpUpdate:
		return with(params, r.update)
	case oracleproto.OpValidate:
		return with(params, func(p oracleproto.ValidateParams) (any, error) { return r.validate(ctx, p) })
	case oracleproto.OpScope:
		return with(params, func(p oracleproto.ScopeParams) (any, error) { return r.scope(ctx, p) })
	case oracleproto.OpComplete:
		return with(params, func(p oracleproto.CompleteParams) (any, error) { return r.complete(ctx, p) })
	case oracleproto.OpType:
		return with(params, func(p oracleproto.TypeParams) (any, error) { return r.typeAt(ctx, p) })
	}
	ops := strings.Join(oracleproto.Operations(), ", ")
	return nil, fail(oracleproto.KindProtocol, "use one of "+ops, "unknown op %q", op)
}

// with decodes an operation's params and runs it.
func with[P any](raw json.RawMessage, run func(P) (any, error)) (any, error) {
	var p P
	if half := halfCharacter(raw); half != "" {
		return nil, fail(oracleproto.KindNotText, `write it in the source as the six characters of an escape sequence, such as \ud83d, or send the whole character`, "an argument has %s, which no file can hold", half)
	}
	if len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fail(oracleproto.KindBadArguments, "see docs/oracle-protocol.md for the op's params", "params do not fit the op: %v", err)
		}
	}
	return run(p)
}

func (r *Relay) update(p oracleproto.UpdateParams) (any, error) {
	f, err := r.resolve(p.File)
	if err == nil {
		err = r.supported(f)
	}
	if err != nil {
		return nil, err
	}
	if p.Content == nil {
		r.overlays.clear(f.abs)
		return oracleproto.UpdateResult{}, nil
	}
	text, err := checkText(f, *p.Content)
	if err != nil {
		return nil, err
	}
	return oracleproto.UpdateResult{Version: r.overlays.set(f.abs, text)}, nil
}

func (r *Relay) validate(ctx context.Context, p oracleproto.ValidateParams) (any, error) {
	q, v, err := ask(ctx, r, p.File, p.Content, func(q *question) (oracle.Validation, error) {
		return r.backend.Validate(ctx, q.doc, oracle.Check{Depth: p.Depth, Tests: p.Tests})
	})
	if err != nil {
		return nil, err
	}
	res := oracleproto.ValidateResult{
		Meta:            r.meta(q, v.Context),
		File:            q.file.rel,
		Diagnostics:     r.shown(orEmpty(v.Diagnostics)),
		ProjectErrors:   r.shown(v.ProjectErrors),
		ConformFindings: []oracleproto.Finding{},
		Advice:          orEmpty(v.Advice),
		Facts:           []json.RawMessage{},
		Markers:         []json.RawMessage{},
	}
	res.Coverage = v.Coverage
	res.Verdict, res.Reason = judge(v)
	return res, nil
}

// judge turns what the compiler said into a verdict. Clean needs a compiler
// that answered about this text in this project and had no error to report.
func judge(v oracle.Validation) (oracleproto.Verdict, oracleproto.Reason) {
	switch {
	case v.Unknown != "":
		return oracleproto.VerdictUnknown, v.Unknown
	case slices.ContainsFunc(v.Diagnostics, isError):
		return oracleproto.VerdictErrors, ""
	case len(v.ProjectErrors) > 0:
		return oracleproto.VerdictUnknown, oracleproto.ReasonProjectBroken
	}
	return oracleproto.VerdictClean, ""
}

func isError(d oracleproto.Diagnostic) bool { return d.Category == "error" }

func (r *Relay) scope(ctx context.Context, p oracleproto.ScopeParams) (any, error) {
	q, s, err := ask(ctx, r, p.File, p.Content, func(q *question) (oracle.Scope, error) {
		at := r.language.endOf(q.doc.Text)
		if p.Position != nil {
			at = r.language.clamp(q.doc.Text, *p.Position)
		}
		return r.backend.Scope(ctx, q.doc, at, p.Globals)
	})
	if err != nil {
		return nil, err
	}
	return oracleproto.ScopeResult{
		Meta: r.meta(q, s.Context), File: q.file.rel,
		Symbols: orEmpty(s.Symbols), Globals: s.Globals,
		Branded: []oracleproto.Branded{}, Advice: orEmpty(s.Advice),
	}, nil
}

func (r *Relay) complete(ctx context.Context, p oracleproto.CompleteParams) (any, error) {
	if p.Position == nil {
		return nil, noPosition(oracleproto.OpComplete)
	}
	limit := p.Max
	if limit == 0 {
		limit = oracleproto.DefaultMaxEntries
	}
	q, c, err := ask(ctx, r, p.File, p.Content, func(q *question) (oracle.Completions, error) {
		return r.backend.Complete(ctx, q.doc, r.language.clamp(q.doc.Text, *p.Position), p.Prefix, max(limit, 1))
	})
	if err != nil {
		return nil, err
	}
	return oracleproto.CompleteResult{
		Meta: r.meta(q, c.Context), File: q.file.rel,
		Entries: orEmpty(c.Entries), Total: c.Total, Advice: orEmpty(c.Advice),
	}, nil
}

func (r *Relay) typeAt(ctx context.Context, p oracleproto.TypeParams) (any, error) {
	if p.Position == nil {
		return nil, noPosition(oracleproto.OpType)
	}
	q, t, err := ask(ctx, r, p.File, p.Content, func(q *question) (oracle.TypeInfo, error) {
		return r.backend.Type(ctx, q.doc, r.language.clamp(q.doc.Text, *p.Position))
	})
	if err != nil {
		return nil, err
	}
	return oracleproto.TypeResult{
		Meta: r.meta(q, t.Context), File: q.file.rel,
		Display: t.Display, Documentation: t.Documentation, Advice: orEmpty(t.Advice),
	}, nil
}

func noPosition(op string) error {
	return fail(oracleproto.KindBadArguments, `add "position": {"line": 1, "character": 0}`, "%s needs a position", op)
}

// meta is the common part of an answer; a question that does not judge the
// file keeps this verdict.
func (r *Relay) meta(q *question, c oracle.Context) oracleproto.Meta {
	return oracleproto.Meta{
		Verdict:    oracleproto.VerdictUnknown,
		Reason:     oracleproto.ReasonNotChecked,
		Engine:     &oracleproto.Engine{Name: c.Engine.Name, Version: c.Engine.Version},
		Coverage:   oracleproto.CoverageNone,
		Source:     q.source,
		ConfigFile: r.relative(c.ConfigFile),
		ElapsedMS:  float64(time.Since(q.started).Microseconds()) / 1000,
	}
}

// shown names the related files of diagnostics as answers name files.
func (r *Relay) shown(diagnostics []oracleproto.Diagnostic) []oracleproto.Diagnostic {
	for _, d := range diagnostics {
		for i := range d.Related {
			d.Related[i].File = r.relative(d.Related[i].File)
		}
	}
	return diagnostics
}

// relative shows a path from the root; one outside it stays absolute.
func (r *Relay) relative(path string) string {
	if path == "" {
		return ""
	}
	if rel, err := filepath.Rel(r.rootReal, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// asError makes any failure one the protocol can carry.
func asError(err error) *oracleproto.Error {
	var e *oracleproto.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return &oracleproto.Error{Kind: oracleproto.KindCancelled, Detail: "the request was given up", Recipe: "ask again"}
	case errors.Is(err, context.DeadlineExceeded):
		return &oracleproto.Error{Kind: oracleproto.KindTimeout, Detail: "no answer within the time given", Recipe: "ask again: the compiler goes on loading the project"}
	}
	return &oracleproto.Error{Kind: oracleproto.KindInternal, Detail: err.Error(), Recipe: "report this with the request that caused it"}
}
