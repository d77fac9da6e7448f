package relay

import (
	"maps"
	"slices"

	"vibevm.org/adapters/oracle"
)

// overlays is the relay's record of the texts that stand in for the disk: what
// callers set to stay (standing) and what the backend was last told
// (announced). The two differ after a question with content, and are made
// equal again by the next question: restoring lazily keeps a run of questions
// about one file at one message each.
type overlays struct {
	standing  map[string]string // path → text set by update
	announced map[string]string // path → text the backend holds
	version   int               // of the last update, session-monotonic
}

func newOverlays() *overlays {
	return &overlays{standing: map[string]string{}, announced: map[string]string{}}
}

// set makes text stand for path and returns the overlay's version.
func (o *overlays) set(path, text string) int {
	o.standing[path] = text
	o.version++
	return o.version
}

// clear lets the disk stand for path again.
func (o *overlays) clear(path string) {
	delete(o.standing, path)
	o.version++
}

// reset forgets all standing overlays.
func (o *overlays) reset() { clear(o.standing) }

// changes returns what the backend has to be told before a question, so that
// path has text, every other standing overlay holds, and nothing else differs
// from the disk. The record is updated as if the backend had been told.
func (o *overlays) changes(path, text string) []oracle.Change {
	var out []oracle.Change
	for _, p := range slices.Sorted(maps.Keys(o.announced)) {
		if _, stands := o.standing[p]; !stands && p != path {
			out = append(out, oracle.Change{Kind: oracle.OverlayClear, Path: p})
			delete(o.announced, p)
		}
	}
	tell := func(p, t string) {
		if old, told := o.announced[p]; !told || old != t {
			out = append(out, oracle.Change{Kind: oracle.OverlaySet, Path: p, Text: t})
			o.announced[p] = t
		}
	}
	for _, p := range slices.Sorted(maps.Keys(o.standing)) {
		if p != path {
			tell(p, o.standing[p])
		}
	}
	tell(path, text)
	return out
}
