package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
	"vibevm.org/core/coretest"
)

func TestEndOfInputWaitsForWorkThatIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := replay(t, call("1", "slow", `{"ms":1500}`), call("2", "slow", `{"ms":400}`))
		require.Equal(t, []string{"1→ok(slept)", "2→ok(slept)"}, got)
		require.Equal(t, 1900*time.Millisecond, time.Since(start))
	})
}

func TestWorkStillRunningAfterEndOfInputIsCancelledAndAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := replay(t, call("1", "slow", `{"ms":60000}`), call("2", "slow", `{"ms":10}`), call("3", "boom", `{}`))
		require.Equal(t, []string{"1→error(cancelled: input ended)", "2→error(cancelled: input ended)", "3→error(cancelled: input ended)"}, got)
		require.GreaterOrEqual(t, time.Since(start), 2*time.Second)
		require.Less(t, time.Since(start), 3*time.Second)
	})
}

func TestDeafToolAfterEndOfInputIsAnsweredInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := coretest.NewReplay(call("1", "deaf", `{"ms":60000}`), call("2", "ok", `{}`))
		require.NoError(t, newServer(t).Serve(t.Context(), r))
		require.Less(t, time.Since(start), 4*time.Second)
		want := []string{"1→error(cancelled: input ended)", "2→error(cancelled: input ended)"}
		require.ElementsMatch(t, want, said(t, r))
		time.Sleep(2 * time.Minute) // the tool returns into a session that is over
		require.ElementsMatch(t, want, said(t, r))
	})
}

func TestDeafToolOfACancelledCallIsNotAnsweredInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := replay(t, call("1", "deaf", `{"ms":60000}`), coretest.Pause(50*time.Millisecond), cancelled("1"), ping("2"))
		require.Equal(t, []string{"2→{}"}, got)
		time.Sleep(time.Minute)
	})
}

func TestServeEndsWithItsContextAlthoughTheReaderIsBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := coretest.NewReplay(ping("1"), coretest.Hang())
		require.NoError(t, newServer(t).Serve(ctx, r))
		require.Equal(t, []string{"1→{}"}, said(t, r))
		require.NoError(t, r.Close())
	})
}

func TestContextEndCancelsTheRunningCallAndAnswersIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		r := coretest.NewReplay(call("1", "slow", `{"ms":60000}`), call("2", "ok", `{}`), coretest.Hang())
		require.NoError(t, newServer(t).Serve(ctx, r))
		require.Equal(t, time.Second, time.Since(start))
		require.Equal(t, []string{"1→error(cancelled: the server is stopping)", "2→error(cancelled: the server is stopping)"}, said(t, r))
		require.NoError(t, r.Close())
	})
}

func TestContextEndDoesNotWaitForADeafTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		r := coretest.NewReplay(call("1", "deaf", `{"ms":60000}`), coretest.Hang())
		require.NoError(t, newServer(t).Serve(ctx, r))
		require.Less(t, time.Since(start), 2*time.Second)
		require.Equal(t, []string{"1→error(cancelled: the server is stopping)"}, said(t, r))
		require.NoError(t, r.Close())
		time.Sleep(time.Minute)
	})
}

func TestCallThatArrivesWhileTheServerStopsIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		r := coretest.NewReplay(call("1", "deaf", `{"ms":400}`), coretest.Pause(200*time.Millisecond), call("2", "boom", `{}`), coretest.Hang())
		require.NoError(t, newServer(t).Serve(ctx, r))
		require.Equal(t, []string{"2→error(cancelled: the server is stopping)", "1→ok(slept)"}, said(t, r))
		require.NoError(t, r.Close())
	})
}

// stuckWriter is a peer that does not read: its first write never ends.
type stuckWriter struct {
	*coretest.Replay
	stuck chan struct{}
}

func (s stuckWriter) WriteLine([]byte) error { <-s.stuck; return nil }

