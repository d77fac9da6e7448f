//go:build unix

package oracles

import (
	"os"
	"syscall"
)

// pollable returns a pipe in a form whose reads park a goroutine instead of an
// OS thread. A server's question then reaches the goroutine that answers it
// without a thread switch, which on a small machine costs more than the rest
// of the relay. Anything else is returned as it is: the mode belongs to the
// open file, which a terminal or a plain file shares with other programs.
func pollable(f *os.File) *os.File {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return f
	}
	fd := f.Fd()
	if err := syscall.SetNonblock(int(fd), true); err != nil {
		return f
	}
	return os.NewFile(fd, f.Name())
}
