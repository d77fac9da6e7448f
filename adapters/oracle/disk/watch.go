// Package disk notices what changed in a project's files since the last look,
// whoever changed it: an editor, a shell, a branch switch, a formatter, a
// package manager.
//
// What changed is decided by comparing file stamps alone. Where the system
// queues events reliably, they say in which directories a look has to compare;
// everywhere else, and whenever events may have been lost, it compares all. A
// whole look costs one stat per file and directory.
package disk

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibevm.org/adapters/oracle"
)

// Watch compares a directory tree with what it was. Its methods must not be
// called concurrently.
type Watch struct {
	root     string
	relevant func(name string) bool
	above    []string
	files    map[string]stamp
	dirs     map[string]*directory
	untold   []oracle.Change // found, and not said to be told yet

	events *events // nil when not to be trusted
	whole  time.Time
	// silent are files whose changes raise no event in their directory: links
	// to files elsewhere, files with several names, and what is in directories
	// that are not entered.
	silent map[string]bool
}

// trust is how long events are relied on before all stamps are compared again:
// a write through a memory mapping raises no event.
const trust = 10 * time.Second

// directory is a listed directory.
type directory struct {
	stamp stamp
	subs  []string // subdirectories that are looked into
	files []string // entries that are watched
}

// New makes a Watch of the files under root whose names are relevant; logs and
// the output of builds would only cost time. In the directories above root only
// files with the given names are watched, and installed packages. Nothing is
// read before the first Baseline.
func New(root string, relevant func(name string) bool, above []string) *Watch {
	return &Watch{root: root, relevant: relevant, above: above}
}

// versionControl are directories whose contents are not compared.
var versionControl = []string{".git", ".hg", ".svn"}

// packageMarkers are files in node_modules that package managers rewrite when
// they install, update or remove anything. They speak for what is installed,
// which is not entered either.
var packageMarkers = []string{".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"}

// Baseline records the tree as it is. It must run once, before the compiler
// first reads, so that no later change goes unseen. After an error, which is
// the context's, the Watch is of no use.
func (w *Watch) Baseline(ctx context.Context) error {
	w.files, w.dirs, w.silent = map[string]stamp{}, map[string]*directory{}, map[string]bool{}
	w.events = newEvents()
	for dir := filepath.Dir(w.root); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		for _, name := range w.above {
			w.silent[filepath.Join(dir, name)] = true
		}
		w.silent[filepath.Join(dir, "node_modules")] = true
	}
	err := w.scan(ctx)
	w.untold = nil
	if err != nil {
		w.Close()
	}
	return err
}

// Close gives up what a Watch holds of the system. It can be used afterwards.
func (w *Watch) Close() {
	if w.events != nil {
		w.events.close()
		w.events = nil
	}
}

// Look compares the tree with the last look and returns what appeared, changed
// and vanished and was not Told yet, oldest first. An error is the context's;
// what a look cut short has found is in the outcome of the next.
func (w *Watch) Look(ctx context.Context) ([]oracle.Change, error) {
	err := w.scan(ctx)
	return w.untold, err
}

// Told says that the compiler knows the changes of the last outcome.
func (w *Watch) Told() { w.untold = nil }

// scan compares the tree with the record and updates it.
func (w *Watch) scan(ctx context.Context) error {
	s := &scan{w: w, ctx: ctx, now: time.Now()}
	if dirs, ok := s.hints(); ok {
		s.compareHinted(dirs)
	} else {
		s.enter(w.root)
		s.compareSilent()
		w.whole = s.now
	}
	if ctx.Err() != nil { // cut short: the events that were drained are lost
		w.whole = time.Time{}
	}
	slices.SortFunc(s.changes, func(a, b oracle.Change) int { return strings.Compare(a.Path, b.Path) })
	w.untold = append(w.untold, s.changes...)
	return ctx.Err()
}

type scan struct {
	w       *Watch
	ctx     context.Context
	now     time.Time
	changes []oracle.Change
}

// hints returns the directories that have to be compared; false means all.
func (s *scan) hints() (map[string]bool, bool) {
	if s.w.events == nil {
		return nil, false
	}
	dirs, ok := s.w.events.drain()
	root, here := stat(s.w.root)
	if known := s.w.dirs[s.w.root]; known == nil || !here || !root.same(known.stamp) {
		ok = false // a directory above has moved, or something was mounted
	}
	if !ok {
		s.w.events.close()
		s.w.events = newEvents() // the whole look that follows watches anew
	}
	return dirs, ok && s.now.Sub(s.w.whole) < trust
}

// compareHinted compares the directories that had events, and the files that
// raise none.
func (s *scan) compareHinted(dirs map[string]bool) {
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		if s.w.dirs[path] != nil {
			s.visit(path)
		}
	}
	s.compareSilent()
}

