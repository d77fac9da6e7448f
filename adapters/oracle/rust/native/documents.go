package native

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// documents is what one analyzer was told about files. It watches nothing by
// itself, so this record is all it knows beyond its first reading.
type documents struct {
	open    map[string]string // path → text it holds instead of the disk's
	version *int              // shared by all analyzers, strictly increasing

	disk    map[string]bool // files that changed on disk; it was not told yet
	reload  bool            // a manifest changed: the project has to be read anew
	rebuild bool            // what build scripts or procedural macros do may have changed
}

// maxChanges bounds what is kept for an analyzer that is not asked.
const maxChanges = 2000

// diskChanged notes a change on disk for the next question; false means that
// the analyzer has to be started anew instead.
func (p *process) diskChanged(path string) bool {
	d := &p.documents
	switch name := filepath.Base(path); {
	case name == "Cargo.toml" || name == "Cargo.lock":
		d.reload = true
		d.disk[path] = true
	case filepath.Ext(name) == ".rs":
		d.disk[path] = true
		d.rebuild = d.rebuild || name == "build.rs" || inProcMacro(path)
	case name == "config.toml" || name == "config":
		return filepath.Base(filepath.Dir(path)) != ".cargo"
	default:
		// Another toolchain, or a link to a directory, which leads elsewhere:
		// anything may be another file now.
		return false
	}
	return len(d.disk) <= maxChanges
}

// procMacro is what a Cargo.toml says of a crate that has to be built before it
// can be used.
var procMacro = regexp.MustCompile(`(?m)^\s*proc[-_]macro\s*=\s*true`)

// inProcMacro reports a source of a crate of procedural macros.
func inProcMacro(path string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if text, err := readDisk(filepath.Join(dir, "Cargo.toml")); err == nil {
			return procMacro.MatchString(text)
		}
	}
	return false
}

// outdated reports that the analyzer has given up on the project. What it
// missed may be there by now.
func (p *process) outdated() bool { return p.status.current().failed() }

// flush tells the analyzer everything it does not know: texts that no longer
// stand for a file, changes on disk, and the texts that do stand, the asked
// document's among them. When it returns the analyzer has taken note.
func (p *process) flush(ctx context.Context, overlays map[string]string, doc oracle.Document) error {
	wanted := func(path string) bool {
		_, overlaid := overlays[path]
		return overlaid || path == doc.Path
	}
	d := &p.documents
	var gone []string // files it has to forget
	for _, path := range slices.Sorted(maps.Keys(d.open)) {
		if wanted(path) {
			continue
		}
		delete(d.disk, path)
		there, err := p.restore(path)
		if err != nil {
			return err
		}
		if !there {
			gone = append(gone, path)
		}
	}
	told, err := p.tellDisk(wanted)
	if err != nil {
		return err
	}
	gone = append(gone, told.gone...)
	known := len(d.open)
	for _, path := range slices.Sorted(maps.Keys(overlays)) {
		if path != doc.Path {
			if err := p.hold(path, overlays[path]); err != nil {
				return err
			}
		}
	}
	if err := p.hold(doc.Path, doc.Text); err != nil {
		return err
	}
	if now := p.status.current(); now.says(metadataFailed) || now.says(sysrootFailed) {
		d.reload = true // what was missing may have been installed, which nobody announces
	}
	if len(gone) == 0 && !told.any && !d.reload && len(d.open) == known {
		return nil
	}
	return p.settle(ctx, gone)
}

// told is what tellDisk did.
type told struct {
	any  bool
	gone []string
}

// tellDisk passes changes on disk on. Announcing one makes the analyzer read
// the file some time later, while a text it is sent counts at once; so a
// source is opened with the disk's text and closed again.
func (p *process) tellDisk(open func(path string) bool) (told, error) {
	d := &p.documents
	var t told
	var events []lsp.FileEvent
	for _, path := range slices.Sorted(maps.Keys(d.disk)) {
		t.any = true
		if open(path) { // what it is sent stands for the disk
			continue
		}
		text, err := readDisk(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			events = append(events, lsp.FileEvent{URI: uriOf(path), Type: lsp.FileDeleted})
			if filepath.Ext(path) == ".rs" {
				t.gone = append(t.gone, path)
			}
		case err != nil || filepath.Ext(path) != ".rs":
			events = append(events, lsp.FileEvent{URI: uriOf(path), Type: lsp.FileChanged})
		default:
			if err := p.hold(path, text); err != nil {
				return t, err
			}
			if err := p.shut(path); err != nil {
				return t, err
			}
		}
	}
	if len(events) > 0 {
		if err := p.notify("workspace/didChangeWatchedFiles", lsp.DidChangeWatchedFilesParams{Changes: events}); err != nil {
			return t, err
		}
	}
	clear(d.disk)
	return t, nil
}

