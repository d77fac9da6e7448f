package shadow

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tree mirrors a directory of the user, top, under dir. In the packages that
// are checked every directory is real, so that `..` stays in the mirror, and
// every file is a link to the user's. Elsewhere whole directories are links.
//
// A file that once held a text of its own stays a real copy for good: cargo
// takes a file as changed when its modification time is later than that of the
// last compilation, which the older file behind a link would not be.
type tree struct {
	top, dir string
	clock    *clock
	// left names files and directories of the user that are not mirrored.
	left func(path string) bool
	// copies are the files in dir that are no links and that we wrote. What
	// else is there, build scripts have made.
	copies map[string]bool
	// known are the contents behind all files of packages when they were last
	// looked at. Files that have vanished stay known.
	known map[string]digest
	// copied are the contents on disk from which those copies were made that
	// programs may rewrite: the lock file and the packages of build scripts.
	copied map[string]digest
}

// plan is what a tree should hold. Paths are relative to its top and use the
// system's separator.
type plan struct {
	texts    map[string]string // files by their hypothetical text
	real     []string          // directories that must be real
	packages []string          // directories whose directories are all real
	// writable are the packages whose build scripts may write next to their
	// sources. Their files are copies.
	writable map[string]bool
	lock     string   // the workspace's Cargo.lock, which cargo may rewrite
	watched  []string // files outside of packages that were read by compilers
}

// mostEntries bounds the files and directories of packages that are looked
// at one by one.
const mostEntries = 10_000

// mostWritable and mostWritableBytes bound the packages that are copied for
// their build scripts.
const (
	mostWritable      = 2_000
	mostWritableBytes = 32 << 20
)

// under is the path relative to the top, and whether it lies below it.
func (t *tree) under(path string) (string, bool) {
	return within(t.top, path)
}

// within is the path relative to dir, and whether it is dir or lies below.
func within(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// real is the user's path for a path of the mirror; other paths are returned
// as they are.
func (t *tree) real(path string) string {
	if rel, ok := within(t.dir, path); ok {
		return filepath.Join(t.top, rel)
	}
	return path
}

// mirror is the path in the mirror for a path of the user; paths outside of
// the top are returned as they are.
func (t *tree) mirror(path string) string {
	if rel, ok := t.under(path); ok {
		return filepath.Join(t.dir, rel)
	}
	return path
}

// sync makes the tree what the plan says and returns the states of the files
// on disk that it looked at. No compiler may be running.
func (t *tree) sync(p plan) (inputs, error) {
	s := &syncing{
		tree: t, plan: p, in: newInputs(), last: t.clock.now,
		children: map[string]map[string]bool{}, hypothetical: map[string]bool{}, deep: map[string]bool{},
	}
	if err := t.clock.tick(); err != nil {
		return s.in, err
	}
	for file := range p.texts {
		s.lead(file)
		for dir := filepath.Dir(file); !s.hypothetical[dir]; dir = filepath.Dir(dir) {
			s.hypothetical[dir] = true
		}
	}
	for file := range t.copies {
		s.lead(file)
	}
	for _, dir := range p.real {
		s.lead(dir)
		s.directory(dir)
	}
	for _, dir := range p.packages {
		s.lead(dir)
		s.directory(dir)
		s.deep[dir] = true
	}
	s.watch()
	return s.in, s.dir(".", false, nil)
}

// syncing is one sync.
type syncing struct {
	*tree
	plan
	in   inputs
	last stamp // when the last compiler had ended

	// children are the entries of real directories that need a look whatever
	// the disk holds; an entry with children is a directory.
	children     map[string]map[string]bool
	hypothetical map[string]bool // directories that lead to a text
	deep         map[string]bool // directories of packages
	entries      int
}

// lead makes the directories above a path real.
func (s *syncing) lead(path string) {
	for path != "." {
		dir := filepath.Dir(path)
		s.directory(dir)
		if s.children[dir][filepath.Base(path)] {
			return
		}
		s.children[dir][filepath.Base(path)] = true
		path = dir
	}
}

func (s *syncing) directory(dir string) {
	if s.children[dir] == nil {
		s.children[dir] = map[string]bool{}
	}
}

// watch looks at files outside of packages.
func (s *syncing) watch() {
	for _, file := range s.watched {
		if s.inPackage(file) {
			continue
		}
		path := filepath.Join(s.top, file)
		info, err := os.Stat(path)
		d := digestOf(path)
		s.in.files[path] = d
		if s.copies[file] || err != nil || !info.Mode().IsRegular() {
			continue
		}
		if s.outdated(file, d, info) {
			s.lead(file)
			s.copies[file] = true
		}
	}
}

// inPackage reports that a file is looked at with its package.
func (s *syncing) inPackage(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if s.deep[dir] || dir == "." {
			return s.deep[dir]
		}
	}
}

