// Package oracle declares the port between a relay and the compiler behind it.
//
// The relay owns everything that is the same for all languages: the wire, the
// overlays, the confinement of paths, deadlines and policy. A Backend owns one
// language's compilers and answers questions about absolute paths.
package oracle

import (
	"context"

	"vibevm.org/tcgfamily/oracleproto"
)

// Backend answers for one language under one project root. A Backend is used
// by one goroutine at a time; only Close may be called while another method
// runs, and then makes it return. Compilers are started lazily, by the first
// question that needs one.
//
// Errors are *oracleproto.Error where the caller can act on them. A compiler
// that died is oracleproto.KindOracleCrashed, with its exit status and last
// stderr lines in the detail; the Backend does not start it again. A context
// that ends before the answer is reported as the context's error, never as an
// empty answer.
type Backend interface {
	// Sync tells the backend what changed since the last call, in order. It
	// must be called before a question whose file's text is not the disk's.
	// Sync does not wait for the compiler.
	Sync(ctx context.Context, changes []Change) error
	// Validate returns the compiler's own errors and warnings for the file,
	// in the compiler's order.
	Validate(ctx context.Context, doc Document, check Check) (Validation, error)
	// Complete lists completions at a position: prefix filter, then cut at
	// limit, then types for every entry that is returned.
	Complete(ctx context.Context, doc Document, at oracleproto.Position, prefix string, limit int) (Completions, error)
	// Type describes the symbol at a position.
	Type(ctx context.Context, doc Document, at oracleproto.Position) (TypeInfo, error)
	// Scope lists the names visible at a position; global names only when
	// globals is set.
	Scope(ctx context.Context, doc Document, at oracleproto.Position, globals bool) (Scope, error)
	// Close stops the compilers and waits for them. It is idempotent.
	Close() error
}

// Reader is implemented by a Backend that knows what its answers depend on, so
// that files outside the tree of the question, and in packages where the system
// has no events, are watched as well.
type Reader interface {
	// Reads lists the files that the compilers have read, or looked for in
	// vain, and still hold to be as they were; a directory stands for the
	// sources in it. Paths are absolute, in any order that stays the same while
	// the list does; one that is too long costs time, one that lacks a file may
	// cost an answer its truth. The relay calls it after each answer and does not
	// change the list; a change of what is in it comes with the next Sync.
	Reads() []string
}

// Document is the file asked about with the text the relay wants judged,
// which Sync has already announced. Text has no byte order mark; positions
// refer to it and are inside it.
type Document struct {
	Path string // absolute, symlinks resolved
	Text string
}

// Check says how a file is to be validated. The zero value is the default; a
// language without the distinction ignores it.
type Check struct {
	Depth oracleproto.Depth
	Tests bool // judge test code as well
}

// ChangeKind says what happened to a path.
type ChangeKind int

// Change kinds.
const (
	OverlaySet   ChangeKind = iota // Text stands for the file from now on
	OverlayClear                   // the disk stands for the file again
	DiskCreated                    // the file, or directory of packages, appeared on disk
	DiskChanged                    // the file's bytes on disk changed; a link leads elsewhere
	DiskDeleted                    // the file, or directory of packages, vanished from disk
	DiskLost                       // anything on disk may be otherwise than it was read; Path is empty
)

// Change is one event for Sync. Path is absolute with symlinks resolved as in
// Document, except that the last element may itself be a link. Text is set for
// OverlaySet alone and has no byte order mark.
type Change struct {
	Kind ChangeKind
	Path string
	Text string
}

// Context is what every answer says about where it came from.
type Context struct {
	Engine oracleproto.Engine
	// ConfigFile is the absolute path of the project configuration that
	// governed the answer, empty when none did.
	ConfigFile string
	// Advice are remarks for the caller about this answer.
	Advice []string
}

// Validation is the answer of Backend.Validate.
type Validation struct {
	Context
	Coverage    oracleproto.Coverage
	Diagnostics []oracleproto.Diagnostic
	// ProjectErrors are errors of the configuration itself; with any of them
	// the compiler fails whatever the file says.
	ProjectErrors []oracleproto.Diagnostic
	// Unknown is set when the compiler's answer is no verdict on the file in
	// this project (for example ReasonNotInProject).
	Unknown oracleproto.Reason
}

// Completions is the answer of Backend.Complete; Total counts the entries
// that matched before the cut.
type Completions struct {
	Context
	Entries []oracleproto.Entry
	Total   int
}

// TypeInfo is the answer of Backend.Type; both texts are empty on a blank spot.
type TypeInfo struct {
	Context
	Display       string
	Documentation string
}

// Scope is the answer of Backend.Scope.
type Scope struct {
	Context
	Symbols []oracleproto.Symbol
	Globals []string
}