// restore gives a file back to the disk; there is false when the disk has none.
// The analyzer reads the disk some time after a document is closed, so what it
// will find is sent before.
func (p *process) restore(path string) (there bool, err error) {
	text, err := readDisk(path)
	if err == nil {
		there = true
		if err := p.hold(path, text); err != nil {
			return there, err
		}
	}
	return there, p.shut(path)
}

// settle waits until the analyzer has taken note of what it was told, in the
// order it does: files it forgets, then what it loads anew.
func (p *process) settle(ctx context.Context, gone []string) error {
	d := &p.documents
	for _, path := range gone {
		if err := p.awaitGone(ctx, path); err != nil {
			return err
		}
	}
	if d.reload {
		if err := p.do(ctx, "rust-analyzer/reloadWorkspace"); err != nil {
			return err
		}
		d.reload = false
	}
	if d.rebuild && !p.project.NoBuildScripts {
		if err := p.rested(ctx); err != nil {
			return err
		}
		if err := p.do(ctx, "rust-analyzer/rebuildProcMacros"); err != nil {
			return err
		}
	}
	d.rebuild = false
	return p.rested(ctx)
}

// do makes a request without params and result.
func (p *process) do(ctx context.Context, method string) error {
	return p.wait(ctx, p.client.Go(method, nil), nil)
}

// rested waits until the analyzer rests. Loading that it has to do because of
// what it was sent has begun, and was reported, when it answers a request that
// came after.
func (p *process) rested(ctx context.Context) error {
	if _, err := p.knows(ctx, p.project.Root); err != nil {
		return err
	}
	return p.explain(p.status.await(ctx, p.client.Done()))
}

// awaitGone waits until the analyzer has forgotten a file that is not on disk.
// It does within milliseconds; asking costs it nothing.
func (p *process) awaitGone(ctx context.Context, path string) error {
	for range mostLooks {
		known, err := p.knows(ctx, path)
		if err != nil || !known {
			return err
		}
		if _, err := os.Stat(path); err == nil {
			return nil // it came back, which will be told
		}
	}
	return &oracleproto.Error{
		Kind:   oracleproto.KindTimeout,
		Detail: "rust-analyzer " + p.analyzer.Version + " does not take note that " + path + " is gone",
		Recipe: "ask again: the analyzer is busy with changes",
	}
}

// mostLooks bounds awaitGone; a look takes a fraction of a millisecond.
const mostLooks = 20_000

// knows reports that the analyzer has a text for a file.
func (p *process) knows(ctx context.Context, path string) (bool, error) {
	err := p.wait(ctx, p.client.Go("rust-analyzer/viewFileText", lsp.TextDocumentIdentifier{URI: uriOf(path)}), nil)
	var refused *lsp.ResponseError
	if errors.As(err, &refused) { // there is no such file, unless it is put off
		return wantsItAgain(err), nil
	}
	return err == nil, err
}

// hold makes a text stand for a file in this analyzer. A text that no overlay
// announced is dropped by the next flush.
func (p *process) hold(path, text string) error {
	d := &p.documents
	held, open := d.open[path]
	if open && held == text {
		return nil
	}
	*d.version++
	d.open[path] = text
	if open {
		return p.notify("textDocument/didChange", lsp.DidChangeParams{
			TextDocument:   lsp.VersionedTextDocumentIdentifier{URI: uriOf(path), Version: *d.version},
			ContentChanges: []lsp.ContentChange{{Text: text}},
		})
	}
	return p.notify("textDocument/didOpen", lsp.DidOpenParams{TextDocument: lsp.TextDocumentItem{
		URI: uriOf(path), LanguageID: "rust", Version: *d.version, Text: text,
	}})
}

// shut closes a document.
func (p *process) shut(path string) error {
	delete(p.documents.open, path)
	return p.notify("textDocument/didClose", documentOf(uriOf(path)))
}

func (p *process) notify(method string, params any) error {
	return p.explain(p.client.Notify(method, params))
}

// readDisk reads a source as the analyzer should see it: a byte order mark is
// a syntax error to it. Invalid UTF-8 is an error, as for rustc.
func readDisk(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, syscall.ENOTDIR) {
			err = os.ErrNotExist
		}
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, os.ErrInvalid)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(string(b), "\ufeff"), nil
}

// maxSource bounds what is read of one source, in bytes.
const maxSource = 32 << 20

func documentOf(uri string) lsp.DocumentParams {
	return lsp.DocumentParams{TextDocument: lsp.TextDocumentIdentifier{URI: uri}}
}

func uriOf(path string) string { return lsp.PathToURI(path) }
