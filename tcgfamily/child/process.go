// Package child runs other programs so that none of them outlives us: every
// child leads its own process group (Unix) or job object (Windows), dies with
// what it started when it is closed, and on Linux also when we are killed.
//
// A child gets three pipes of its own and never sees our stdin, stdout or
// stderr. Its stderr is drained into a bounded tail for error messages.
//
// This is the only package of the repository that may start processes.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// DefaultGrace is the Spec.Grace of a Spec that names none.
const DefaultGrace = 500 * time.Millisecond

// Spec says what to run.
type Spec struct {
	// Path is the absolute path of the executable; see LookPath for names.
	Path string
	// Args are the arguments after the program's name.
	Args []string
	// Dir is the working directory; empty means ours.
	Dir string
	// Env is the environment as "KEY=value"; nil inherits ours.
	Env []string
	// Grace is how long Close waits after closing stdin, and again after
	// SIGTERM, before it goes one step further; 0 means DefaultGrace.
	Grace time.Duration
	// EndsItsChildren says that the program ends all it started, and itself,
	// on SIGTERM. When we die it is asked to, with SIGTERM, where the system
	// can do that (Linux); any other program is killed, and what it started
	// is on its own.
	EndsItsChildren bool
}

// Process is a running child. Its methods may be called concurrently. The
// owner must call Close, also when the child has exited by itself.
type Process struct {
	pid    int
	grace  time.Duration
	stdin  *os.File
	stdout *output
	stderr *output
	tail   tail

	// mu orders signals against reaping: a process id, and with it the id of
	// the group, is ours only until the leader has been reaped.
	mu     sync.Mutex
	tree   tree
	reaped bool

	exited chan struct{} // closed once reaped
	done   chan struct{} // closed once reaped and the stderr tail is complete
	exit   string        // written before exited is closed
	code   int           // likewise

	closeOnce sync.Once
	closeErr  error
}

// Start runs the program. The error says which program or directory is at
// fault.
func Start(spec Spec) (*Process, error) {
	if !filepath.IsAbs(spec.Path) {
		return nil, fmt.Errorf("start %s: the path of a child must be absolute", spec.Path)
	}
	ours, theirs, err := openPipes()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	cmd := exec.Command(spec.Path, spec.Args...) //nolint:noctx // a child outlives the request that starts it; Close ends it
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs.stdin, theirs.stdout, theirs.stderr
	prepare(cmd, spec)

	p := &Process{
		grace:  spec.Grace,
		stdin:  ours.stdin,
		exited: make(chan struct{}),
		done:   make(chan struct{}),
	}
	if p.grace <= 0 {
		p.grace = DefaultGrace
	}
	p.stdout = &output{file: ours.stdout, exited: p.exited}
	p.stderr = &output{file: ours.stderr, exited: p.exited}

	started := make(chan error, 1)
	go p.supervise(cmd, started)
	err = <-started
	theirs.close()
	if err != nil {
		ours.close()
		return nil, startError(spec, err)
	}
	return p, nil
}

// Stdin is the child's standard input. Closing it is the child's end of input.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the child's standard output, for one reader at a time. It stays
// readable after the child has exited, until all that was written has been
// read; it then ends with io.EOF even if a stray descendant still holds the
// pipe open. Close ends it at once.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Pid is the process id, which is also the id of the process group on Unix.
func (p *Process) Pid() int { return p.pid }

// Done is closed once the child has exited, has been reaped, and its last
// stderr output is in the tail.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how the child ended, such as "exit status 3" or "signal: killed".
// It is empty until Done is closed.
func (p *Process) Exit() string {
	if !isClosed(p.exited) {
		return ""
	}
	return p.exit
}

// ExitCode is the child's exit status: -1 when a signal ended it, and until
// Done is closed.
func (p *Process) ExitCode() int {
	if !isClosed(p.exited) {
		return -1
	}
	return p.code
}

// StderrTail is the end of what the child wrote to stderr: at most MaxTail
// bytes, valid UTF-8, beginning at the start of a line where possible.
func (p *Process) StderrTail() string { return p.tail.String() }

// supervise starts the child, waits for its end and reaps it, all on one OS
// thread. Linux sends the parent-death signal when the thread that forked
// ends, not the process, so that thread must live as long as the child does.
func (p *Process) supervise(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	t, err := adopt(cmd.Process)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		started <- err
		return
	}
	p.pid, p.tree = cmd.Process.Pid, t

	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(&p.tail, p.stderr)
		_ = p.stderr.file.Close()
	}()
	started <- nil

	// While the dead leader is not reaped its id cannot be reused, so this is
	// the one moment when killing what it left behind is certain to hit the
	// right group.
	waitable := awaitExit(cmd.Process) == nil
	p.mu.Lock()
	if waitable {
		p.tree.kill()
	}
	err = cmd.Wait()
	p.reaped = true
	p.tree.release()
	p.mu.Unlock()

	p.exit, p.code = "exit status unknown", -1
	if state := cmd.ProcessState; state != nil {
		p.exit, p.code = state.String(), state.ExitCode()
	} else if err != nil {
		p.exit = "exit status unknown: " + err.Error()
	}
	close(p.exited)
	p.stdout.expire()
	p.stderr.expire()
	<-drained
	close(p.done)
}

// startError names the directory when that is what is missing: the system
// reports both as "no such file or directory" of the program.
func startError(spec Spec, err error) error {
	if spec.Dir != "" && errors.Is(err, os.ErrNotExist) {
		if _, dirErr := os.Stat(spec.Dir); dirErr != nil {
			return fmt.Errorf("start %s in %s: %w", spec.Path, spec.Dir, dirErr)
		}
	}
	return fmt.Errorf("start %s: %w", spec.Path, err)
}
