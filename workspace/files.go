package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxFile bounds what is read of one file; the largest real lock is below a
// hundredth of it.
const maxFile = 16 << 20

// readFile reads a regular file below root. Links are followed while they stay
// below it. Nothing else is opened for reading: a FIFO would block.
func readFile(root *os.Root, path string) (string, error) {
	f, err := root.OpenFile(filepath.FromSlash(path), os.O_RDONLY|openWithoutBlocking, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no regular file", filepath.Base(path))
	case info.Size() > maxFile:
		return "", fmt.Errorf("%s is larger than %d MiB", filepath.Base(path), maxFile>>20)
	}
	text := make([]byte, info.Size())
	n, err := io.ReadFull(f, text)
	if errors.Is(err, io.ErrUnexpectedEOF) { // it shrank meanwhile
		err = nil
	}
	return string(text[:n]), err
}

// absent reports whether err says that there is no such file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// reason is what the operating system said, without the path that the message
// around it names already.
func reason(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}
