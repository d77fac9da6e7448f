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

// reapOrphans waits for the orphans of an ended server that have died, and
// returns the processes of its session that are left.
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

// assertNobodyLeft fails if a process of an ended server is still in the
// process table, as a zombie or alive, and ends it.
func assertNobodyLeft(t testing.TB, session int) {
	t.Helper()
	left := proctable.InSession(session)
	if !assert.Empty(t, left, "processes left behind by the server with pid %d", session) {
		for _, p := range left {
			_ = unix.Kill(p.Pid, unix.SIGKILL)
		}
		assert.Eventually(t, func() bool { return len(reapOrphans(session)) == 0 }, 5*time.Second, 5*time.Millisecond)
	}
}

// assertPeakMemoryBelow bounds the largest resident set a process ever had.
func assertPeakMemoryBelow(t testing.TB, pid int, limit int64) {
	t.Helper()
	p, ok := proctable.Get(pid)
	if assert.True(t, ok, "process %d is gone", pid) {
		assert.Less(t, p.PeakRSS, limit, "peak memory of %s", p)
	}
}

// processesNaming lists the processes whose command line holds a text.
func processesNaming(text string) []proctable.Process { return proctable.Naming(text) }
