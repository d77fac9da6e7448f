package disk

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vibevm.org/adapters/oracle"
)

// scan is one comparison of the disk with a Watch's record.
type scan struct {
	w       *Watch
	ctx     context.Context
	now     time.Time
	changes []oracle.Change

	// quiet, when positive, says that nothing is to be reported.
	quiet int
	// since, when not zero, makes what appears known from before that instant,
	// in nanoseconds; of what is newer nobody knows which state was read.
	since int64
	// hinted are directories that had events. What happens to another name of
	// a file raises none.
	hinted map[string]bool
	// later leaves packages and links for settle.
	later bool
}

// since is the instant at and after which a file system may date what happens
// after t.
func since(t time.Time) int64 { return t.Add(-clockTick).UnixNano() }

// hints returns the directories that have to be compared; false means all.
func (s *scan) hints() (map[string]bool, bool) {
	w := s.w
	if w.events == nil {
		return nil, false
	}
	dirs, ok := w.events.drain()
	for _, tree := range w.trees {
		if known := w.dirs[tree]; known != nil && !known.level.installed() {
			if now, here := stat(tree); !here || !now.same(known.stamp) {
				ok = false // a directory above has moved, or something was mounted
			}
		}
	}
	if !ok || w.lost {
		w.renewEvents() // the whole look that follows watches anew
		return nil, false
	}
	s.hinted = dirs
	return dirs, true
}

// compareHinted compares the directories that had events, and what raises none.
func (s *scan) compareHinted(dirs map[string]bool) {
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		s.visit(path)
	}
	s.enterTrees()
	if s.w.deaf {
		s.comparePackages()
	}
	s.compareSilent()
}

// enterTrees enters the trees that were not there before.
func (s *scan) enterTrees() {
	for _, tree := range s.w.trees {
		if s.w.dirs[tree] == nil {
			s.enter(tree, s.w.rules.levelOf(tree), tree != s.w.root)
		}
	}
}

// compareAll compares everything. Packages with events that can be trusted are
// left to these if they are many.
func (s *scan) compareAll(dirs map[string]bool, trusted bool) {
	for _, path := range slices.Sorted(maps.Keys(s.w.dirs)) {
		if d := s.w.dirs[path]; d != nil && !d.level.installed() {
			s.visit(path)
		}
	}
	s.enterTrees()
	if !trusted || s.w.deaf || s.w.entries <= mostCompared {
		s.comparePackages()
	} else {
		for _, path := range slices.Sorted(maps.Keys(dirs)) {
			s.visit(path)
		}
	}
	s.compareSilent()
}

func (s *scan) comparePackages() {
	for _, path := range slices.Sorted(maps.Keys(s.w.dirs)) {
		if d := s.w.dirs[path]; d != nil && d.level.installed() {
			s.visit(path)
		}
	}
}

// compareSilent compares the files that raise no event. Comparing may add to
// them.
func (s *scan) compareSilent() {
	for _, path := range slices.Collect(maps.Keys(s.w.silent)) {
		if _, isLink := s.w.links[path]; isLink {
			s.compareLink(path)
		} else if s.compare(path); s.w.files[path].kind == folder {
			s.compareLink(path) // it is one by now
		}
	}
	for _, path := range s.w.shelves {
		if s.w.dirs[path] != nil || s.w.silent[path] {
			continue
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			s.compareLink(path)
		} else if err == nil {
			s.enter(path, shelf, true)
		}
	}
}

// report notes a change under each name of the path.
func (s *scan) report(kind oracle.ChangeKind, path string) {
	if s.quiet > 0 {
		return
	}
	for _, name := range s.w.names(path) {
		s.changes = append(s.changes, oracle.Change{Kind: kind, Path: name})
	}
}

// appeared reports what was not known before.
func (s *scan) appeared(path string, now stamp) {
	switch {
	case s.since == 0:
		s.report(oracle.DiskCreated, path)
	case now.changed() < s.since || now.names > 1 && now.kind == regular && now.mtime < s.since && s.w.packed(path):
	case now.kind == folder:
		s.report(oracle.DiskCreated, path) // something in it came or went
	default:
		s.report(oracle.DiskChanged, path)
	}
}

// vanished reports what was there when its directory was read, behind an
// answer, and is no longer: the compiler may have seen it.
func (s *scan) vanished(path string) {
	if s.since == 0 {
		return
	}
	if _, err := os.Lstat(path); err != nil {
		s.report(oracle.DiskDeleted, path)
	}
}

// enter compares a directory and everything below it.
func (s *scan) enter(path string, l level, outside bool) {
	switch {
	case s.ctx.Err() != nil || outside && !l.installed() && s.w.outside >= mostOutside:
		return
	case s.later && l.installed():
		s.w.pending = append(s.w.pending, pending{path, l})
		return
	}
	_, known := s.w.dirs[path]
	d := s.list(path, l, outside)
	if d == nil {
		s.vanished(path)
		return
	}
	if l.installed() && !known && s.since == 0 {
		s.report(oracle.DiskCreated, path)
		s.quiet++
		defer func() { s.quiet-- }()
	}
	if l.installed() { // they mostly lead to other packages, not known yet
		s.w.unresolved = append(s.w.unresolved, d.links...)
		s.compareFiles(d)
	} else {
		s.compareEntries(d)
	}
	for _, sub := range d.subs {
		if s.w.coarse && l >= pack {
			return
		}
		s.enter(sub, s.w.rules.below(l, filepath.Base(sub)), outside)
	}
}

// visit compares a known directory's own entries, and enters subdirectories
// that are new.
func (s *scan) visit(path string) {
	d := s.w.dirs[path]
	if d == nil || s.ctx.Err() != nil {
		return
	}
	l, outside := d.level, d.outside
	if d = s.list(path, l, outside); d == nil {
		return
	}
	s.compareEntries(d)
	for _, sub := range d.subs {
		if s.w.dirs[sub] == nil {
			s.enter(sub, s.w.rules.below(l, filepath.Base(sub)), outside)
		}
	}
}

func (s *scan) compareFiles(d *directory) {
	for _, f := range d.files {
		s.compare(f)
		if _, known := s.w.files[f]; !known {
			s.vanished(f)
		}
	}
}

func (s *scan) compareEntries(d *directory) {
	s.compareFiles(d)
	for _, l := range d.links {
		s.compareLink(l)
	}
}
