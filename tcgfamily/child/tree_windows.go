package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a job object. Every process of a job starts its children inside the
// job, and the system ends them all when the last handle to the job closes,
// which is also what happens when we are killed.
type tree struct{ job windows.Handle }

// prepare keeps the console's Ctrl-C and console windows away from the child.
func prepare(cmd *exec.Cmd, _ Spec) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
}

// adopt puts a started process into a new job. A descendant that the process
// starts before this returns stays outside; what we run needs milliseconds to
// get that far, and os/exec offers no way to start inside a job.
func adopt(p *os.Process) (tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return tree{}, fmt.Errorf("create job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		handleErr := p.WithHandle(func(h uintptr) {
			err = windows.AssignProcessToJobObject(job, windows.Handle(h))
			if err != nil && hasExited(windows.Handle(h)) {
				err = nil // too short-lived to be put anywhere
			}
		})
		err = errors.Join(handleErr, err)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return tree{}, fmt.Errorf("set up job object: %w", err)
	}
	return tree{job: job}, nil
}

func hasExited(process windows.Handle) bool {
	event, err := windows.WaitForSingleObject(process, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}

// terminate has no counterpart for processes without a console.
func (t tree) terminate() bool { return false }

// kill ends every process of the job.
func (t tree) kill() { _ = windows.TerminateJobObject(t.job, 1) }

// release gives the job back.
func (t tree) release() { _ = windows.CloseHandle(t.job) }

// awaitExit returns once the process has exited.
func awaitExit(p *os.Process) error {
	var err error
	handleErr := p.WithHandle(func(h uintptr) {
		_, err = windows.WaitForSingleObject(windows.Handle(h), windows.INFINITE)
	})
	return errors.Join(handleErr, err)
}
