package tcgfamily

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"vibevm.org/tcgfamily/oracleproto"
)

// OracleRegistry keeps one running oracle per language for the host's project
// (PROP-026 §4). An oracle is found, built if consent allows, and started by
// the first question that needs it, and is stopped by Close. It is safe for
// concurrent use.
type OracleRegistry struct {
	host     TcgHost
	binaries OracleBinaries
	log      *slog.Logger

	// life bounds what must not end with the request that caused it: starts,
	// builds, and the retirement of replaced oracles.
	life context.Context
	end  context.CancelFunc // called by Close

	mu      sync.Mutex
	closed  bool
	current map[Language]*generation
	stops   sync.WaitGroup // one for each generation being stopped

	closing  sync.Once
	closeErr error
}

var _ Oracles = (*OracleRegistry)(nil)

// RegistryOption adjusts an OracleRegistry.
type RegistryOption func(*OracleRegistry)

// WithLog sends the comings and goings of oracles to a log; without it they
// are not logged.
func WithLog(log *slog.Logger) RegistryOption {
	return func(r *OracleRegistry) { r.log = log }
}

// NewOracleRegistry makes a registry; nothing is started yet.
func NewOracleRegistry(host TcgHost, binaries OracleBinaries, opts ...RegistryOption) *OracleRegistry {
	life, end := context.WithCancel(context.Background())
	r := &OracleRegistry{
		host: host, binaries: binaries, log: slog.New(slog.DiscardHandler),
		life: life, end: end,
		current: make(map[Language]*generation),
	}
	for _, opt := range opts {
		opt(r)
	}
	return r
}

// Ask runs one operation on the language's oracle and returns the result
// object of the protocol. params are marshalled to JSON; a json.RawMessage, which
// must be one line, goes out as it is.
//
// The oracle is resolved anew on every call: when the artifact has changed,
// the old oracle is stopped and the new one started. An oracle that crashes is
// started again once, without the caller noticing (PROP-026 §4 p15, rule 3);
// a second crash is reported. Nothing else is ever repeated.
//
// Failures are *ToolError with the kind and recipe of whoever refused. When
// ctx ends, its error is returned at once, the oracle is told to give the
// question up, and an oracle that was starting goes on starting.
func (r *OracleRegistry) Ask(ctx context.Context, language Language, op string, params any) (json.RawMessage, error) {
	result, asked, err := r.ask(ctx, language, nil, op, params)
	if !isCrash(err) {
		return result, err
	}
	r.log.Warn("oracle crashed; starting it again", "language", language, "error", err)
	result, asked, err = r.ask(ctx, language, asked, op, params)
	if failure := new(ToolError); isCrash(err) && asked != nil && errors.As(err, &failure) {
		err = crashedAgain(failure, asked.artifact, asked.root, op, params)
	}
	return result, err
}

// Warm reports whether the language's oracle is running and has answered at
// least once since it was started. Until then a late answer is a sign of
// warming up.
func (r *OracleRegistry) Warm(language Language) bool {
	r.mu.Lock()
	g := r.current[language]
	r.mu.Unlock()
	return g != nil && g.isRunning() && g.oracle.hasAnswered()
}

// ask is one attempt. crashed is the generation in which the previous attempt
// of the same call failed; the generation that was asked is returned.
func (r *OracleRegistry) ask(ctx context.Context, language Language, crashed *generation, op string, params any) (json.RawMessage, *generation, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if !language.Known() {
		return nil, nil, unsupportedLanguage(language)
	}
	root := r.host.ProjectRoot()
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, nil, rootMissing(root)
	}
	artifact, err := r.binaries.Find(ctx, language)
	if err != nil {
		return nil, nil, portError(ctx, "finding the oracle", err)
	}
	g, failure := r.generation(language, artifact, root, crashed)
	if failure != nil {
		return nil, nil, failure
	}
	select {
	case <-g.ready:
	case <-r.life.Done():
		return nil, g, closedError()
	case <-ctx.Done():
		return nil, g, ctx.Err()
	}
	if g.err != nil {
		return nil, g, g.err
	}
	result, err := g.oracle.call(ctx, op, params)
	return result, g, err
}

// generation returns the language's current generation, or starts a new one
// when there is none to use.
func (r *OracleRegistry) generation(language Language, artifact Artifact, root string, crashed *generation) (*generation, *ToolError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, closedError()
	}
	old := r.current[language]
	if old != nil && old.serves(artifact, root) {
		// Whoever crashed in the generation before this one uses this one
		// whatever became of it: that was the one restart of the call.
		if old.isUsable() || crashed != nil && old != crashed {
			return old, nil
		}
	}
	if old != nil {
		r.stops.Go(func() { _ = old.retire(r.life) })
	}
	g := &generation{artifact: artifact, root: root, ready: make(chan struct{})}
	r.current[language] = g
	go r.start(g, language)
	return g, nil
}

// closeLimit bounds Close. Stopping an oracle takes two graces at most; only a
// build that does not heed its context takes longer.
const closeLimit = 1800 * time.Millisecond

// Close stops every oracle, all at once, and waits until they are gone. Later
// and waiting calls fail with kind closed. Close may be called repeatedly and
// returns within two seconds; it fails when something would not end.
func (r *OracleRegistry) Close() error {
	r.closing.Do(func() { r.closeErr = r.close() })
	return r.closeErr
}

func (r *OracleRegistry) close() error {
	r.mu.Lock()
	r.closed = true
	r.end()
	running := make([]*generation, 0, len(r.current))
	for _, g := range r.current {
		running = append(running, g)
	}
	r.mu.Unlock()

	errs := make([]error, len(running))
	stopped := make(chan struct{})
	for i, g := range running {
		r.stops.Go(func() { errs[i] = g.retire(r.life) })
	}
	go func() {
		r.stops.Wait()
		close(stopped)
	}()
	timer := time.NewTimer(closeLimit)
	defer timer.Stop()
	select {
	case <-stopped:
		return errors.Join(errs...)
	case <-timer.C:
		return fmt.Errorf("some oracles were still being built or stopped after %v", closeLimit)
	}
}

// isCrash reports whether an oracle died over a call.
func isCrash(err error) bool {
	var failure *ToolError
	return errors.As(err, &failure) && failure.Kind == oracleproto.KindOracleCrashed
}
