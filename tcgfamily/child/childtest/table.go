// Package childtest looks at the process table, for tests that promise that
// nothing is left running. A zombie counts as left while one of us should
// have reaped it: signal 0 cannot tell it from a live process, so states and
// parents are read.
package childtest

import (
	"os"
	"slices"
	"testing"
	"time"
)

// Entry is one process.
type Entry struct {
	Pid, Parent int
	// State is the letter ps shows: R, S, D, T, Z and so on.
	State string
}

// Zombie reports whether the process is dead and not reaped.
func (e Entry) Zombie() bool { return e.State == "Z" }

// State is the state of a process; empty when there is none.
func State(tb testing.TB, pid int) string {
	tb.Helper()
	for _, e := range Table(tb) {
		if e.Pid == pid {
			return e.State
		}
	}
	return ""
}

// Table lists all processes.
func Table(tb testing.TB) []Entry {
	tb.Helper()
	entries, err := table()
	if err != nil {
		tb.Fatalf("process table: %v", err)
	}
	return entries
}

// Descendants lists the children of a process, their children and so on.
func Descendants(tb testing.TB, pid int) []Entry {
	tb.Helper()
	return descendants(Table(tb), pid)
}

func descendants(all []Entry, pid int) []Entry {
	var found []Entry
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		for _, e := range all {
			if e.Parent == queue[0] {
				found = append(found, e)
				queue = append(queue, e.Pid)
			}
		}
	}
	return found
}

// RequireGone fails the test unless every process has ended within d and has
// been reaped by whoever among the test's processes was its parent. A dead
// orphan is gone: reaping it is the system's job, at the system's leisure.
func RequireGone(tb testing.TB, d time.Duration, pids ...int) {
	tb.Helper()
	var left []Entry
	if Eventually(d, func() bool {
		all := Table(tb)
		ours := descendants(all, os.Getpid())
		left = slices.DeleteFunc(all, func(e Entry) bool {
			return !slices.Contains(pids, e.Pid) || e.Zombie() && !slices.Contains(ours, e)
		})
		return len(left) == 0
	}) {
		return
	}
	tb.Fatalf("still in the process table after %v: %+v", d, left)
}

// Eventually polls until the condition holds, for at most d.
func Eventually(d time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(d); ; {
		if condition() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
}
