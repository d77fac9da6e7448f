package child

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sysProcAttr asks for a group of its own. Darwin has no parent-death signal:
// when we are killed, children learn it from the end of their input.
func sysProcAttr(Spec) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitExit returns once the process has exited, without reaping it. Darwin's
// waitid also returns for a stopped process (golang.org/issue/19314), so the
// kernel queue is asked.
func awaitExit(p *os.Process) error {
	kq, err := unix.Kqueue()
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(kq) }()
	unix.CloseOnExec(kq)

	watch := make([]unix.Kevent_t, 1)
	unix.SetKevent(&watch[0], p.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	watch[0].Fflags = unix.NOTE_EXIT
	events := make([]unix.Kevent_t, 1)
	for {
		_, err := unix.Kevent(kq, watch, events, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ESRCH):
			return nil // exited already
		}
		return err
	}
}