// In real time: a goroutine that waits for a mutex holds a synctest bubble up.
func TestContextEndDoesNotWaitForAPeerThatDoesNotRead(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	r := stuckWriter{coretest.NewReplay(call("1", "ok", `{}`), ping("2"), coretest.Hang()), make(chan struct{})}
	require.NoError(t, newServer(t).Serve(ctx, r))
	require.Less(t, time.Since(start), 20*time.Second)
	close(r.stuck)
	require.NoError(t, r.Close())
}

func TestFailedWriteEndsTheLoopWithATypedError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := coretest.NewReplay(ping("1"), coretest.BreakWrites(syscall.EPIPE), ping("2"), ping("3"), coretest.Hang())
		err := newServer(t).Serve(t.Context(), r)
		var typed *core.TransportError
		require.ErrorAs(t, err, &typed)
		require.Equal(t, core.CodeWrite, typed.Code)
		require.NotEmpty(t, typed.Unit)
		require.NotEmpty(t, typed.Fix)
		require.ErrorIs(t, err, syscall.EPIPE)
		require.NoError(t, r.Close())
	})
}

func TestFailedWriteCancelsTheRunningTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := coretest.NewReplay(call("1", "slow", `{"ms":60000}`), coretest.Pause(50*time.Millisecond), coretest.BreakWrites(io.ErrClosedPipe), ping("2"), coretest.Hang())
		require.ErrorIs(t, newServer(t).Serve(t.Context(), r), io.ErrClosedPipe)
		require.Less(t, time.Since(start), time.Second)
		require.NoError(t, r.Close())
	})
}

func TestFailedReadEndsTheLoopWithATypedErrorAfterItsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("input/output error")
		r := coretest.NewReplay(call("1", "slow", `{"ms":300}`), coretest.Fail(broken))
		err := newServer(t).Serve(t.Context(), r)
		require.ErrorIs(t, err, broken)
		var typed *core.TransportError
		require.ErrorAs(t, err, &typed)
		require.Equal(t, core.CodeRead, typed.Code)
		require.Equal(t, []string{"1→ok(slept)"}, said(t, r))
	})
}

func TestLineTooLongIsAnsweredAndReadingGoesOn(t *testing.T) {
	require.Equal(t, []string{"null→-32700", "1→{}"}, replay(t, coretest.Fail(core.ErrLineTooLong), ping("1")))
}

// Reading ahead of a running tool is bounded; what does not fit is read when
// half of the waiting calls are done, and nothing is lost or reordered.
func TestReadAheadIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 5000
		var script []coretest.Step
		for i := range calls {
			script = append(script, call(strconv.Itoa(i), "slow", `{"ms":5}`))
		}
		script = append(script, coretest.Hang())
		r := coretest.NewReplay(script...)
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error)
		server := newServer(t)
		go func() { served <- server.Serve(ctx, r) }()
		time.Sleep(time.Second) // 200 calls are done, and the reader waits for room
		require.Greater(t, r.Left(), calls-200-1200)
		time.Sleep(time.Minute)
		cancel()
		require.NoError(t, <-served)
		got := said(t, r)
		require.Len(t, got, calls)
		for i, answer := range got {
			require.Equal(t, strconv.Itoa(i)+"→ok(slept)", answer)
		}
		require.NoError(t, r.Close())
	})
}

// Regression: a thousand pipelined calls must not race on one reader.
func TestThousandPipelinedCalls(t *testing.T) {
	var running, most atomic.Int32
	tool := coretest.Func("count", noArguments, func(_ context.Context, args json.RawMessage) (core.Output, error) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		if string(args) == `{"pause":true}` {
			time.Sleep(3 * time.Millisecond) // long enough for another goroutine to lead
		}
		return core.Output{Report: string(args)}, nil
	})
	var script []coretest.Step
	for i := range 1000 {
		args := `{}`
		if i%100 == 7 {
			args = `{"pause":true}`
		}
		script = append(script, call(strconv.Itoa(i), "count", args))
	}
	got := replayWith(t, tool, script...)
	require.Len(t, got, 1000)
	for i, answer := range got {
		require.Regexp(t, "^"+strconv.Itoa(i)+"→ok", answer)
	}
	require.Equal(t, int32(1), most.Load())
}
