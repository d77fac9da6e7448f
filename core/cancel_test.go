package core_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
	"vibevm.org/core/coretest"
)

// The tests of this file run in synctest bubbles: their milliseconds are exact
// and take no time.

func TestPingIsAnsweredWhileAToolRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := replay(t, call("1", "slow", `{"ms":300}`), coretest.Pause(50*time.Millisecond),
			ping("2"), coretest.Line(`{"id":3,"method":"tools/list"}`), coretest.Line(`not JSON`), coretest.Line(`{"id":4,"method":"initialize"}`))
		require.Equal(t, []string{"2→{}", "3→tools", "null→-32700", "4→2024-11-05", "1→ok(slept)"}, got)
	})
}

func TestToolsRunOneAfterTheOtherInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := replay(t, call("1", "slow", `{"ms":300}`), call("2", "ok", "{}"), call("3", "slow", `{"ms":300}`), call("4", "ok", "{}"))
		require.Equal(t, []string{"1→ok(slept)", "2→ok(ok)", "3→ok(slept)", "4→ok(ok)"}, got)
		require.Equal(t, 600*time.Millisecond, time.Since(start))
	})
}

func TestSameIDTwiceIsTwoAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		require.Equal(t, []string{"5→ok(slept)", "5→ok(slept)"},
			replay(t, call("5", "slow", `{"ms":100}`), call("5", "slow", `{"ms":100}`)))
	})
}

func TestCancelledCallThatStopsIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := replay(t, call("5", "slow", `{"ms":1500}`), coretest.Pause(50*time.Millisecond), cancelled("5"), ping("6"))
		require.Equal(t, []string{"6→{}"}, got)
		require.Less(t, time.Since(start), 100*time.Millisecond, "the tool stopped at the cancellation")
	})
}

func TestCancelledCallWhoseToolFinishesIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := replay(t, call("5", "deaf", `{"ms":200}`), coretest.Pause(50*time.Millisecond), cancelled("5"))
		require.Equal(t, []string{"5→ok(slept)"}, got)
	})
}

func TestCancelledCallWhoseToolFailsOtherwiseIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stubborn := coretest.Func("stubborn", noArguments, func(ctx context.Context, _ json.RawMessage) (core.Output, error) {
			<-ctx.Done()
			return core.Output{}, context.DeadlineExceeded
		})
		got := replayWith(t, stubborn, call("5", "stubborn", `{}`), coretest.Pause(50*time.Millisecond), cancelled("5"))
		require.Equal(t, []string{"5→error(context deadline exceeded)"}, got)
	})
}

func TestWaitingCallThatIsCancelledNeverRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := replay(t, call("1", "slow", `{"ms":300}`), call("2", "boom", `{}`), call("3", "ok", `{}`),
			coretest.Pause(50*time.Millisecond), cancelled("2"))
		require.Equal(t, []string{"1→ok(slept)", "3→ok(ok)"}, got)
	})
}

func TestLateAndRepeatedCancellationsChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := replay(t, call("1", "ok", `{}`), cancelled("1"), cancelled("1"), ping("2"), call("1", "ok", `{}`), cancelled("1"),
			call("3", "slow", `{"ms":300}`), coretest.Pause(50*time.Millisecond), cancelled("3"), cancelled("3"), call("4", "ok", `{}`))
		require.Equal(t, []string{"1→ok(ok)", "2→{}", "1→ok(ok)", "4→ok(ok)"}, got)
	})
}

func TestCancellationComparesIDsAsJSONValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := replay(t, call(`"5"`, "slow", `{"ms":300}`), coretest.Pause(50*time.Millisecond), cancelled("5"), cancelled("5.0"),
			cancelled("null"), cancelled(`{"a":"5"}`))
		require.Equal(t, []string{`"5"→ok(slept)`}, got)
	})
}

func TestCancellationReachesContextsDerivedByTheTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := coretest.Func("derived", noArguments, func(ctx context.Context, _ json.RawMessage) (core.Output, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			<-ctx.Done()
			return core.Output{}, ctx.Err()
		})
		got := replayWith(t, tool, call("5", "derived", `{}`), coretest.Pause(50*time.Millisecond), cancelled("5"), ping("6"))
		require.Equal(t, []string{"6→{}"}, got)
	})
}

func TestContextOfACallEndsWithItsAnswer(t *testing.T) {
	type key struct{}
	var kept context.Context
	tool := coretest.Func("keep", noArguments, func(ctx context.Context, _ json.RawMessage) (core.Output, error) {
		if err := ctx.Err(); err != nil {
			return core.Output{}, err
		}
		if _, ok := ctx.Deadline(); ok {
			t.Error("a call has no deadline of its own")
		}
		kept = ctx
		return core.Output{Report: ctx.Value(key{}).(string)}, nil
	})
	r := coretest.NewReplay(call("1", "keep", "{}"))
	require.NoError(t, newServer(t, tool).Serve(context.WithValue(t.Context(), key{}, "value of Serve's context"), r))
	require.Equal(t, []string{"1→ok(value of Serve's context)"}, said(t, r))
	require.ErrorIs(t, kept.Err(), context.Canceled)
	<-kept.Done()
}
