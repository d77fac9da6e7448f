//go:build unix

package shadow

import (
	"errors"
	"os"
	"syscall"
)

// lockFile makes and locks a file for as long as it stays open; nil when
// another process, or another Checker of ours, holds it. The system gives the
// lock back when the process dies. Children do not inherit it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, err
}

// removeLocked removes the directory of a lock that is held.
func removeLocked(dir string, _ *os.File) error { return os.RemoveAll(dir) }

func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// unlocked reports that no process holds the lock of a file, without keeping
// anybody waiting.
func unlocked(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
