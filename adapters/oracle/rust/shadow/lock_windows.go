package shadow

import (
	"errors"
	"os"
	"syscall"
)

// Codes of the system that package syscall does not name.
const (
	errorSharingViolation syscall.Errno = 32
	errorHandleDiskFull   syscall.Errno = 39
	errorDiskFull         syscall.Errno = 112
)

// lockFile makes and locks a file for as long as it stays open; nil when
// another process, or another Checker of ours, holds it. Nobody else can open
// a file that is not shared.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, nil
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// removeLocked removes the directory of a lock that is held. An open file
// cannot be removed.
func removeLocked(dir string, lock *os.File) error {
	if err := lock.Close(); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

func isDiskFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}

// unlocked reports that no process writes under the lock of a file. Whether
// cargo locks a file cannot be asked here without taking the lock.
func unlocked(string) (bool, error) { return false, nil }
