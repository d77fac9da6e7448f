//go:build unix

package child_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/child/childtest"
)

func TestLadderStopsAtTheFirstRungThatHelps(t *testing.T) {
	for role, want := range map[string]struct {
		grace time.Duration // ample for a rung that should help
		exit  string
		waits time.Duration // graces sat out
	}{
		"cat":         {patience, "exit status 0", 0},
		"deaf-to-eof": {2 * time.Second, "signal: terminated", 1},
		"deaf":        {100 * time.Millisecond, "signal: killed", 2},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			p := startRole(t, role, want.grace)
			if role != "cat" {
				require.Equal(t, "ready", readLine(t, p.Stdout()))
			}
			start := time.Now()
			require.NoError(t, p.Close())
			require.Equal(t, want.exit, p.Exit())
			require.GreaterOrEqual(t, time.Since(start), want.waits*want.grace)
			childtest.RequireGone(t, 0, p.Pid())
		})
	}
}

func TestCloseEndsTheWholeGroup(t *testing.T) {
	p := startRole(t, "family", 20*time.Millisecond)
	grandchild := readPid(t, p.Stdout())
	start := time.Now()
	require.NoError(t, p.Close())
	require.Less(t, time.Since(start), patience, "the grandchild's hold on the pipes delayed Close")
	require.Equal(t, "signal: killed", p.Exit())
	childtest.RequireGone(t, patience, p.Pid(), grandchild)
}

func TestLeftoversDieWithTheLeader(t *testing.T) {
	p := startRole(t, "leaver", 0)
	grandchild := readPid(t, p.Stdout())
	waitDone(t, p)
	require.Equal(t, "exit status 0", p.Exit())
	childtest.RequireGone(t, patience, p.Pid(), grandchild)
	_, err := io.Copy(io.Discard, p.Stdout())
	require.NoError(t, err)
}

func TestAStragglerWithOurPipesDelaysNothing(t *testing.T) {
	p := startRole(t, "straggler", 20*time.Millisecond)
	straggler := readPid(t, p.Stdout())
	defer func() { _ = syscall.Kill(straggler, syscall.SIGKILL) }()

	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, p.Stdout())
		ended <- err
	}()
	waitDone(t, p)
	require.Equal(t, "exit status 0", p.Exit())
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(patience):
		t.Fatal("stdout did not end although the child is gone")
	}
	require.NotEmpty(t, childtest.State(t, straggler), "the straggler was meant to hold the pipe")
	require.NoError(t, p.Close())
}

func TestChildrenDieWithAKilledParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		// No parent-death signal here, and the innermost child of the chain is
		// deaf to the end of its input.
		t.Logf("%s has no parent-death signal; children rely on the end of their input", runtime.GOOS)
		return
	}
	spec := roleSpec("server 2")
	cmd := exec.CommandContext(t.Context(), spec.Path)
	cmd.Env = spec.Env
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	relay, compiler := readPid(t, lines), readPid(t, lines)
	require.NotEmpty(t, childtest.State(t, relay))
	require.NotEmpty(t, childtest.State(t, compiler))

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	childtest.RequireGone(t, 2*time.Second, relay, compiler)
}

// TestAKilledServersRelayEndsItsCompilersGroup holds that nobody is left when
// the middle of the chain, which alone knows the group at its end, outlives the
// first by the time it needs to end that group.
func TestAKilledServersRelayEndsItsCompilersGroup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("%s has no parent-death signal; children rely on the end of their input", runtime.GOOS)
		return
	}
	spec := roleSpec("server-of-relay")
	cmd := exec.CommandContext(t.Context(), spec.Path)
	cmd.Env = spec.Env
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	relay, compiler, grandchild := readPid(t, lines), readPid(t, lines), readPid(t, lines)
	t.Cleanup(func() { _ = syscall.Kill(-compiler, syscall.SIGKILL) })
	for _, pid := range []int{relay, compiler, grandchild} {
		require.NotEmpty(t, childtest.State(t, pid))
	}

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	childtest.RequireGone(t, patience, relay, compiler, grandchild)
}

func TestIgnoredSignalsAreNotInherited(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("the mask of ignored signals is read from /proc")
		return
	}
	out, err := child.Run(t.Context(), roleSpec("sigign"), nil)
	require.NoError(t, err)
	var ignored uint64
	_, err = fmt.Sscanf(string(out), "SigIgn: %x\n<nil>", &ignored)
	require.NoError(t, err, "%s", out)
	// glibc programs such as make hand down their own signals 32 and 33.
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTERM} {
		require.Zero(t, ignored>>(s-1)&1, "%v is ignored: %s", s, out)
	}
}

func TestNoPipeOfASiblingIsInherited(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("open descriptors are read from /proc")
		return
	}
	// Whoever runs the tests may leak pipes into us, and through us on.
	before := openPipes()
	_ = startRole(t, "cat", patience)
	_ = startRole(t, "cat", patience)
	p := startRole(t, "pipes", patience)
	for line := readLine(t, p.Stdout()); line != "end"; line = readLine(t, p.Stdout()) {
		require.Contains(t, before, line)
	}
}

func TestRunKillsTheGroupWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pidFile := t.TempDir() + "/pid"
	done := make(chan error, 1)
	go func() {
		_, err := child.Run(ctx, child.Spec{
			Path: "/bin/sh",
			Args: []string{"-c", `trap "" TERM; sleep 1000 & echo $! > "$0.new"; mv "$0.new" "$0"; wait`, pidFile},
		}, nil)
		done <- err
	}()
	var pid int
	require.True(t, childtest.Eventually(patience, func() bool { return scanFile(pidFile, &pid) }))
	cancel()
	select {
	case err := <-done:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(patience):
		t.Fatal("Run went on after its context had ended")
	}
	childtest.RequireGone(t, patience, pid)
}

func readPid(t *testing.T, r io.Reader) (pid int) {
	t.Helper()
	_, err := fmt.Sscan(readLine(t, r), &pid)
	require.NoError(t, err)
	return pid
}

func scanFile(path string, into *int) bool {
	b, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	_, err = fmt.Sscan(string(b), into)
	return err == nil
}
