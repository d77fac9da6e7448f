package disk

import "context"

// job is work of a Watch that goes on while the compiler answers. Until it has
// ended nobody else may touch the Watch.
type job struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// goBehind runs work after what runs already.
func (w *Watch) goBehind(work func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	before := w.behind
	j := &job{cancel: cancel, done: make(chan struct{})}
	w.behind = j
	go func() {
		defer close(j.done)
		defer before.stop()
		if before.wait(ctx) == nil {
			work(ctx)
		}
	}()
}

// wait waits for the end of the work; an error is the context's.
func (j *job) wait(ctx context.Context) error {
	if j == nil {
		return ctx.Err()
	}
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop ends the work early and waits for it.
func (j *job) stop() {
	if j != nil {
		j.cancel()
		<-j.done
	}
}
