package tcgfamily_test

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/tcgfamily/tcgtest"
)

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
