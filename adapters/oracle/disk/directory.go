package disk

import (
	"os"
	"path/filepath"
	"slices"

	"vibevm.org/adapters/oracle"
)

// directory is a listed directory.
type directory struct {
	stamp   stamp
	level   level
	outside bool
	subs    []string // subdirectories that are looked into
	files   []string // files that are watched
	links   []string // symbolic links, to whatever
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
