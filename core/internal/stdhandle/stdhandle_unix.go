//go:build unix

package stdhandle

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func takeStdio() (in, out *os.File, err error) {
	// Everything that can fail for want of a descriptor comes first.
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = null.Close() }()
	if in, err = duplicate(0, "stdin"); err != nil {
		return nil, nil, err
	}
	if out, err = duplicate(1, "stdout"); err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	if err = point(0, int(null.Fd())); err == nil {
		err = point(1, 2)
	}
	if err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, nil
}

type saved struct {
	file *os.File // a duplicate of the descriptor 2 that was
}

func redirectStderr(f *os.File) (saved, error) {
	real, err := duplicate(2, "stderr")
	if err != nil {
		return saved{}, err
	}
	if err := point(2, int(f.Fd())); err != nil {
		return saved{}, errors.Join(err, real.Close())
	}
	return saved{file: real}, nil
}

func (s saved) restore() error {
	return errors.Join(point(2, int(s.file.Fd())), s.file.Close())
}

// duplicate returns a copy of fd above the standard three, closed on exec.
func duplicate(fd int, name string) (*os.File, error) {
	for {
		n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err == nil {
			return os.NewFile(uintptr(n), name), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, os.NewSyscallError("fcntl", err)
		}
	}
}

// point makes the descriptor target mean what source means. Children inherit
// target, as dup2 clears its close-on-exec flag.
func point(target, source int) error {
	for {
		err := unix.Dup2(source, target)
		if err == nil {
			return nil
		}
		// EBUSY is a Linux race with a concurrent open, over at once.
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EBUSY) {
			return os.NewSyscallError("dup2", err)
		}
	}
}

// tempFile removes the name at once: the file lives as long as somebody has it
// open, be it a child that outlives us.
func tempFile() (*os.File, error) {
	f, err := os.CreateTemp("", "stderr-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
