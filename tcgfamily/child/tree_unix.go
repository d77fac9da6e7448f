//go:build linux || darwin

package child

import (
	"os"
	"os/exec"
	"os/signal"

	"golang.org/x/sys/unix"
)

// tree is the process group of a child: the child and every descendant that
// did not leave it.
type tree struct{ pgid int }

// adopt needs no work: Setpgid took effect before the program ran.
func adopt(p *os.Process) (tree, error) { return tree{pgid: p.Pid}, nil }

// terminate asks every member to end.
func (t tree) terminate() bool {
	_ = unix.Kill(-t.pgid, unix.SIGTERM)
	return true
}

// kill ends every member. It must not be called once the leader is reaped.
func (t tree) kill() { _ = unix.Kill(-t.pgid, unix.SIGKILL) }

// release has nothing to give back.
func (t tree) release() {}

// prepare puts the child at the head of its own process group.
func prepare(cmd *exec.Cmd, spec Spec) {
	catchIgnoredSignals()
	cmd.SysProcAttr = sysProcAttr(spec)
}

// catchIgnoredSignals keeps signals that this process ignores (a server
// started in the background of a shell ignores SIGINT) from being ignored by
// the child too, which would be deaf to them for life. An ignored signal is
// inherited across exec, a caught one is not: catching and dropping it is the
// same for us.
func catchIgnoredSignals() {
	for _, s := range []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