// outdated reports that cargo would not see that the file behind a link has
// changed: it is another one with an older time.
func (s *syncing) outdated(file string, now digest, info fs.FileInfo) bool {
	before, seen := s.known[file]
	s.known[file] = now
	return seen && before != now && !stampOf(info).after(s.last)
}

// dir brings one real directory up to date. Packages are entered with deep
// set; writable counts what may still be copied in one with a build script.
func (s *syncing) dir(dir string, deep bool, writable *allowance) error {
	path, mirror := filepath.Join(s.top, dir), filepath.Join(s.tree.dir, dir)
	if s.deep[dir] {
		deep, writable = true, nil
		if s.writable[dir] {
			writable = &allowance{files: mostWritable, bytes: mostWritableBytes}
		}
	}
	if err := makeDir(mirror); err != nil {
		return err
	}
	present, err := os.ReadDir(mirror)
	if err != nil {
		return err
	}
	stale := map[string]bool{}
	for _, entry := range present {
		stale[entry.Name()] = true
	}
	entries, _ := os.ReadDir(path) // hypothetical or not for us to read: nothing to mirror
	onDisk := map[string]bool{}
	for _, entry := range entries {
		onDisk[entry.Name()] = true
		kept, err := s.entry(dir, entry, deep, writable)
		if err != nil {
			return err
		}
		if kept {
			delete(stale, entry.Name())
		}
	}
	for name := range s.children[dir] {
		if onDisk[name] {
			continue
		}
		kept, err := s.absent(filepath.Join(dir, name), deep, writable)
		if err != nil {
			return err
		}
		if kept {
			delete(stale, name)
		}
	}
	for name := range stale {
		file := filepath.Join(dir, name)
		if writable != nil && !onDisk[name] && !s.ours(file) {
			continue
		}
		if err := s.remove(file); err != nil {
			return err
		}
	}
	return nil
}

// ours reports that we made a file of the mirror, or a directory with all that
// is in it.
func (s *syncing) ours(file string) bool {
	info, err := os.Lstat(filepath.Join(s.tree.dir, file))
	switch {
	case err != nil || info.Mode()&fs.ModeSymlink != 0:
		return true
	case info.IsDir():
		entries, err := os.ReadDir(filepath.Join(s.tree.dir, file))
		return err == nil && !slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
			return !s.ours(filepath.Join(file, entry.Name()))
		})
	}
	return s.copies[file] || filepath.Base(file) == freshName
}

// entry mirrors what the disk has; false when it is not to be mirrored.
func (s *syncing) entry(dir string, entry fs.DirEntry, deep bool, writable *allowance) (bool, error) {
	file := filepath.Join(dir, entry.Name())
	path := filepath.Join(s.top, file)
	if text, ok := s.texts[file]; ok {
		delete(s.copied, file)
		return true, s.write(file, []byte(text))
	}
	switch leading := s.children[file] != nil; {
	case leading && (entry.IsDir() || s.hypothetical[file]):
		return true, s.dir(file, deep, writable)
	case s.left(path):
		return false, nil
	case entry.IsDir():
		if !deep || opaque(path) || !s.room() {
			return true, s.link(file, path)
		}
		if _, err := os.Lstat(filepath.Join(path, "Cargo.toml")); err == nil {
			writable = nil // a package of its own
		}
		return true, s.dir(file, deep, writable)
	case entry.Type()&fs.ModeSymlink != 0:
		return true, s.symlink(file, deep)
	case entry.Type().IsRegular():
		return true, s.file(file, deep && s.room(), writable)
	}
	return false, nil // a pipe or a socket
}

// room counts an entry that is looked at.
func (s *syncing) room() bool {
	s.entries++
	if s.entries > mostEntries {
		s.in.partial = true
	}
	return !s.in.partial
}

