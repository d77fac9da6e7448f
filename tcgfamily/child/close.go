package child

import (
	"fmt"
	"time"
)

// killWait bounds the wait for a killed child. Only a process stuck inside
// the kernel takes longer.
const killWait = 5 * time.Second

// Close stops the child and returns once it and our goroutines are gone. It
// closes stdin, waits for the grace, sends SIGTERM to the group, waits again,
// sends SIGKILL to the group and waits. Windows has no SIGTERM: there the job
// is terminated after the first wait.
//
// What the child started dies with it, whether the child was stopped or had
// exited by itself. Close may be called repeatedly and concurrently; every
// call returns after the first has done the work. The error is not nil only
// for a child that SIGKILL did not end.
func (p *Process) Close() error {
	p.closeOnce.Do(func() { p.closeErr = p.stop() })
	return p.closeErr
}

// Kill sends SIGKILL to the child's group (Windows: terminates the job) and
// does not wait. It does nothing once the child has exited.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.tree.kill()
	}
}

// terminate sends SIGTERM to the group; false where there is no such signal.
func (p *Process) terminate() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reaped || p.tree.terminate()
}

func (p *Process) stop() error {
	// Readers of Stdout are let go last, so that a child which flushes at the
	// end of its input does not die of a broken pipe.
	defer func() { _ = p.stdout.file.Close() }()
	_ = p.stdin.Close()
	if p.exitsWithin(p.grace) || p.terminate() && p.exitsWithin(p.grace) {
		return nil
	}
	p.Kill()
	if !p.exitsWithin(killWait) {
		return fmt.Errorf("process %d is still there %v after it was killed", p.pid, killWait)
	}
	return nil
}

func (p *Process) exitsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return isClosed(p.done)
	}
}
