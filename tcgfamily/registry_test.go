package tcgfamily_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/tcgfamily/tcgtest"
)

// patience is for what should take milliseconds.
const patience = 20 * time.Second

const ts, rust = tcgfamily.TypeScript, tcgfamily.Rust

// bench is a registry over fakes.
type bench struct {
	*tcgfamily.OracleRegistry
	host     tcgtest.FakeHost
	binaries *tcgtest.FakeBinaries
}

func newBench(t *testing.T, oracles map[tcgfamily.Language]*tcgtest.Oracle) *bench {
	t.Helper()
	b := &bench{
		host:     tcgtest.FakeHost{Root: t.TempDir(), Allowed: []string{"org.vibevm"}},
		binaries: tcgtest.NewFakeBinaries(nil),
	}
	for l, o := range oracles {
		b.binaries.Set(l, o.Artifact())
	}
	b.OracleRegistry = tcgfamily.NewOracleRegistry(b.host, b.binaries)
	t.Cleanup(func() {
		assert.NoError(t, b.Close())
		for _, o := range oracles {
			childtest.RequireGone(t, 0, o.Pids(t)...)
		}
	})
	return b
}

func newTSBench(t *testing.T, lives ...tcgtest.Life) (*bench, *tcgtest.Oracle) {
	t.Helper()
	o := tcgtest.NewOracle(t, lives...)
	return newBench(t, map[tcgfamily.Language]*tcgtest.Oracle{ts: o}), o
}

func calls(acts ...tcgtest.Act) tcgtest.Life { return tcgtest.Life{Calls: acts} }

func (b *bench) validate(ctx context.Context) (tcgtest.Echo, error) {
	var echo tcgtest.Echo
	raw, err := b.Ask(ctx, ts, oracleproto.OpValidate, oracleproto.ValidateParams{File: "a.ts"})
	if err == nil {
		err = json.Unmarshal(raw, &echo)
	}
	return echo, err
}

func requireKind(t *testing.T, err error, kind oracleproto.Kind) {
	t.Helper()
	_ = requireFailure(t, err, kind)
}

// requireFailure checks the kind and returns the failure.
func requireFailure(t *testing.T, err error, kind oracleproto.Kind) *tcgfamily.ToolError {
	t.Helper()
	var failure *tcgfamily.ToolError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, kind, failure.Kind, "%v", err)
	require.NotEmpty(t, failure.Detail)
	return failure
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	require.True(t, childtest.Eventually(patience, condition), what)
}

func TestOracleStartsAtTheFirstQuestionAndStays(t *testing.T) {
	b, o := newTSBench(t)
	require.Empty(t, o.Pids(t), "nothing is started before it is needed")
	require.False(t, b.Warm(ts))

	first, err := b.validate(t.Context())
	require.NoError(t, err)
	require.Equal(t, b.host.Root, first.Root)
	require.Equal(t, evalSymlinks(t, b.host.Root), evalSymlinks(t, first.Dir))
	require.Equal(t, oracleproto.OpValidate, first.Op)
	require.JSONEq(t, `{"file":"a.ts"}`, string(first.Params))
	require.True(t, b.Warm(ts))

	again, err := b.validate(t.Context())
	require.NoError(t, err)
	require.Equal(t, first.Pid, again.Pid)
	require.Equal(t, []int{first.Pid}, o.Pids(t))
}

func evalSymlinks(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	return real
}

func TestParallelFirstQuestionsShareOneOracle(t *testing.T) {
	b, o := newTSBench(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := b.validate(t.Context())
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	require.Len(t, o.Pids(t), 1)
	require.Len(t, o.Requests(t), 20)
}

func TestAnswersReachTheirQuestions(t *testing.T) {
	b, _ := newTSBench(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for j := range 20 {
				content := strings.Repeat("<&>\n", i*10+j)
				raw, err := b.Ask(t.Context(), ts, oracleproto.OpType, oracleproto.ValidateParams{File: "f", Content: &content})
				if !assert.NoError(t, err) {
					return
				}
				var echo struct{ Params oracleproto.ValidateParams }
				assert.NoError(t, json.Unmarshal(raw, &echo))
				assert.Equal(t, content, *echo.Params.Content)
			}
		})
	}
	wg.Wait()
}

