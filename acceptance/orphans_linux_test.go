package acceptance_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"

	"vibevm.org/acceptance/proctable"
)

// adoptOrphans makes this process the parent of everything its descendants
// leave behind.
func adoptOrphans() {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
}

// reapOrphans returns the processes of a server's session that are still
// there. A dead one whose own parent is dead too is ours to reap, as it would
// be init's, and does not count.
func reapOrphans(session int) []proctable.Process {
	var left []proctable.Process
	for _, p := range proctable.InSession(session) {
		if p.Parent == unix.Getpid() && p.State == "Z" && p.Pid != session {
			_, _ = unix.Wait4(p.Pid, nil, unix.WNOHANG, nil)
			continue
		}
		left = append(left, p)
	}
	return left
}

// assertNobodyLeft fails if a process of an ended server stays in the process
// table, and ends it.
func assertNobodyLeft(t *testing.T, session int) {
	t.Helper()
	var left []proctable.Process
	gone := func() bool { left = reapOrphans(session); return len(left) == 0 }
	if !assert.Eventually(t, gone, 5*time.Second, 2*time.Millisecond, "processes left behind by the server with pid %d", session) {
		for _, p := range left {
			t.Logf("left behind: %v", p)
			_ = unix.Kill(p.Pid, unix.SIGKILL)
		}
	}
}

// assertPeakMemoryBelow bounds the largest resident set a process ever had.
func assertPeakMemoryBelow(t *testing.T, pid int, limit int64) {
	t.Helper()
	p, ok := proctable.Get(pid)
	if assert.True(t, ok, "process %d is gone", pid) {
		assert.Less(t, p.PeakRSS, limit, "peak memory of %s", p)
	}
}

// processesNaming lists the processes whose command line holds a text.
func processesNaming(text string) []proctable.Process { return proctable.Naming(text) }
