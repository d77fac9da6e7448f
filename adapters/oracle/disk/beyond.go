package disk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/adapters/oracle"
)

// link is a symbolic link to a directory.
type link struct {
	text string // what it says
	real string // the directory it leads to, without links
}

// compareLink compares what a symbolic link leads to: a file like any other, a
// directory by its identity and its path.
func (s *scan) compareLink(path string) {
	w := s.w
	packed := w.packed(path)
	changed := s.compare(path)
	if w.files[path].kind != folder {
		w.silent[path] = true // wherever it leads to later
		s.vanished(path)
		s.leadNowhere(path)
		return
	}
	old, known := w.links[path]
	text, err := os.Readlink(path)
	if err != nil { // a directory: one that was followed before it was there
		if w.followed[path] && w.dirs[path] == nil {
			w.pending = append(w.pending, pending{path, w.rules.levelOf(path)})
		}
		return
	}
	if known && old.text == text && !changed {
		return
	}
	real, near := w.resolve(path, text)
	if packed && near {
		delete(w.silent, path) // both ends raise events
	} else {
		w.silent[path] = true
	}
	if known && old.real != real && !changed {
		s.report(oracle.DiskChanged, path) // the same directory by another name
	}
	s.leadNowhere(path)
	if real == "" {
		return
	}
	w.links[path] = link{text, real}
	if !packed {
		w.aliases[real] = append(w.aliases[real], path)
	}
	l := w.rules.levelOf(real)
	if filepath.Base(path) == w.rules.Packages.Dir {
		l = shelf
	}
	w.pending = append(w.pending, pending{real, l})
}

// resolve finds the real path of a link's directory. Among packages, which link
// to each other thousands of times, it mostly is near: a directory that is
// known.
func (w *Watch) resolve(path, text string) (real string, near bool) {
	if !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(path), text)
	}
	if w.dirs[text] != nil {
		return text, true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	return real, false
}

// unlink reports a vanished symbolic link.
func (s *scan) unlink(path string) {
	s.gone(path)
	s.leadNowhere(path)
	if !s.w.followed[path] {
		delete(s.w.silent, path)
	}
}

// leadNowhere drops the record of where a link leads, and that place if nothing
// else leads there.
func (s *scan) leadNowhere(path string) {
	w := s.w
	l, known := w.links[path]
	if !known {
		return
	}
	delete(w.links, path)
	w.aliases[l.real] = slices.DeleteFunc(w.aliases[l.real], func(alias string) bool { return alias == path })
	if len(w.aliases[l.real]) == 0 {
		delete(w.aliases, l.real)
	}
	for _, other := range w.links {
		if other.real == l.real {
			return
		}
	}
	if i := slices.Index(w.trees, l.real); i > 0 && !w.followed[l.real] {
		w.trees = slices.Delete(w.trees, i, i+1)
		s.quiet++
		s.remove(l.real)
		s.quiet--
	}
}

// mostNames bounds the names a file is reported by.
const mostNames = 16

