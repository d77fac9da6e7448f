// Package shadow gives rustc's own verdict on Rust code that is not on disk.
//
// It keeps a shadow of the cargo workspace: a directory tree whose files are
// links to the user's, except for those that hold hypothetical text. There it
// runs `cargo check` with a target directory of its own. The user's sources,
// lock file and target directory are never written.
package shadow

import (
	"context"
	"time"

	"vibevm.org/tcgfamily/oracleproto"
)

// Options say how a Checker works. The zero value is usable but for Root.
type Options struct {
	// Root is the project root, absolute with symlinks resolved. Workspaces
	// within it may have their shadow under their target/tcg.
	Root string
	// CacheDir is where shadows lie that have no place under the project; it
	// is made when needed. Empty means a directory of ours in the user's cache.
	CacheDir string
	// Cargo is the absolute path of cargo; empty means the one on PATH.
	Cargo string
	// NoBuildScripts forbids running code of the project and its dependencies:
	// build scripts and procedural macros. A package that needs any of them is
	// refused with oracleproto.KindBuildScriptsOff.
	NoBuildScripts bool
	// MaxBytes bounds the target directory of a shadow; a larger one is started
	// afresh. 0 means 8 GiB.
	MaxBytes int64
	// MaxRun is how long one run of cargo may take, waited for or not; 0 means
	// 15 minutes.
	MaxRun time.Duration
}

// Request asks for rustc's verdict on one file.
type Request struct {
	// File is absolute with symlinks resolved.
	File string
	// Overlays are the texts that stand for files, by absolute path with
	// symlinks resolved. They need not exist on disk, nor their directories.
	// The texts have no byte order mark. Files without an overlay are judged as
	// they are on disk.
	Overlays map[string]string
	// Tests has test code checked as well: cargo check --tests.
	Tests bool
}

// Result is what `cargo check` says about the file.
type Result struct {
	// Engine is rustc with its version.
	Engine oracleproto.Engine
	// ConfigFile is the absolute path of the Cargo.toml of the file's package.
	ConfigFile string
	// Diagnostics are rustc's errors and warnings for the file, in its order.
	// Code is rustc's ("E0308", "unused_variables"), or empty. The second and
	// further lines of a message are the label of the place and the first help.
	Diagnostics []oracleproto.Diagnostic
	// Reached reports that every crate of the file was compiled to its end or
	// to an error in the file. Only then is a Result without errors clean.
	Reached bool
	// Elsewhere are the first errors that kept cargo from reaching the file.
	Elsewhere []FileDiagnostic
	// Unlinked reports that cargo succeeded and no crate it checked contains
	// the file: no `mod` item leads to it, or a cfg leaves it out.
	Unlinked bool
	// Advice are remarks for the caller.
	Advice []string
}

// FileDiagnostic is an error in some file of the project.
type FileDiagnostic struct {
	// File is absolute; empty when rustc names none.
	File string
	oracleproto.Diagnostic
}

// Checker checks files of one project. Its methods may be called
// concurrently.
type Checker struct {
	options Options
	runs
	kept
}

// New makes a Checker. Nothing is started or written before the first Check.
func New(options Options) *Checker {
	if options.MaxBytes == 0 {
		options.MaxBytes = 8 << 30
	}
	if options.MaxRun == 0 {
		options.MaxRun = 15 * time.Minute
	}
	return &Checker{options: options}
}

// Check has cargo check the package of the file with the overlays in place.
//
// When ctx ends first, the error wraps the context's and says what cargo is
// busy with; cargo goes on, and an identical request joins it or has its
// answer. A context that has ended already thus starts a run without waiting.
// Any other request ends the run: there is one at a time.
//
// Failures the caller can act on are *oracleproto.Error, of the kinds that
// name cargo, rustc, manifests, dependencies, build scripts and the shadow.
func (c *Checker) Check(ctx context.Context, request Request) (Result, error) {
	return c.check(ctx, request)
}

// Close kills a running cargo with all it started and waits for its end. The
// shadows stay, for the next Checker. Close is idempotent; a Check during or
// after it fails.
func (c *Checker) Close() error { return c.close() }
