// Package disk notices what changed in a project's files since the last look,
// whoever changed it: an editor, a shell, a branch switch, a formatter, a
// package manager.
//
// What changed is decided by comparing file stamps alone. Where the system
// queues events reliably, they say in which directories a look has to compare;
// everywhere else, and whenever events may have been lost, it compares all. A
// whole look costs one stat per file and directory.
//
// A Watch covers a tree of sources, the packages installed in it and above it,
// the directories outside it that symbolic links lead to, and the files its
// user names with Follow.
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

// Watch compares a directory tree, and what belongs to it, with what it was.
// Its methods must not be called concurrently.
type Watch struct {
	root  string
	rules Rules

	files   map[string]stamp
	dirs    map[string]*directory
	links   map[string]link
	aliases map[string][]string // links among sources, by the directory they lead to
	trees   []string            // directories that no other known one holds
	shelves []string            // where packages may be installed above a tree
	outside int                 // directories of sources in other trees
	entries int                 // files and directories of packages

	// What settle enters when everything else is known.
	pending    []pending
	unresolved []string // links of packages

	// silent are files whose changes raise no event in a directory that is
	// watched: links to files elsewhere, files with several names, files that
	// belong to no tree.
	silent map[string]bool
	// followed are the paths of the last Follow.
	followed  map[string]bool
	following []string

	untold []oracle.Change // found, and not said to be told yet

	events *events // nil when not to be trusted
	whole  time.Time
	lost   bool // events were drained and not followed to the end
	deaf   bool // packages raise no events
	coarse bool // of packages only their own directories are looked at

	behind *job // work that no answer waits for
}

// pending is a directory that is to be entered.
type pending struct {
	path  string
	level level
}

const (
	// trust is how long events are relied on before all stamps are compared
	// again: a write through a memory mapping raises no event.
	trust = 10 * time.Second
	// mostCompared bounds the files and directories of packages whose stamps
	// are compared where no event speaks for them.
	mostCompared = 3_000
	// mostOutside bounds the directories of sources in other trees: a link may
	// lead anywhere.
	mostOutside = 10_000
)

// New makes a Watch of the tree under root, an absolute path without symbolic
// links. Nothing is read before the first Baseline.
func New(root string, rules Rules) *Watch { return &Watch{root: root, rules: rules} }

// Baseline records the tree as it is. It must run once, before the compiler
// first reads, so that no later change goes unseen. Packages and other trees
// are recorded behind the first answer: what changes meanwhile has a change
// time that tells. After an error, which is the context's, the Watch is of no
// use.
func (w *Watch) Baseline(ctx context.Context) error {
	w.Close()
	*w = Watch{
		root: w.root, rules: w.rules,
		files: map[string]stamp{}, dirs: map[string]*directory{}, links: map[string]link{}, aliases: map[string][]string{},
		silent: map[string]bool{}, followed: map[string]bool{}, trees: []string{w.root},
		events: newEvents(),
	}
	now := time.Now()
	s := &scan{w: w, ctx: ctx, now: now, quiet: 1, later: true}
	s.above(w.root)
	s.enter(w.root, sources, false)
	s.compareSilent()
	if err := ctx.Err(); err != nil {
		w.Close()
		return err
	}
	w.whole = now
	w.goBehind(func(ctx context.Context) {
		s := &scan{w: w, ctx: ctx, now: time.Now(), since: since(now)}
		s.settle()
		w.keep(s)
	})
	return nil
}

// Close gives up what a Watch holds of the system. It can be used afterwards.
func (w *Watch) Close() {
	w.behind.stop()
	w.behind = nil
	if w.events != nil {
		w.events.close()
		w.events = nil
	}
}

// Look compares what is watched with the last look and returns what appeared,
// changed and vanished and was not Told yet, oldest first. A directory of
// packages that came or went is reported by itself, without its contents; a
// file that a link among the sources leads to, by each of its names. An error
// is the context's; what a look cut short has found is in the outcome of the
// next.
func (w *Watch) Look(ctx context.Context) ([]oracle.Change, error) {
	if err := w.behind.wait(ctx); err != nil {
		return w.untold, err
	}
	w.behind = nil
	err := w.look(ctx)
	return w.untold, err
}

// Told says that the compiler knows the changes of the last outcome.
func (w *Watch) Told() { w.untold = nil }

// Follow names files that an answer depended on, wherever they are, existing or
// not; a directory stands for the sources in it. They take the place of those
// named before. What changed after the question came is found by the next look.
func (w *Watch) Follow(paths []string, question time.Time) {
	if slices.Equal(paths, w.following) {
		return
	}
	paths = slices.Clone(paths)
	w.following = paths
	w.goBehind(func(ctx context.Context) {
		s := &scan{w: w, ctx: ctx, now: time.Now(), since: since(question)}
		s.follow(paths)
		w.keep(s)
	})
}

// look compares what is watched with the record and updates that.
func (w *Watch) look(ctx context.Context) error {
	s := &scan{w: w, ctx: ctx, now: time.Now()}
	dirs, trusted := s.hints()
	if trusted && s.now.Sub(w.whole) < trust {
		s.compareHinted(dirs)
	} else {
		s.compareAll(dirs, trusted)
		w.whole = s.now
	}
	s.settle()
	if ctx.Err() != nil { // cut short: the events that were drained are lost
		w.lost = true
	}
	w.keep(s)
	return ctx.Err()
}

// keep adds what a scan found to what is to be told.
func (w *Watch) keep(s *scan) {
	slices.SortStableFunc(s.changes, func(a, b oracle.Change) int { return strings.Compare(a.Path, b.Path) })
	w.untold = append(w.untold, s.changes...)
}

// renewEvents starts with an empty queue and nothing watched.
func (w *Watch) renewEvents() {
	w.events.close()
	w.events = newEvents()
	w.lost, w.deaf = false, false
}

// Wide reports a directory that holds more than a project, such as "/" or a
// home directory, which is never looked over as a whole.
func Wide(dir string) bool {
	home, err := os.UserHomeDir()
	return dir == filepath.Dir(dir) || err == nil && (dir == filepath.Clean(home) || within(home, dir))
}

// within reports a path below a directory.
func within(path, dir string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
