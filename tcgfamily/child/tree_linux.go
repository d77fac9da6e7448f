package child

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sysProcAttr asks for a group of its own and for death with the parent,
// SIGKILL of the parent included. A parent that dies between fork and prctl
// is covered: the runtime compares the parent's id after the prctl.
//
// The signal reaches the child alone. SIGKILL would leave it no time to end
// what it started, of which the same signal reaches its own children but not
// theirs; so a child that ends them gets SIGTERM.
func sysProcAttr(spec Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if spec.EndsItsChildren {
		attr.Pdeathsig = syscall.SIGTERM
	}
	return attr
}

// awaitExit returns once the process has exited, without reaping it.
func awaitExit(p *os.Process) error {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