// compareSilent compares the files that raise no event. Comparing may add to
// them.
func (s *scan) compareSilent() {
	for _, path := range slices.Collect(maps.Keys(s.w.silent)) {
		s.compare(path)
	}
}

func (s *scan) report(kind oracle.ChangeKind, path string) {
	s.changes = append(s.changes, oracle.Change{Kind: kind, Path: path})
}

// enter compares a directory and everything below it.
func (s *scan) enter(path string) {
	if s.ctx.Err() != nil {
		return
	}
	if d := s.visit(path); d != nil {
		for _, sub := range d.subs {
			s.enter(sub)
		}
	}
}

// visit compares a directory's own entries, and enters subdirectories that are
// new.
func (s *scan) visit(path string) *directory {
	if s.w.events != nil && !s.w.events.watch(path) { // before it is read: nothing may come between
		s.w.Close()
	}
	now, ok := stat(path)
	if !ok || now.kind != folder {
		s.remove(path)
		return nil
	}
	d := s.w.dirs[path]
	if d == nil || !d.stamp.listed(now) || d.stamp.racy {
		d = s.list(path, now, d)
	}
	for _, f := range d.files {
		s.compare(f)
	}
	for _, sub := range d.subs {
		if s.w.dirs[sub] == nil {
			s.enter(sub)
		}
	}
	return d
}

// list reads a directory anew and drops what is no longer in it.
func (s *scan) list(path string, now stamp, old *directory) *directory {
	d := &directory{stamp: now.at(s.now)}
	entries, err := os.ReadDir(path)
	if err != nil { // unreadable: nothing in it can be compared
		entries = nil
	}
	for _, e := range entries {
		full := filepath.Join(path, e.Name())
		switch {
		case e.Name() == "node_modules":
			d.files = append(d.files, full)
			s.w.silent[full] = true
		case e.IsDir() && slices.Contains(versionControl, e.Name()):
		case e.IsDir():
			d.subs = append(d.subs, full)
		case e.Type()&os.ModeSymlink != 0: // wherever it leads to now or later
			d.files = append(d.files, full)
			s.w.silent[full] = true
		case e.Type().IsRegular() && s.w.relevant(e.Name()):
			d.files = append(d.files, full)
		}
	}
	if old != nil {
		for _, f := range old.files {
			if !slices.Contains(d.files, f) {
				s.gone(f)
			}
		}
		for _, sub := range old.subs {
			if !slices.Contains(d.subs, sub) {
				s.remove(sub)
			}
		}
	}
	s.w.dirs[path] = d
	return d
}

// compare reports a file that appeared, changed or vanished. A link that leads
// to another directory, and installed packages that were exchanged, are
// reported as a change of the path itself.
func (s *scan) compare(path string) {
	old, known := s.w.files[path]
	now, ok := stat(path)
	switch {
	case !ok || now.kind == other || now.kind == regular && !s.counts(path):
		s.gone(path)
		return
	case known && old.same(now) && !old.racy && (filepath.Base(path) != "node_modules" || old.listed(now)):
		return
	}
	if now.kind == folder && filepath.Base(path) == "node_modules" {
		for _, m := range packageMarkers {
			if marker := filepath.Join(path, m); !s.w.silent[marker] {
				s.w.silent[marker] = true
				s.compare(marker)
			}
		}
	}
	if now.names > 1 && now.kind == regular {
		s.w.silent[path] = true
	}
	if now = now.at(s.now); now.kind == folder {
		now.racy = false
	}
	if old.racy || now.racy {
		now.sum = sum(path)
	}
	s.w.files[path] = now
	switch {
	case !known:
		s.report(oracle.DiskCreated, path)
	case !old.same(now) || old.sum != now.sum || now.kind == folder && !old.listed(now):
		s.report(oracle.DiskChanged, path)
	}
}

// counts reports that a file of this name is watched: a source, or one that
// speaks for a project or for installed packages.
func (s *scan) counts(path string) bool {
	name := filepath.Base(path)
	return s.w.relevant(name) || slices.Contains(s.w.above, name) ||
		slices.Contains(packageMarkers, name) && filepath.Base(filepath.Dir(path)) == "node_modules"
}

func (s *scan) gone(path string) {
	if _, known := s.w.files[path]; known {
		delete(s.w.files, path)
		s.report(oracle.DiskDeleted, path)
	}
}

// remove reports a vanished directory's files.
func (s *scan) remove(path string) {
	d := s.w.dirs[path]
	if d == nil {
		return
	}
	delete(s.w.dirs, path)
	for _, f := range d.files {
		s.gone(f)
	}
	for _, sub := range d.subs {
		s.remove(sub)
	}
}