// absent mirrors what the disk has not.
func (s *syncing) absent(file string, deep bool, writable *allowance) (bool, error) {
	if text, ok := s.texts[file]; ok {
		delete(s.copied, file)
		return true, s.write(file, []byte(text))
	}
	if s.hypothetical[file] {
		return true, s.dir(file, deep, writable)
	}
	if file == s.lock && s.copied[file] == (digest{}) {
		return s.copies[file], nil // cargo's own
	}
	delete(s.copied, file)
	return false, nil
}

// file mirrors a regular file.
func (s *syncing) file(file string, compared bool, writable *allowance) error {
	path := filepath.Join(s.top, file)
	info, err := os.Stat(path)
	if err != nil {
		return s.link(file, path) // gone meanwhile, or not for us; cargo will say so
	}
	var now digest
	if compared || file == s.lock || s.copies[file] {
		now = digestOf(path)
		s.in.files[path] = now
	}
	rewritable := file == s.lock || writable.take(info.Size())
	switch {
	case rewritable:
		if s.copies[file] && s.copied[file] == now && now != (digest{}) {
			return nil
		}
	case s.copies[file]:
	case compared && s.outdated(file, now, info):
	default:
		return s.link(file, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return s.link(file, path)
	}
	if err := s.write(file, text); err != nil {
		return err
	}
	s.known[file] = now
	if rewritable {
		s.copied[file] = now
	}
	return nil
}

// symlink mirrors a link of the user. One to a place that is mirrored leads
// to the mirror, so that hypothetical text is seen through it.
func (s *syncing) symlink(file string, deep bool) error {
	path := filepath.Join(s.top, file)
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return s.link(file, path)
	}
	if deep && s.room() {
		s.in.files[path] = digestOf(target)
	}
	if rel, ok := s.under(target); ok && !s.left(target) {
		return s.link(file, filepath.Join(s.tree.dir, rel))
	}
	return s.link(file, target)
}

// link makes a file of the mirror a link to the target.
func (s *syncing) link(file, target string) error {
	mirror := filepath.Join(s.tree.dir, file)
	if now, err := os.Readlink(mirror); err == nil && now == target {
		return nil
	}
	if err := s.remove(file); err != nil {
		return err
	}
	return os.Symlink(target, mirror)
}

// remove removes a file or directory of the mirror.
func (s *syncing) remove(file string) error {
	for copied := range s.copies {
		if _, ok := within(file, copied); ok {
			delete(s.copies, copied)
		}
	}
	return os.RemoveAll(filepath.Join(s.tree.dir, file))
}

// write makes a file of the mirror a copy with the text. One that holds it
// already is left alone, for its modification time says when it changed.
func (s *syncing) write(file string, text []byte) error {
	mirror := filepath.Join(s.tree.dir, file)
	info, err := os.Lstat(mirror)
	switch {
	case err == nil && info.Mode().IsRegular():
		if now, err := os.ReadFile(mirror); err == nil && bytes.Equal(now, text) {
			s.copies[file] = true
			return nil
		}
	case err == nil:
		if err := s.remove(file); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	fresh := filepath.Join(filepath.Dir(mirror), freshName)
	if err := os.WriteFile(fresh, text, 0o644); err != nil {
		_ = os.Remove(fresh)
		return err
	}
	if err := s.clock.stampLater(fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, mirror); err != nil {
		return err
	}
	s.copies[file] = true
	return nil
}

// freshName is the name under which a copy is written. No crate reads it, and
// the next sync removes one left by a crash.
const freshName = ".tcg-new"

// makeDir makes a real directory of a path, whatever is there.
func makeDir(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		if err := os.Remove(path); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.Mkdir(path, 0o755)
}

// opaque reports directories of packages that hold no sources.
func opaque(path string) bool {
	switch filepath.Base(path) {
	case ".git", ".hg", ".svn", ".jj", "node_modules":
		return true
	}
	_, err := os.Lstat(filepath.Join(path, "CACHEDIR.TAG"))
	return err == nil
}

// allowance is what may still be copied of a package; nil allows nothing.
type allowance struct {
	files int
	bytes int64
}

func (a *allowance) take(size int64) bool {
	if a == nil || a.files < 1 || a.bytes < size {
		return false
	}
	a.files--
	a.bytes -= size
	return true
}
