package stdhandle

import (
	"crypto/rand"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Windows has no dup2: the process's handle table is left alone, and both the
// system's notion of the standard handles and Go's are replaced. Go's exec hands
// a child exactly the handles its Cmd names, so what matters there is os.Stdin,
// os.Stdout and os.Stderr.

func takeStdio() (in, out *os.File, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	in, out = os.Stdin, os.Stdout
	for _, f := range []*os.File{in, out} {
		// Console handles refuse this on old systems, and are not inherited.
		_ = windows.SetHandleInformation(windows.Handle(f.Fd()), windows.HANDLE_FLAG_INHERIT, 0)
	}
	if err := windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(null.Fd())); err != nil {
		_ = null.Close()
		return nil, nil, os.NewSyscallError("SetStdHandle", err)
	}
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		_ = windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(in.Fd()))
		_ = null.Close()
		return nil, nil, os.NewSyscallError("SetStdHandle", err)
	}
	os.Stdin, os.Stdout = null, os.Stderr
	return in, out, nil
}

type saved struct {
	file   *os.File // os.Stderr as it was
	handle windows.Handle
	log    bool // the default logger wrote to it
}

func redirectStderr(f *os.File) (saved, error) {
	handle, err := windows.GetStdHandle(windows.STD_ERROR_HANDLE)
	if err != nil {
		return saved{}, os.NewSyscallError("GetStdHandle", err)
	}
	if err := windows.SetStdHandle(windows.STD_ERROR_HANDLE, windows.Handle(f.Fd())); err != nil {
		return saved{}, os.NewSyscallError("SetStdHandle", err)
	}
	s := saved{file: os.Stderr, handle: handle, log: log.Writer() == os.Stderr}
	os.Stderr = f
	if s.log {
		log.SetOutput(f)
	}
	return s, nil
}

func (s saved) restore() error {
	if s.log {
		log.SetOutput(s.file)
	}
	os.Stderr = s.file
	return os.NewSyscallError("SetStdHandle", windows.SetStdHandle(windows.STD_ERROR_HANDLE, s.handle))
}

// tempFile marks the file for deletion on its last close: an open file cannot
// be removed here.
func tempFile() (*os.File, error) {
	path := filepath.Join(os.TempDir(), "stderr-"+rand.Text())
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(name,
		windows.GENERIC_READ|windows.GENERIC_WRITE|windows.DELETE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.CREATE_NEW,
		windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}
