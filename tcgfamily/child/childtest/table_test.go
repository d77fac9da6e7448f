//go:build unix

package childtest

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// recorder lets a test see another one fail.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(string, ...any) {
	r.failed = true
	runtime.Goexit()
}

func requireGoneFails(t *testing.T, pid int) bool {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		RequireGone(r, 0, pid)
	}()
	<-done
	return r.failed
}

func TestOnlyAReapedChildIsGone(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	require.True(t, requireGoneFails(t, os.Getpid()), "a running process is not gone")

	require.NoError(t, stdin.Close())
	require.True(t, Eventually(20*time.Second, func() bool { return State(t, pid) == "Z" }))
	require.True(t, requireGoneFails(t, pid), "a zombie of ours is not gone")
	require.Contains(t, Descendants(t, os.Getpid()), Entry{Pid: pid, Parent: os.Getpid(), State: "Z"})

	require.NoError(t, cmd.Wait())
	require.False(t, requireGoneFails(t, pid))
	require.Empty(t, State(t, pid))
}
