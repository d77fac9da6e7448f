package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
)

// promiseRounds is how often each promised time is taken.
const promiseRounds = 5

// promise is a time that the documentation names and how to take it. The tests
// hold the same promises with bounds that a loaded machine keeps; here they
// hold as they stand.
type promise struct {
	title string
	limit time.Duration
	take  func(context.Context, subject) (time.Duration, error)
}

var promises = []promise{
	{"start to the answer to initialize", 50 * time.Millisecond, handshake},
	{"SIGTERM to the last process gone, idle", 2 * time.Second, ending(false, signalled(syscall.SIGTERM))},
	{"SIGTERM to the last process gone, in a call", 2 * time.Second, ending(true, signalled(syscall.SIGTERM))},
	{"end of input to the last process gone, idle", 2 * time.Second, ending(false, (*mcppipe.Session).CloseInput)},
	// Work may go on for two seconds, and then has two to stop.
	{"end of input to the last process gone, in a call", 4 * time.Second, ending(true, (*mcppipe.Session).CloseInput)},
	{"SIGKILL of the server to the last process gone, idle", 2 * time.Second, ending(false, signalled(syscall.SIGKILL))},
	{"SIGKILL of the server to the last process gone, in a call", 2 * time.Second, ending(true, signalled(syscall.SIGKILL))},
}

// benchPromises takes the promised times on the sample project; a broken
// promise is an error.
func benchPromises(ctx context.Context) error {
	s, done, err := sampleSubject()
	if err != nil {
		return err
	}
	defer done()
	fmt.Printf("\nPromises: medians of %d runs each; in a call the compiler is stopped and cannot answer\n\n", promiseRounds)
	rows := [][]string{{"promise", "at most, ms", "median, ms", "worst, ms"}}
	var broken []error
	for _, p := range promises {
		var taken []float64
		for range promiseRounds {
			took, err := p.take(ctx, s)
			if err != nil {
				return fmt.Errorf("%s: %w", p.title, err)
			}
			taken = append(taken, took.Seconds()*1000)
		}
		middle, worst := median(taken), quantile(taken, 1)
		rows = append(rows, []string{p.title, fmt.Sprint(p.limit.Milliseconds()), fmt.Sprintf("%.1f", middle), fmt.Sprintf("%.1f", worst)})
		if middle > p.limit.Seconds()*1000 {
			broken = append(broken, fmt.Errorf("promise broken: %s took %.0f ms, at most %v are promised", p.title, middle, p.limit))
		}
	}
	printTable(os.Stdout, rows)
	return errors.Join(broken...)
}

// onePromise bounds one run, far above what is promised.
const onePromise = time.Minute

// handshake times a new process up to its answer to initialize.
func handshake(ctx context.Context, s subject) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, onePromise)
	defer cancel()
	server, err := s.server()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	session, err := mcppipe.Start(server)
	if err != nil {
		return 0, err
	}
	_, err = session.Initialize(ctx)
	return time.Since(began), errors.Join(err, session.Close(ctx))
}

func signalled(sig os.Signal) func(*mcppipe.Session) error {
	return func(session *mcppipe.Session) error { return session.Signal(sig) }
}

// ending makes a measurement of how long a server's processes outlive its end.
// The server has answered a question before.
func ending(inCall bool, end func(*mcppipe.Session) error) func(context.Context, subject) (time.Duration, error) {
	return func(ctx context.Context, s subject) (time.Duration, error) {
		ctx, cancel := context.WithTimeout(ctx, onePromise)
		defer cancel()
		session, err := s.answered(ctx)
		if err != nil {
			return 0, err
		}
		defer func() { _ = session.Close(ctx) }()
		if inCall {
			if err := s.hang(ctx, session); err != nil {
				return 0, err
			}
		}
		began := time.Now()
		if err := end(session); err != nil {
			return 0, err
		}
		err = session.Wait(ctx) // an error too when we killed it
		again := time.NewTicker(time.Millisecond)
		defer again.Stop()
		for running(session.Pid()) {
			select {
			case <-again.C:
			case <-ctx.Done():
				return 0, errors.Join(ctx.Err(), err)
			}
		}
		return time.Since(began), nil
	}
}

// answered is a session of a server that has answered a question.
func (s subject) answered(ctx context.Context) (*mcppipe.Session, error) {
	server, err := s.server()
	if err != nil {
		return nil, err
	}
	session, err := mcppipe.Start(server)
	if err != nil {
		return nil, err
	}
	_, err = session.Initialize(ctx)
	if err == nil {
		_, err = session.CallTool(ctx, "tcg_validate", object{"file": s.files[0]})
	}
	if err != nil {
		return nil, errors.Join(err, session.Close(ctx))
	}
	return session, nil
}

// hang stops the compiler of a session and asks it something.
func (s subject) hang(ctx context.Context, session *mcppipe.Session) error {
	relays := proctable.ChildrenOf(session.Pid())
	if len(relays) != 1 {
		return fmt.Errorf("the server has %d children, not one relay", len(relays))
	}
	compilers := proctable.ChildrenOf(relays[0].Pid)
	if len(compilers) != 1 {
		return fmt.Errorf("the relay has %d children, not one compiler", len(compilers))
	}
	if err := syscall.Kill(compilers[0].Pid, syscall.SIGSTOP); err != nil {
		return err
	}
	if _, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": object{"file": s.files[0]}}); err != nil {
		return err
	}
	_, err := session.Call(ctx, "ping", nil) // lines are read in order, so the call has been
	return err
}

// running reports whether a process of the session is alive. A zombie whose
// parent is gone waits for init alone.
func running(session int) bool {
	for _, p := range proctable.InSession(session) {
		if p.State != "Z" {
			return true
		}
	}
	return false
}
