package native

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
)

// documents is what one compiler was told about files. The compiler watches
// nothing by itself on Linux, and with its own texts open never asks the disk,
// so this record is all it knows beyond its first reading.
type documents struct {
	open    map[string]string // path → text it holds instead of the disk's
	events  []lsp.FileEvent   // changes on disk that it was not told yet
	version *int              // shared by all compilers, strictly increasing

	// outside are the files that no project covered when last asked about. The
	// compiler settles that when a document is opened, so these are opened
	// anew for each question: another file may import them by now.
	outside map[string]bool

	// missing are directories of open documents that are not on disk. Nobody
	// announces a new directory, and the compiler needs to hear of it.
	missing map[string]bool
}

// maxEvents bounds what is kept for a compiler that is not asked.
const maxEvents = 20_000

// diskChanged notes a change on disk for the next question; false means that
// the compiler has to be started anew instead.
func (p *process) diskChanged(path string, kind oracle.ChangeKind) bool {
	if !isRead(path) { // a link to a directory leads elsewhere: anything may be another file now
		return false
	}
	if p.projects.governs(path) || kind != oracle.DiskChanged && p.projects.mindFile(path) || packagesChanged(path, kind) || len(p.documents.events) >= maxEvents {
		return false
	}
	change := map[oracle.ChangeKind]lsp.FileChangeType{
		oracle.DiskCreated: lsp.FileCreated, oracle.DiskChanged: lsp.FileChanged, oracle.DiskDeleted: lsp.FileDeleted,
	}[kind]
	p.documents.note(path, change)
	return true
}

// packagesChanged reports that packages were installed, updated or removed: all
// that happens inside node_modules except to the text of a source. The compiler
// keeps failed look-ups and what it made of a package.json, so a fresh one is
// the safe way to see new packages.
func packagesChanged(path string, kind oracle.ChangeKind) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "node_modules") && (kind != oracle.DiskChanged || !isSource(path))
}

// outdated reports that the compiler has read a configuration otherwise than it
// stands now. The asked document does not count: its own answer does not come
// from what the compiler makes of it as a configuration. It counts for the next
// question.
func (p *process) outdated(overlays map[string]string, doc oracle.Document) bool {
	d := &p.documents
	for path := range d.open {
		if path != doc.Path && p.projects.governs(path) && d.differs(path, overlays, nil) {
			return true
		}
	}
	for path := range overlays {
		if path != doc.Path && p.projects.governs(path) && d.differs(path, overlays, nil) {
			return true
		}
	}
	return false
}

// differs reports that the compiler has read a file otherwise than it stands
// now: as asked, as an overlay, or on disk.
func (d *documents) differs(path string, overlays map[string]string, asked *oracle.Document) bool {
	held, open := d.open[path]
	want, set := overlays[path]
	if asked != nil {
		want, set = asked.Text, true
	}
	if !open && !set {
		return false
	}
	if !open || !set {
		disk, err := os.ReadFile(path)
		if err != nil {
			return true
		}
		text := strings.TrimPrefix(string(disk), "\ufeff")
		if !open {
			held = text
		} else {
			want = text
		}
	}
	return held != want
}

// readFile reads a file as the compiler does.
func (d *documents) readFile(path string) ([]byte, error) {
	if text, open := d.open[path]; open {
		return []byte(text), nil
	}
	return os.ReadFile(path)
}

func (d *documents) note(path string, change lsp.FileChangeType) {
	event := lsp.FileEvent{URI: uriOf(path), Type: change}
	if n := len(d.events); n == 0 || d.events[n-1] != event {
		d.events = append(d.events, event)
	}
}

// flush tells the compiler everything it does not know: changes on disk, texts
// that no longer stand for a file, and the texts that do, the asked document's
// among them. It only queues messages; the question follows in the same write.
func (p *process) flush(overlays map[string]string, doc oracle.Document) error {
	want := func(path string) (string, bool) {
		if path == doc.Path {
			return doc.Text, true
		}
		text, ok := overlays[path]
		return text, ok
	}
	d := &p.documents
	var closing []string
	for _, path := range slices.Sorted(maps.Keys(d.open)) {
		if _, stays := want(path); !stays {
			closing = append(closing, path)
			// On close the compiler reads the disk again, but only if it
			// believes that the file changed.
			change := lsp.FileChanged
			if !exists(path) {
				change = lsp.FileDeleted
			}
			d.note(path, change)
		}
	}
	for dir := range d.missing {
		if exists(dir) {
			delete(d.missing, dir)
			d.note(dir, lsp.FileCreated)
		}
	}
	if len(d.events) > 0 {
		events := d.events
		d.events = nil
		if err := p.notify("workspace/didChangeWatchedFiles", lsp.DidChangeWatchedFilesParams{Changes: events}); err != nil {
			return err
		}
	}
	if _, open := d.open[doc.Path]; open && d.outside[doc.Path] {
		closing = append(closing, doc.Path)
	}
	for _, path := range closing {
		delete(d.open, path)
		if err := p.notify("textDocument/didClose", lsp.DocumentParams{TextDocument: lsp.TextDocumentIdentifier{URI: uriOf(path)}}); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(overlays)) {
		if path != doc.Path {
			if err := p.hold(path, overlays[path]); err != nil {
				return err
			}
		}
	}
	return p.hold(doc.Path, doc.Text)
}

// hold makes a text stand for a file in this compiler. A text that no overlay
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
	if dir := filepath.Dir(path); !exists(dir) {
		d.missing[dir] = true
	}
	return p.notify("textDocument/didOpen", lsp.DidOpenParams{TextDocument: lsp.TextDocumentItem{
		URI: uriOf(path), LanguageID: languageID(path), Version: *d.version, Text: text,
	}})
}

func (p *process) notify(method string, params any) error {
	return p.explain(p.client.Notify(method, params))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func uriOf(path string) string { return lsp.PathToURI(path) }

// languageID is the LSP language of a file by its name.
func languageID(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".tsx":
		return "typescriptreact"
	case ".jsx":
		return "javascriptreact"
	case ".js", ".mjs", ".cjs":
		return "javascript"
	case ".json":
		return "json"
	}
	return "typescript"
}