// names are a path and the paths by which links among the sources lead to it.
func (w *Watch) names(path string) []string {
	names := []string{path}
	if len(w.aliases) == 0 {
		return names
	}
	for i := 0; i < len(names) && len(names) < mostNames; i++ {
		for dir := names[i]; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			for _, alias := range w.aliases[dir] {
				name := alias + strings.TrimPrefix(names[i], dir)
				if alias != dir && !within(alias, dir) && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// settle enters what was left for later: packages first, since links mostly
// lead to them.
func (s *scan) settle() {
	w := s.w
	for len(w.pending)+len(w.unresolved) > 0 && s.ctx.Err() == nil {
		next := slices.IndexFunc(w.pending, func(p pending) bool { return p.level.installed() })
		if next < 0 && len(w.unresolved) > 0 {
			links := w.unresolved
			w.unresolved = nil
			for _, path := range links {
				s.compareLink(path)
			}
			continue
		}
		next = max(next, 0)
		p := w.pending[next]
		w.pending = slices.Delete(w.pending, next, next+1)
		s.reach(p.path, p.level)
	}
	if (w.deaf || w.events == nil) && w.entries > mostCompared && !w.coarse {
		w.coarsen()
	}
}

// reach enters a directory, as a tree of its own if it is in none.
func (s *scan) reach(path string, l level) {
	w := s.w
	if w.dirs[path] != nil || Wide(path) || slices.ContainsFunc(versionControl, func(name string) bool {
		return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), name)
	}) {
		return
	}
	outside := !within(path, w.root)
	if outside {
		w.trees = append(w.trees, path)
		if !l.installed() {
			s.above(path)
		}
	}
	s.enter(path, l, outside)
}

// above watches the project files, and the places of packages, in the
// directories above a tree.
func (s *scan) above(tree string) {
	w := s.w
	for dir := filepath.Dir(tree); dir != filepath.Dir(dir) && w.dirs[dir] == nil; dir = filepath.Dir(dir) {
		for _, name := range w.rules.ProjectFiles {
			w.silent[filepath.Join(dir, name)] = true
		}
		if name := w.rules.Packages.Dir; name != "" && !slices.Contains(w.shelves, filepath.Join(dir, name)) {
			w.shelves = append(w.shelves, filepath.Join(dir, name))
		}
	}
}

// follow takes the files that an answer depended on.
func (s *scan) follow(paths []string) {
	w := s.w
	now := map[string]bool{}
	for _, path := range paths {
		now[path] = true
	}
	for path := range w.followed {
		if !now[path] {
			s.unfollow(path)
		}
	}
	for path := range now {
		if s.ctx.Err() != nil {
			return
		}
		if !w.followed[path] {
			w.followed[path] = true
			s.start(path)
		}
	}
	s.settle()
}

// start begins to watch a file or tree that is asked for by name.
func (s *scan) start(path string) {
	w := s.w
	if w.dirs[path] != nil || w.silent[path] {
		return
	}
	known, here := w.files[path]
	if d := w.dirs[filepath.Dir(path)]; d != nil && w.rules.takes(d.level, filepath.Base(path)) {
		// Its directory tells. Files of packages mostly have other names, in the
		// store they came from, by which nobody writes to them.
		if !here || known.names < 2 || d.level.installed() {
			return
		}
	}
	now, ok := stat(path)
	if ok && now.kind == folder {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			w.pending = append(w.pending, pending{real, w.rules.levelOf(real)})
		}
		return
	}
	w.silent[path] = true
	s.compare(path)
	if parent, there := stat(filepath.Dir(path)); !ok && there && parent.changed() >= s.since {
		s.report(oracle.DiskDeleted, path)
	}
}

// unfollow ends that, as far as nothing else asks for it.
func (s *scan) unfollow(path string) {
	w := s.w
	delete(w.followed, path)
	if d := w.dirs[filepath.Dir(path)]; d == nil || !slices.Contains(d.files, path) && !slices.Contains(d.links, path) {
		if !slices.Contains(w.rules.ProjectFiles, filepath.Base(path)) {
			delete(w.silent, path)
			delete(w.files, path)
		}
	}
}

// coarsen gives up what is deeper in packages than their own directories.
func (w *Watch) coarsen() {
	w.coarse = true
	for _, d := range w.dirs {
		if d.level == pack {
			for _, sub := range d.subs {
				w.drop(sub)
			}
			d.subs = nil
		}
	}
}

// drop forgets a directory and everything below it.
func (w *Watch) drop(path string) {
	d := w.dirs[path]
	if d == nil {
		return
	}
	w.forget(path)
	for _, f := range append(slices.Clone(d.files), d.links...) {
		if !w.silent[f] {
			delete(w.files, f)
		}
	}
	for _, sub := range d.subs {
		w.drop(sub)
	}
}
