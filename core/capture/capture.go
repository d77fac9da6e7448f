// Package capture collects what a piece of work and its child processes write
// to the process's standard error (MCP-CORE §4).
//
// The redirect is process-wide, because a child inherits the descriptor and
// would bypass anything narrower. So captures neither nest nor overlap; the
// server's one-tool-at-a-time rule is what permits them (MCP-CORE §4 p24).
//
// Seen are writes to os.Stderr, to descriptor 2, through the default logger,
// and of children that inherit standard error. A child started with a nil
// Cmd.Stderr gets the null device from os/exec and is not seen.
package capture

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"vibevm.org/core"
	"vibevm.org/core/internal/stdhandle"
)

// MaxText is how much of a capture is read back, in bytes: its head and tail,
// half of it each, when it is longer.
const MaxText = 1 << 20

// active is set while a capture is on, anywhere in the process.
var active atomic.Bool

// Guard is one capture, from Start to Stop. Its methods are for one goroutine.
type Guard struct {
	file     *os.File
	redirect *stdhandle.Redirect
}

// Start points the process's standard error at a fresh temporary file. It fails
// with a core.TransportError of core.CodeCapture, a second simultaneous capture
// among the reasons.
//
// A file and not a pipe: a chatty child would fill a pipe and block. A fresh
// one each time: a process left over from an earlier capture still writes to
// the file it inherited, not into somebody else's report.
//
// While the capture is on, a crash of the process is reported on the real
// standard error as well. A crash output the program had set is unset by Stop.
func Start() (*Guard, error) {
	if !active.CompareAndSwap(false, true) {
		return nil, captureError("MCP-CORE §4 p24", "another capture of standard error is on", "run captured work one after the other", nil)
	}
	g, err := start()
	if err != nil {
		active.Store(false)
		return nil, err
	}
	return g, nil
}

func start() (*Guard, error) {
	file, err := stdhandle.TempFile()
	if err != nil {
		return nil, captureError("MCP-CORE §4 p22", "no temporary file for it", "make the directory for temporary files writable", err)
	}
	redirect, err := stdhandle.RedirectStderr(file)
	if err != nil {
		return nil, captureError("MCP-CORE §4 p22", "standard error cannot be redirected", "start the server with fewer open files", errors.Join(err, file.Close()))
	}
	// Without this a crash on another goroutine would leave its trace in a
	// file that dies with the process. Failing to have it is no reason to refuse.
	_ = debug.SetCrashOutput(redirect.Real(), debug.CrashOptions{})
	return &Guard{file: file, redirect: redirect}, nil
}

// Stop restores standard error and returns what was written to it, as valid
// UTF-8. A second Stop does nothing. Defer it: then a panic restores, too
// (MCP-CORE §4 p25).
func (g *Guard) Stop() (string, error) {
	if g.file == nil {
		return "", nil
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	err := g.redirect.Restore()
	text, readErr := readBack(g.file)
	err = errors.Join(err, readErr, g.file.Close())
	g.file = nil
	active.Store(false)
	if err != nil {
		return text, captureError("MCP-CORE §4 p25", "the capture did not end well", "restart the server if it has become silent", err)
	}
	return text, nil
}

// readBack reads by offset: the file's position is shared with the writers.
func readBack(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	size := info.Size()
	if size <= MaxText {
		text, err := readAt(f, 0, size)
		return text, err
	}
	const half = MaxText / 2
	head, err := readAt(f, 0, half)
	tail, tailErr := readAt(f, size-half, half)
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", head, size-2*half, tail), errors.Join(err, tailErr)
}

func readAt(f *os.File, off, n int64) (string, error) {
	text, err := io.ReadAll(io.NewSectionReader(f, off, n))
	return strings.ToValidUTF8(string(text), string(utf8.RuneError)), err
}

func captureError(unit, detail, fix string, err error) error {
	return &core.TransportError{Code: core.CodeCapture, Unit: unit, Detail: detail, Fix: fix, Err: err}
}
