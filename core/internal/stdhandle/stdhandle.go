// Package stdhandle is the one place of this module that touches the process's
// standard descriptors and handles (MCP-CORE §4 p26): the wire is moved off
// them, and the capture guard redirects one of them.
package stdhandle

import (
	"errors"
	"os"
	"sync/atomic"
)

var taken atomic.Bool

// ErrTaken is returned by a second TakeStdio of a process.
var ErrTaken = errors.New("standard input and output were taken over before")

// TakeStdio moves the process's standard input and output to private files,
// which no child inherits, and returns them. In their place stay the null device
// as standard input and standard error as standard output: a child that reads
// cannot eat a frame, and a stray print cannot break one.
//
// As a side effect a write to a closed peer is an error (EPIPE): the Go runtime
// turns it into a deadly SIGPIPE only on descriptors 1 and 2, and no signal
// disposition changes that a child would inherit.
func TakeStdio() (in, out *os.File, err error) {
	if !taken.CompareAndSwap(false, true) {
		return nil, nil, ErrTaken
	}
	in, out, err = takeStdio()
	if err != nil {
		taken.Store(false)
	}
	return in, out, err
}

// Redirect is a standard error channel that points at a file.
type Redirect struct {
	saved saved
}

// RedirectStderr points the process's standard error at f, for this process
// and every child it starts from now on.
func RedirectStderr(f *os.File) (*Redirect, error) {
	s, err := redirectStderr(f)
	if err != nil {
		return nil, err
	}
	return &Redirect{saved: s}, nil
}

// Real returns the standard error as it was; it is valid until Restore.
func (r *Redirect) Real() *os.File { return r.saved.file }

// Restore points standard error at where it pointed before. It is called once.
func (r *Redirect) Restore() error { return r.saved.restore() }

// TempFile returns a fresh file that only this process's user can open, under
// an unpredictable name that is gone, or goes with the last handle.
func TempFile() (*os.File, error) { return tempFile() }
