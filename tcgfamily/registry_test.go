package tcgfamily_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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

func TestACrashIsRepairedOnce(t *testing.T) {
	for name, crash := range map[string]tcgtest.Life{
		"exit in a call":     calls(tcgtest.Act{Do: tcgtest.Crash, Code: 3}),
		"exit in an answer":  calls(tcgtest.Act{Do: tcgtest.Cut}),
		"exit at the start":  {Start: tcgtest.Act{Do: tcgtest.Crash, Code: 1}},
		"exit with status 0": calls(tcgtest.Act{Do: tcgtest.Crash}),
		"stdout closed":      calls(tcgtest.Act{Do: tcgtest.CloseOut}),
		"the compiler died":  calls(tcgtest.Act{Do: tcgtest.Refuse, Error: &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: "tsc ended"}}),
		"said without an id": calls(tcgtest.Act{Do: tcgtest.NullID, Error: &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: "tsc ended"}}),
	} {
		t.Run(name, func(t *testing.T) {
			b, o := newTSBench(t, crash, tcgtest.Life{})
			echo, err := b.validate(t.Context())
			require.NoError(t, err)
			pids := o.Pids(t)
			require.Len(t, pids, 2)
			require.Equal(t, pids[1], echo.Pid)
			childtest.RequireGone(t, patience, pids[0])
		})
	}
}

func TestAnOracleKilledBetweenCallsIsReplaced(t *testing.T) {
	b, o := newTSBench(t)
	before, err := b.validate(t.Context())
	require.NoError(t, err)
	kill(t, before.Pid)
	after, err := b.validate(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, before.Pid, after.Pid)
	require.Len(t, o.Pids(t), 2)
	childtest.RequireGone(t, patience, before.Pid)
}

func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, p.Signal(syscall.SIGKILL))
}

func TestASecondCrashIsReported(t *testing.T) {
	b, o := newTSBench(t, calls(tcgtest.Act{Do: tcgtest.Crash, Code: 3, Stderr: "FATAL: heap\nlast words\n"}))
	_, err := b.validate(t.Context())
	failure := requireFailure(t, err, oracleproto.KindOracleCrashed)
	require.Equal(t, "fake-tcg ended (exit status 3) (after one respawn)\nstderr: FATAL: heap\nlast words", failure.Detail)
	require.Contains(t, failure.Recipe, " validate --root "+b.host.Root+" a.ts")
	require.Len(t, o.Pids(t), 2, "one respawn, no more")

	_, err = b.validate(t.Context())
	requireKind(t, err, oracleproto.KindOracleCrashed)
	require.Len(t, o.Pids(t), 4, "the next call tries again")
}

func TestTheOraclesOwnCrashRecipeSurvives(t *testing.T) {
	own := &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: "tsc ended (signal: killed)\nstderr: out of memory", Recipe: "give it more memory"}
	b, _ := newTSBench(t, calls(tcgtest.Act{Do: tcgtest.Refuse, Error: own}))
	_, err := b.validate(t.Context())
	failure := requireFailure(t, err, oracleproto.KindOracleCrashed)
	require.Equal(t, "tsc ended (signal: killed) (after one respawn)\nstderr: out of memory", failure.Detail)
	require.Equal(t, own.Recipe, failure.Recipe)
}

func TestManyPendingOnACrashRespawnOnce(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	b, o := newTSBench(t,
		calls(tcgtest.Act{Do: tcgtest.Answer}, tcgtest.Act{Do: tcgtest.Ignore}),
		calls(tcgtest.Act{Do: tcgtest.Wait, Until: gate}))
	first, err := b.validate(t.Context())
	require.NoError(t, err)

	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := b.validate(t.Context())
			assert.NoError(t, err)
		})
	}
	eventually(t, "all questions are pending", func() bool { return len(o.Requests(t)) == 21 })
	kill(t, first.Pid)
	eventually(t, "all questions are put again", func() bool { return len(o.Pids(t)) > 1 })
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	wg.Wait()
	require.Len(t, o.Pids(t), 2)
}

func TestManyPendingOnADeadlyQuestionRespawnOnce(t *testing.T) {
	b, o := newTSBench(t, calls(tcgtest.Act{}, tcgtest.Act{Do: tcgtest.Ignore}), calls(tcgtest.Act{Do: tcgtest.Crash}))
	first, err := b.validate(t.Context())
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := b.validate(t.Context())
			var failure *tcgfamily.ToolError
			if assert.ErrorAs(t, err, &failure) {
				assert.Equal(t, oracleproto.KindOracleCrashed, failure.Kind)
			}
		})
	}
	eventually(t, "all questions are pending", func() bool { return len(o.Requests(t)) == 21 })
	kill(t, first.Pid)
	wg.Wait()
	require.Len(t, o.Pids(t), 2, "the crash of the second is everyone's second crash")
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