func TestLanguagesDoNotWaitForEachOther(t *testing.T) {
	slow, quick := tcgtest.NewOracle(t), tcgtest.NewOracle(t)
	b := newBench(t, map[tcgfamily.Language]*tcgtest.Oracle{ts: slow, rust: quick})
	absent := slow.Artifact()
	absent.Present, absent.Group = false, "org.vibevm"
	b.binaries.Set(ts, absent)
	building, finish := make(chan struct{}), make(chan struct{})
	b.binaries.OnBuild(func(context.Context, tcgfamily.Artifact) error {
		close(building)
		<-finish
		return nil
	})

	answered := make(chan error, 1)
	go func() {
		_, err := b.validate(t.Context())
		answered <- err
	}()
	<-building
	_, err := b.Ask(t.Context(), rust, oracleproto.OpScope, nil)
	require.NoError(t, err, "while the other language is being built")
	close(finish)
	require.NoError(t, <-answered)
}

func TestAStartOutlivesTheCallThatCausedIt(t *testing.T) {
	b, o := newTSBench(t)
	absent := o.Artifact()
	absent.Present, absent.Group = false, "org.vibevm"
	b.binaries.Set(ts, absent)
	building, finish := make(chan struct{}), make(chan struct{})
	b.binaries.OnBuild(func(ctx context.Context, _ tcgfamily.Artifact) error {
		close(building)
		select {
		case <-finish:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})

	first, giveUp := context.WithCancel(t.Context())
	gaveUp, answered := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := b.validate(first)
		gaveUp <- err
	}()
	<-building
	go func() {
		_, err := b.validate(t.Context())
		answered <- err
	}()
	giveUp()
	require.ErrorIs(t, <-gaveUp, context.Canceled)
	close(finish)
	require.NoError(t, <-answered)
	require.Len(t, b.binaries.Builds(), 1)
	require.Len(t, o.Pids(t), 1)
}

func TestATimeoutNeitherKillsNorRespawns(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	b, o := newTSBench(t, calls(
		tcgtest.Act{}, tcgtest.Act{Do: tcgtest.Wait, Until: gate, Result: json.RawMessage(`{"late":true}`)}, tcgtest.Act{}))
	first, err := b.validate(t.Context())
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = b.validate(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	next, err := b.validate(t.Context())
	require.NoError(t, err)
	require.Equal(t, first.Pid, next.Pid, "the late answer was taken for the next one's")
	require.Len(t, o.Pids(t), 1)
}

func TestAnotherArtifactReplacesTheOracle(t *testing.T) {
	b, old := newTSBench(t)
	first, err := b.validate(t.Context())
	require.NoError(t, err)

	updated := tcgtest.NewOracle(t)
	b.binaries.Set(ts, updated.Artifact())
	second, err := b.validate(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{first.Pid}, old.Pids(t))
	require.Equal(t, []int{second.Pid}, updated.Pids(t))
	childtest.RequireGone(t, patience, first.Pid)
}

func TestReplacementLetsPendingQuestionsFinish(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	b, old := newTSBench(t, calls(tcgtest.Act{Do: tcgtest.Wait, Until: gate}))
	type outcome struct {
		echo tcgtest.Echo
		err  error
	}
	pending := make(chan outcome, 1)
	go func() {
		echo, err := b.validate(t.Context())
		pending <- outcome{echo, err}
	}()
	eventually(t, "the question is pending", func() bool { return len(old.Requests(t)) == 1 })

	updated := tcgtest.NewOracle(t)
	b.binaries.Set(ts, updated.Artifact())
	_, err := b.validate(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	got := <-pending
	require.NoError(t, got.err)
	require.Equal(t, []int{got.echo.Pid}, old.Pids(t))
	childtest.RequireGone(t, patience, got.echo.Pid)
}
