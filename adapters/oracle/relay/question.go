package relay

import (
	"context"
	"path/filepath"
	"time"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/disk"
	"vibevm.org/tcgfamily/oracleproto"
)

// question is one file with the text that is judged.
type question struct {
	file    file
	doc     oracle.Document
	source  oracleproto.Source
	started time.Time
}

// ask resolves a question, tells the backend what it needs to know and asks.
// The disk is looked over after the question came and before the backend
// works, so what anyone changed before the question is in the answer.
func ask[A any](ctx context.Context, r *Relay, name string, content *string, answer func(*question) (A, error)) (*question, A, error) {
	var none A
	q := &question{started: time.Now()}
	err := r.identify(q, name)
	if err == nil {
		err = r.catchUp(ctx, q.file)
	}
	if err == nil {
		err = r.read(q, content)
	}
	if err == nil {
		err = r.backend.Sync(ctx, r.overlays.changes(q.doc.Path, q.doc.Text))
	}
	if err != nil {
		return nil, none, err
	}
	if r.unfollowed.IsZero() {
		r.unfollowed = q.started
	}
	a, err := answer(q)
	if err == nil {
		r.follow()
	}
	return q, a, err
}

// follow makes the next looks cover what the answers so far depended on. Of
// questions that were given up nobody knows what the backend read for them, so
// what counts is the time of the first since the backend last told.
func (r *Relay) follow() {
	if reader, ok := r.backend.(oracle.Reader); ok {
		reads := reader.Reads()
		for _, w := range r.watches {
			w.Follow(reads, r.unfollowed)
		}
	}
	r.unfollowed = time.Time{}
}

// identify finds the question's file and refuses what no compiler reads.
func (r *Relay) identify(q *question, name string) error {
	f, err := r.resolve(name)
	if err == nil {
		err = mustBeRegular(f)
	}
	if err == nil {
		err = r.supported(f)
	}
	q.file = f
	return err
}

// catchUp tells the backend what changed on disk since it read it. A tree that
// was not looked at before has nothing to compare with: if the backend may have
// read some of it for a question about another tree, nothing of that counts.
func (r *Relay) catchUp(ctx context.Context, f file) error {
	place := f.root + "\x00" + filepath.Dir(f.abs)
	tree, known := r.trees[place]
	if !known {
		tree = r.language.tree(f.root, f.abs)
		r.trees[place] = tree
	}
	for _, w := range r.watches {
		if err := r.look(ctx, w); err != nil {
			return err
		}
	}
	if tree != "" && r.watches[tree] != nil {
		return nil
	}
	if tree != "" {
		w := disk.New(tree, disk.Rules{Relevant: r.language.takes, ProjectFiles: r.language.ProjectFiles, Packages: r.language.Packages})
		if err := w.Baseline(ctx); err != nil {
			return err
		}
		r.watches[tree] = w
	}
	if !r.asked { // nothing was read yet
		r.asked = true
		return nil
	}
	return r.backend.Sync(ctx, []oracle.Change{{Kind: oracle.DiskLost}})
}

// look tells the backend what changed in a tree.
func (r *Relay) look(ctx context.Context, w *disk.Watch) error {
	changed, err := w.Look(ctx)
	if err == nil && len(changed) > 0 {
		err = r.backend.Sync(ctx, changed)
	}
	if err == nil {
		w.Told()
	}
	return err
}

// read finds the text that is judged: the call's content, else the standing
// overlay, else the disk.
func (r *Relay) read(q *question, content *string) error {
	var text string
	var err error
	standing, stands := r.overlays.standing[q.file.abs]
	switch {
	case content != nil:
		q.source = oracleproto.SourceContent
		text, err = checkText(q.file, *content)
	case stands:
		q.source = oracleproto.SourceOverlay
		text = standing
	default:
		q.source = oracleproto.SourceDisk
		text, err = r.language.readDisk(q.file)
	}
	q.doc = oracle.Document{Path: q.file.abs, Text: text}
	return err
}
