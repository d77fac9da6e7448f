package child

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// MaxOutput bounds the stdout that Run collects, in bytes.
const MaxOutput = 64 << 20

// ExitError is a command that ran and ended with anything but status 0.
type ExitError struct {
	Name   string // the program's base name
	Status string // as Process.Exit
	Code   int    // exit status; -1 when a signal ended the command
	Stderr string // as Process.StderrTail
}

// Error names the program, its status and its last line of stderr.
func (e *ExitError) Error() string {
	text := e.Name + ": " + e.Status
	if stderr := strings.TrimSpace(e.Stderr); stderr != "" {
		text += ": " + strings.TrimSpace(stderr[strings.LastIndexByte(stderr, '\n')+1:])
	}
	return text
}

// Run runs a short-lived command to its end and returns its stdout, also
// beside an *ExitError. stdin is copied to the command; nil means an empty
// input. A stdin that blocks does not hold Run up once the command is gone,
// but its copying goroutine lives until the pending read returns.
//
// When ctx ends first, the command is killed with all it started and the
// error is the context's. More than MaxOutput bytes are an error.
func Run(ctx context.Context, spec Spec, stdin io.Reader) (stdout []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := Start(spec)
	if err != nil {
		return nil, err
	}
	stopWatching := context.AfterFunc(ctx, p.Kill)

	go func() {
		if stdin != nil {
			// A command may end without reading its input; that is no failure.
			_, _ = io.Copy(p.stdin, stdin)
		}
		_ = p.stdin.Close()
	}()
	stdout, err = io.ReadAll(io.LimitReader(p.stdout, MaxOutput+1))
	if tooLong := len(stdout) > MaxOutput; tooLong || err != nil {
		p.Kill()
		if tooLong {
			err = fmt.Errorf("%s wrote more than %d MiB to stdout", filepath.Base(spec.Path), MaxOutput>>20)
		}
	}
	<-p.Done()
	closeErr := p.Close()
	switch {
	case !stopWatching():
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case closeErr != nil:
		return nil, closeErr
	case p.code != 0:
		err = &ExitError{Name: filepath.Base(spec.Path), Status: p.exit, Code: p.code, Stderr: p.StderrTail()}
	}
	return stdout, err
}
