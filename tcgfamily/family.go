package tcgfamily

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vibevm.org/tcgfamily/answer"
	"vibevm.org/tcgfamily/oracleproto"
)

// Answer is what Family.Call gives back.
type Answer = answer.Answer

// Oracles is what the family needs of the OracleRegistry.
type Oracles interface {
	// Ask runs one operation on the language's oracle, starting the oracle
	// when it is not running. Failures are *ToolError; the context's end is
	// reported as the context's error and does not stop the oracle.
	Ask(ctx context.Context, language Language, op string, params any) (json.RawMessage, error)
	// Warm reports whether the language's oracle is running and has given an
	// answer since it was started.
	Warm(language Language) bool
}

// Mode says which languages a server answers for.
type Mode struct{ only Language }

// Multiplexed is the mode of a server for all languages; every call names its
// own.
func Multiplexed() Mode { return Mode{} }

// Standalone is the mode of a server for one language; a call may name it, and
// a call that names another one is refused with the name of the right server.
func Standalone(language Language) Mode { return Mode{only: language} }

// languages lists what the mode serves.
func (m Mode) languages() []Language {
	if m.only == "" {
		return Languages()
	}
	return []Language{m.only}
}

// Family is the four tools over a set of oracles. It is safe for concurrent
// use.
type Family struct {
	oracles  Oracles
	mode     Mode
	deadline time.Duration
	progress time.Duration
}

const (
	// defaultDeadline leaves room below the 60 s after which several hosts
	// give a call up and take nothing from it.
	defaultDeadline = 45 * time.Second
	// defaultProgress is how often a waiting call reports progress.
	defaultProgress = 3 * time.Second
)

// Option adjusts a Family.
type Option func(*Family)

// WithDeadline sets how long a call may take; 45 s without it.
func WithDeadline(d time.Duration) Option { return func(f *Family) { f.deadline = d } }

// WithProgressEvery sets the pace of progress reports; 3 s without it.
func WithProgressEvery(d time.Duration) Option { return func(f *Family) { f.progress = d } }

// New makes a family over the oracles of a project.
func New(oracles Oracles, mode Mode, opts ...Option) *Family {
	f := &Family{oracles: oracles, mode: mode, deadline: defaultDeadline, progress: defaultProgress}
	for _, opt := range opts {
		opt(f)
	}
	return f
}

// Call runs a tool. args is the raw JSON of the call's arguments. progress,
// which may be nil, is told what a call waits for, by the calling goroutine.
//
// Whatever goes wrong is an Answer, with one exception: when the caller gives
// the call up, the error is that of ctx. A call never takes longer than the
// deadline: past it the answer is an unknown verdict.
func (f *Family) Call(ctx context.Context, tool string, args json.RawMessage, progress func(message string)) (Answer, error) {
	t, ok := toolNamed(tool)
	if !ok {
		return answer.Failure(answer.Question{Tool: tool}, unknownTool(tool)), nil
	}
	c, refusal := f.parse(t, args)
	if refusal != nil {
		return answer.Failure(c.question, refusal), nil
	}
	if progress == nil {
		progress = func(string) {}
	}

	started := time.Now()
	result, err := f.ask(ctx, c, progress)
	if err != nil && ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	if err == nil {
		var a Answer
		if a, err = answer.Render(c.question, result); err == nil {
			return a, nil
		}
	}
	if late(err) {
		reason := oracleproto.ReasonTimeout
		if !f.oracles.Warm(c.language) {
			reason = oracleproto.ReasonWarming
		}
		return answer.Unanswered(c.question, reason, time.Since(started)), nil
	}
	return answer.Failure(c.question, asToolError(err)), nil
}

// late reports whether err means that time ran out, here or in the oracle.
func late(err error) bool {
	var failure *ToolError
	if errors.As(err, &failure) {
		return failure.Kind == oracleproto.KindTimeout
	}
	return errors.Is(err, context.DeadlineExceeded)
}

func asToolError(err error) *ToolError {
	var failure *ToolError
	if errors.As(err, &failure) {
		return failure
	}
	return internalError(err.Error())
}

func internalError(detail string) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindInternal,
		Detail: detail,
		Recipe: "call again; if it happens again, report it with the arguments of the call",
	}
}

// ask puts the question to the oracle, for no longer than the deadline even if
// the oracle's side does not heed the context, and reports progress meanwhile.
func (f *Family) ask(ctx context.Context, c toolCall, progress func(string)) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, f.deadline)
	defer cancel()

	type reply struct {
		result json.RawMessage
		err    error
	}
	replies := make(chan reply, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				replies <- reply{err: internalError(fmt.Sprintf("asking the oracle panicked: %v", p))}
			}
		}()
		result, err := f.oracles.Ask(ctx, c.language, c.question.Op, c.params)
		replies <- reply{result, err}
	}()

	waiting := fmt.Sprintf("waiting for the %s oracle", c.language)
	if !f.oracles.Warm(c.language) {
		waiting = fmt.Sprintf("starting the %s oracle", c.language)
		progress(waiting)
	}
	started := time.Now()
	ticker := time.NewTicker(f.progress)
	defer ticker.Stop()
	for {
		select {
		case r := <-replies:
			return r.result, r.err
		case <-ctx.Done():
			select {
			case r := <-replies: // in the same moment
				return r.result, r.err
			default:
				return nil, ctx.Err()
			}
		case <-ticker.C:
			progress(fmt.Sprintf("%s (%.0f s)", waiting, time.Since(started).Seconds()))
		}
	}
}
