package child

import (
	"errors"
	"io"
	"os"
	"time"
)

// stragglerWait is how long a read waits for more output of a child that has
// exited. All it wrote is in the pipe by then; only a descendant that left
// the child's group can keep the pipe open.
const stragglerWait = 500 * time.Millisecond

// pipes are the three ends on one side. They are plain os.Pipes rather than
// exec's, which close the reading end when the child is reaped and lose what
// was not read by then. Both ends are close-on-exec, so that no sibling holds
// another child's pipe open.
type pipes struct{ stdin, stdout, stderr *os.File }

func openPipes() (ours, theirs pipes, err error) {
	defer func() {
		if err != nil {
			ours.close()
			theirs.close()
		}
	}()
	if theirs.stdin, ours.stdin, err = os.Pipe(); err != nil {
		return ours, theirs, err
	}
	if ours.stdout, theirs.stdout, err = os.Pipe(); err != nil {
		return ours, theirs, err
	}
	ours.stderr, theirs.stderr, err = os.Pipe()
	return ours, theirs, err
}

func (p pipes) close() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// output reads what a child writes.
type output struct {
	file   *os.File
	exited <-chan struct{}
}

// Read never blocks for long once the child has exited.
func (o *output) Read(b []byte) (int, error) {
	for {
		exited := isClosed(o.exited)
		if exited {
			o.expire()
		}
		n, err := o.file.Read(b)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && !exited:
			// The deadline of expire ran out before this read had looked at
			// the pipe. Look again: what the child wrote must not be lost.
			continue
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, os.ErrClosed):
			return n, io.EOF
		}
		return n, err
	}
}

// expire ends a read that is blocked now unless output arrives soon. Windows
// pipes have no deadlines; there the job object ends every writer.
func (o *output) expire() {
	_ = o.file.SetReadDeadline(time.Now().Add(stragglerWait))
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
