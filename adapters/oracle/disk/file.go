package disk

import (
	"path/filepath"

	"vibevm.org/adapters/oracle"
)

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
