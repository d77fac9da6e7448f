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
const trust = time.Minute

// directory is a listed directory.
type directory struct {
	stamp stamp
	subs  []string // subdirectories that are looked into
	files []string // entries that are watched
}

// New makes a Watch of the files under root whose names are relevant; logs and
// the output of builds would only cost time. Nothing is read before the first
// Baseline.
func New(root string, relevant func(name string) bool) *Watch {
	return &Watch{root: root, relevant: relevant}
}

// notEntered are directories whose contents are not compared: version control
// data, and installed packages, for which packageMarkers speak.
var notEntered = []string{".git", ".hg", ".svn", "node_modules"}

// packageMarkers are files in node_modules that package managers rewrite when
// they install, update or remove anything.
var packageMarkers = []string{".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"}

// Baseline records the tree as it is, unless that was done before. It must run
// before the compiler first reads, so that no later change goes unseen.
func (w *Watch) Baseline(ctx context.Context) error {
	if w.files != nil {
		return nil
	}
	w.files, w.dirs, w.silent = map[string]stamp{}, map[string]*directory{}, map[string]bool{}
	w.events = newEvents()
	err := w.scan(ctx)
	w.untold = nil
	if err != nil {
		w.files = nil
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
	if !ok {
		s.w.events.close()
		s.w.events = newEvents() // the whole look that follows watches anew
	}
	return dirs, ok && s.now.Sub(s.w.whole) < trust && s.w.dirs[s.w.root] != nil
}

// compareHinted compares the directories that had events, and the files that
// raise none.
func (s *scan) compareHinted(dirs map[string]bool) {
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		if s.w.dirs[path] != nil {
			s.visit(path)
		}
	}
	for path := range s.w.silent {
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
	if !ok {
		s.remove(path)
		return nil
	}
	d := s.w.dirs[path]
	if d == nil || !d.stamp.same(now) || d.stamp.racy {
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
		case e.IsDir() && e.Name() == "node_modules":
			for _, m := range packageMarkers {
				d.files = append(d.files, filepath.Join(full, m))
				s.w.silent[filepath.Join(full, m)] = true
			}
		case e.IsDir() && slices.Contains(notEntered, e.Name()):
		case e.IsDir():
			d.subs = append(d.subs, full)
		case s.w.relevant(e.Name()):
			d.files = append(d.files, full)
			if !e.Type().IsRegular() {
				s.w.silent[full] = true
			}
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

// compare reports a file that appeared, changed or vanished.
func (s *scan) compare(path string) {
	old, known := s.w.files[path]
	now, ok := stat(path)
	switch {
	case !ok:
		s.gone(path)
		return
	case known && old.same(now) && !old.racy:
		return
	}
	if now.names > 1 {
		s.w.silent[path] = true
	}
	now = now.at(s.now)
	if old.racy || now.racy {
		now.sum = sum(path)
	}
	s.w.files[path] = now
	switch {
	case !known:
		s.report(oracle.DiskCreated, path)
	case !old.same(now) || old.sum != now.sum:
		s.report(oracle.DiskChanged, path)
	}
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
