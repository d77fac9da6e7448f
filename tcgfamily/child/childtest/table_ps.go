//go:build !linux

package childtest

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"vibevm.org/tcgfamily/child"
)

func table() ([]Entry, error) {
	ps, err := child.LookPath("ps")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out, err := child.Run(ctx, child.Spec{Path: ps, Args: []string{"-axo", "pid=,ppid=,state="}}, nil)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for line := range bytes.Lines(out) {
		var e Entry
		if _, err := fmt.Sscan(string(line), &e.Pid, &e.Parent, &e.State); err != nil {
			return nil, fmt.Errorf("ps: %q: %w", line, err)
		}
		e.State = e.State[:1] // flags follow
		entries = append(entries, e)
	}
	return entries, nil
}
