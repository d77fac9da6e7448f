// Package disk notices what changed in a project's files since the last look,
// whoever changed it: an editor, a shell, a branch switch, a formatter, a
// package manager.
//
// It looks by comparing file stamps, so it depends on no event queue that could
// overflow, lag behind a question, or be missing on a network file system. A
// look costs one stat per file and directory; directories are listed again
// only when they changed.
package disk

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibevm.org/adapters/oracle"
)

// Watch compares a directory tree with what it was. Methods must not be called
// concurrently, except that a Look runs beside its caller until it is waited
// for.
type Watch struct {
	root  string
	files map[string]stamp
	dirs  map[string]*directory
}

// directory is a listed directory.
type directory struct {
	stamp stamp
	subs  []string // subdirectories that are looked into
	files []string // entries that are watched
}

// New makes a Watch of root. Nothing is read before the first Baseline.
func New(root string) *Watch { return &Watch{root: root} }

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
	w.files, w.dirs = map[string]stamp{}, map[string]*directory{}
	if _, err := w.scan(ctx); err != nil {
		w.files = nil
		return err
	}
	return nil
}

// Look starts comparing the tree with the last look, and returns a function
// that waits for the outcome: what appeared, changed and vanished, by path.
// The outcome is remembered as told; waiting again returns it again. An error
// is the context's.
func (w *Watch) Look(ctx context.Context) (wait func() ([]oracle.Change, error)) {
	var changes []oracle.Change
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		changes, err = w.scan(ctx)
	}()
	return func() ([]oracle.Change, error) {
		<-done
		return changes, err
	}
}

// scan compares the tree with the record and updates it.
func (w *Watch) scan(ctx context.Context) ([]oracle.Change, error) {
	s := &scan{w: w, ctx: ctx, now: time.Now()}
	s.enter(w.root)
	if err := ctx.Err(); err != nil {
		// A look cut short has already updated part of the record; what it
		// found must reach the next look's caller.
		w.forget(s.changes)
		return nil, err
	}
	slices.SortFunc(s.changes, func(a, b oracle.Change) int { return strings.Compare(a.Path, b.Path) })
	return s.changes, nil
}

// forget undoes the record of unreported changes, so that they are found again.
func (w *Watch) forget(changes []oracle.Change) {
	for _, c := range changes {
		if c.Kind == oracle.DiskDeleted {
			w.files[c.Path] = stamp{}
			if d := w.dirs[filepath.Dir(c.Path)]; d != nil {
				d.stamp = stamp{}
				d.files = append(d.files, c.Path)
			}
			continue
		}
		w.files[c.Path] = stamp{}
	}
}

type scan struct {
	w       *Watch
	ctx     context.Context
	now     time.Time
	changes []oracle.Change
}

func (s *scan) report(kind oracle.ChangeKind, path string) {
	s.changes = append(s.changes, oracle.Change{Kind: kind, Path: path})
}

// enter compares a directory and everything below it.
func (s *scan) enter(path string) {
	if s.ctx.Err() != nil {
		return
	}
	now, ok := stat(path)
	if !ok {
		s.remove(path)
		return
	}
	d := s.w.dirs[path]
	if d == nil || !d.stamp.same(now) || d.stamp.racy {
		d = s.list(path, now, d)
	}
	for _, f := range d.files {
		s.compare(f)
	}
	for _, sub := range d.subs {
		s.enter(sub)
	}
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
			}
		case e.IsDir() && slices.Contains(notEntered, e.Name()):
		case e.IsDir():
			d.subs = append(d.subs, full)
		default:
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
