package core_test

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
	"vibevm.org/core/coretest"
)

// stages reports a few steps, some of which the protocol forbids to send.
func stages(ctx context.Context, _ json.RawMessage) (core.Output, error) {
	core.ReportProgress(ctx, "start", 0, 3)
	core.ReportProgress(ctx, "", 1, 0)
	core.ReportProgress(ctx, "again", 1, 3)
	core.ReportProgress(ctx, "back", 0.5, 3)
	core.ReportProgress(ctx, "nothing", math.NaN(), 3)
	core.ReportProgress(ctx, "too much", math.Inf(1), 3)
	derived, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	core.ReportProgress(derived, "two\nlines", 2.5, 3)
	return core.Output{Report: "done"}, nil
}

// withToken is call 1 of a tool, with this _meta.
func withToken(name, meta string) coretest.Step {
	return coretest.Line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","_meta":` + meta + `}}`)
}

func TestProgressIsSentToWhoAskedForIt(t *testing.T) {
	for _, token := range []string{`"a\u0062"`, `7`, `1.50`} {
		got := replayWith(t, coretest.Func("stages", noArguments, stages), withToken("stages", `{"progressToken":`+token+`}`))
		require.Equal(t, []string{
			`notifications/progress{"progressToken":` + token + `,"progress":0,"total":3,"message":"start"}`,
			`notifications/progress{"progressToken":` + token + `,"progress":1}`,
			`notifications/progress{"progressToken":` + token + `,"progress":2.5,"total":3,"message":"two\nlines"}`,
			`1→ok(done)`,
		}, got)
	}
}

func TestProgressIsNotSentWithoutAUsableToken(t *testing.T) {
	for _, meta := range []string{`{}`, `null`, `{"progressToken":null}`, `{"progressToken":{"a":1}}`, `{"progressToken":true}`, `{"PROGRESSTOKEN":1}`, "{\"progressToken\":\"\xff\"}"} {
		require.Equal(t, []string{`1→ok(done)`},
			replayWith(t, coretest.Func("stages", noArguments, stages), withToken("stages", meta)), meta)
	}
}

func TestProgressOutsideACallIsNothing(t *testing.T) {
	core.ReportProgress(t.Context(), "nobody asked", 1, 2)
}

func TestProgressAfterTheAnswerIsNotSent(t *testing.T) {
	var late sync.WaitGroup
	answered := make(chan struct{})
	tool := coretest.Func("leaky", noArguments, func(ctx context.Context, _ json.RawMessage) (core.Output, error) {
		late.Go(func() {
			<-answered
			core.ReportProgress(ctx, "late", 1, 1)
		})
		return core.Output{Report: "done"}, nil
	})
	signal := coretest.Func("signal", noArguments, func(context.Context, json.RawMessage) (core.Output, error) {
		close(answered)
		late.Wait()
		return core.Output{}, nil
	})
	r := coretest.NewReplay(withToken("leaky", `{"progressToken":1}`), call("2", "signal", "{}"))
	require.NoError(t, newServer(t, tool, signal).Serve(t.Context(), r))
	require.Equal(t, []string{"1→ok(done)", "2→ok()"}, said(t, r))
}

func TestProgressAfterCancellationIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := coretest.Func("cleanup", noArguments, func(ctx context.Context, _ json.RawMessage) (core.Output, error) {
			<-ctx.Done()
			core.ReportProgress(ctx, "cleaning up", 1, 1)
			return core.Output{}, ctx.Err()
		})
		got := replayWith(t, tool, withToken("cleanup", `{"progressToken":1}`), coretest.Pause(50*time.Millisecond), cancelled("1"))
		require.Empty(t, got)
	})
}