func TestOnlyCrashesAreRepaired(t *testing.T) {
	for _, kind := range []oracleproto.Kind{
		oracleproto.KindTimeout, oracleproto.KindProtocol, oracleproto.KindCancelled,
		oracleproto.KindTypeScriptMissing, oracleproto.KindInternal, "some-future-kind",
	} {
		own := &oracleproto.Error{Kind: kind, Detail: "what happened", Recipe: "what to do"}
		b, o := newTSBench(t, calls(tcgtest.Act{Do: tcgtest.Refuse, Error: own}))
		_, err := b.validate(t.Context())
		require.Equal(t, own, err)
		require.Len(t, o.Pids(t), 1)
		require.NoError(t, b.Close())
	}
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

func TestRefusalsStartNothing(t *testing.T) {
	b, o := newTSBench(t)

	_, err := b.Ask(t.Context(), "go", oracleproto.OpValidate, nil)
	failure := requireFailure(t, err, oracleproto.KindLanguageUnsupported)
	require.Contains(t, failure.Recipe, "typescript, rust")

	own := &tcgfamily.ToolError{Kind: oracleproto.KindOracleMissing, Detail: "not installed", Recipe: "vibe install"}
	b.binaries.Fail(ts, own)
	_, err = b.validate(t.Context())
	require.Equal(t, own, err)

	b.binaries.Fail(ts, errors.New("lockfile ate my homework"))
	_, err = b.validate(t.Context())
	failure = requireFailure(t, err, oracleproto.KindInternal)
	require.Contains(t, failure.Detail, "lockfile ate my homework")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.validate(ended)
	require.ErrorIs(t, err, context.Canceled)

	require.Empty(t, o.Pids(t))
}

func TestAMissingRootIsARefusal(t *testing.T) {
	o := tcgtest.NewOracle(t)
	binaries := tcgtest.NewFakeBinaries(map[tcgfamily.Language]tcgfamily.Artifact{ts: o.Artifact()})
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, root := range []string{filepath.Join(t.TempDir(), "gone"), file} {
		r := tcgfamily.NewOracleRegistry(tcgtest.FakeHost{Root: root}, binaries)
		_, err := r.Ask(t.Context(), ts, oracleproto.OpValidate, nil)
		failure := requireFailure(t, err, oracleproto.KindRootMissing)
		require.Contains(t, failure.Detail, root)
		require.Contains(t, failure.Recipe, "--path")
		require.NoError(t, r.Close())
	}
	require.Empty(t, o.Pids(t))
}

func TestUnstartableArtifact(t *testing.T) {
	b, o := newTSBench(t)
	broken := o.Artifact()
	broken.Path = filepath.Join(t.TempDir(), "no-such-binary")
	b.binaries.Set(ts, broken)
	_, err := b.validate(t.Context())
	failure := requireFailure(t, err, oracleproto.KindOracleMissing)
	require.Contains(t, failure.Detail, broken.Path)
	require.Contains(t, failure.Recipe, "vibe bin build fake-tcg --assume-yes")

	// The failure is not remembered.
	b.binaries.Set(ts, o.Artifact())
	_, err = b.validate(t.Context())
	require.NoError(t, err)
}

func TestBuildingNeedsConsent(t *testing.T) {
	b, o := newTSBench(t)
	absent := o.Artifact()
	absent.Present = false
	b.binaries.Set(ts, absent)
	_, err := b.validate(t.Context())
	failure := requireFailure(t, err, oracleproto.KindConsentRequired)
	require.Contains(t, failure.Detail, "org.example/fake")
	require.Contains(t, failure.Recipe, "vibe bin build fake-tcg --assume-yes")
	require.Empty(t, b.binaries.Builds())
	require.Empty(t, o.Pids(t))

	absent.Group = "org.vibevm"
	b.binaries.Set(ts, absent)
	_, err = b.validate(t.Context())
	require.NoError(t, err)
	require.Equal(t, []tcgfamily.Artifact{absent}, b.binaries.Builds())

	_, err = b.validate(t.Context())
	require.NoError(t, err)
	require.Len(t, b.binaries.Builds(), 1, "built once")
	require.Len(t, o.Pids(t), 1, "a built artifact is the same artifact")
}

func TestAFailedBuildIsReportedAndTriedAgain(t *testing.T) {
	b, o := newTSBench(t)
	absent := o.Artifact()
	absent.Present, absent.Group = false, "org.vibevm"
	b.binaries.Set(ts, absent)
	b.binaries.OnBuild(func(context.Context, tcgfamily.Artifact) error { return errors.New("cargo: exit status 101") })
	_, err := b.validate(t.Context())
	failure := requireFailure(t, err, oracleproto.KindBuildFailed)
	require.Contains(t, failure.Detail, "cargo: exit status 101")
	require.Contains(t, failure.Recipe, "vibe bin build fake-tcg")

	b.binaries.OnBuild(nil)
	_, err = b.validate(t.Context())
	require.NoError(t, err)
	require.Len(t, b.binaries.Builds(), 2)
}
