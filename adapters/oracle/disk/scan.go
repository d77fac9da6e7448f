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

// list brings the record of a directory's entries up to date; nil when there
// is none.
func (s *scan) list(path string, l level, outside bool) *directory {
	w := s.w
	now, ok := stat(path)
	if !ok || now.kind != folder || !s.listen(path, now, l) {
		s.remove(path)
		return nil
	}
	old := w.dirs[path]
	if old != nil && old.stamp.listed(now) && !old.stamp.racy {
		return old
	}
	d := s.read(path, now, l)
	d.outside = outside
	w.dirs[path] = d
	w.count(d, 1)
	if old == nil {
		if after, here := stat(path); s.since != 0 && here { // than its entries were read
			s.appeared(path, after)
		}
		return d
	}
	w.count(old, -1)
	for _, f := range missing(old.files, d.files) {
		s.gone(f)
	}
	for _, l := range missing(old.links, d.links) {
		s.unlink(l)
	}
	for _, sub := range missing(old.subs, d.subs) {
		s.remove(sub)
	}
	return d
}

// missing are the members of one sorted list that another lacks.
func missing(old, now []string) []string {
	return slices.DeleteFunc(slices.Clone(old), func(p string) bool {
		_, still := slices.BinarySearch(now, p)
		return still
	})
}

// listen asks for a directory's events; false when it is gone. It must come
// before the directory is read: nothing may come between.
func (s *scan) listen(path string, now stamp, l level) bool {
	w := s.w
	if w.events == nil || l.installed() && w.deaf {
		return true
	}
	switch got := w.events.watch(path, now, l.installed()); {
	case got == absent:
		return false
	case got == heard:
	case !l.installed():
		w.events.close()
		w.events = nil
	case got == crowded && !w.coarse:
		w.coarsen()
		return l <= pack && s.listen(path, now, l)
	default:
		w.deaf = true
	}
	return true
}

// read lists a directory.
func (s *scan) read(path string, now stamp, l level) *directory {
	d := &directory{stamp: now.at(s.now), level: l}
	entries, err := os.ReadDir(path)
	if err != nil { // unreadable: nothing in it can be compared
		return d
	}
	if !l.installed() && slices.ContainsFunc(entries, isCacheTag) {
		return d
	}
	for _, e := range entries {
		full := filepath.Join(path, e.Name())
		switch {
		case s.w.rules.skips(l, e.Name()):
		case e.Type()&os.ModeSymlink != 0:
			d.links = append(d.links, full)
		case e.IsDir():
			if l < pack || !s.w.coarse {
				d.subs = append(d.subs, full)
			}
		case e.Type().IsRegular() && s.w.rules.takes(l, e.Name()):
			d.files = append(d.files, full)
		}
	}
	return d
}

// isCacheTag reports the file that marks a directory of things made by programs
// (https://bford.info/cachedir), such as cargo's target: large, busy, and no
// source. What a compiler reads there all the same is for Follow.
func isCacheTag(e os.DirEntry) bool { return e.Name() == "CACHEDIR.TAG" && e.Type().IsRegular() }

// compare reports a file that appeared, changed or vanished, and whether it
// did.
func (s *scan) compare(path string) bool {
	w := s.w
	old, known := w.files[path]
	now, ok := stat(path)
	if ok && known && !old.racy && old.same(now) {
		return false
	}
	packed := w.packed(path)
	alike := old.same(now) || packed && old.linked(now) && !s.hinted[filepath.Dir(path)]
	switch {
	case !ok || now.kind == other || now.kind == regular && !w.takes(path):
		return s.gone(path)
	case known && !old.racy && alike:
		return false
	}
	if now.names > 1 && now.kind == regular && !packed {
		w.silent[path] = true
	}
	if now = now.at(s.now); now.kind == folder {
		now.racy = false
	}
	if old.racy || now.racy {
		now.sum = sum(path)
	}
	w.files[path] = now
	switch {
	case !known:
		s.appeared(path, now)
	case alike && old.sum == now.sum:
		return false
	case now.kind == folder && packed:
		s.report(oracle.DiskCreated, path) // a package's name may look like a file's
	default:
		s.report(oracle.DiskChanged, path)
	}
	return true
}

// packed reports a path in a directory of packages.
func (w *Watch) packed(path string) bool {
	d := w.dirs[filepath.Dir(path)]
	return d != nil && d.level.installed()
}

// takes reports whether a file is watched.
func (w *Watch) takes(path string) bool {
	l := sources
	if d := w.dirs[filepath.Dir(path)]; d != nil {
		l = d.level
	}
	return w.followed[path] || w.rules.takes(l, filepath.Base(path))
}

func (s *scan) gone(path string) bool {
	if _, known := s.w.files[path]; known {
		delete(s.w.files, path)
		s.report(oracle.DiskDeleted, path)
		return true
	}
	return false
}

// remove reports a vanished directory's files, or the directory if it is of
// packages.
func (s *scan) remove(path string) {
	w := s.w
	d := w.dirs[path]
	if d == nil {
		return
	}
	w.forget(path)
	if d.level.installed() {
		s.report(oracle.DiskDeleted, path)
		s.quiet++
		defer func() { s.quiet-- }()
	}
	for _, f := range d.files {
		s.gone(f)
	}
	for _, l := range d.links {
		s.unlink(l)
	}
	for _, sub := range d.subs {
		s.remove(sub)
	}
}

// forget drops the record of a directory.
func (w *Watch) forget(path string) {
	w.count(w.dirs[path], -1)
	delete(w.dirs, path)
	if w.events != nil {
		w.events.forget(path)
	}
}

func (w *Watch) count(d *directory, n int) {
	switch {
	case d.level.installed():
		w.entries += n * (1 + len(d.files) + len(d.links))
	case d.outside:
		w.outside += n
	}
}
