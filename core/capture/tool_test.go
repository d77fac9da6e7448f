package capture_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
	"vibevm.org/core/capture"
	"vibevm.org/core/coretest"
)

func noisy(run func(ctx context.Context) (core.Output, error)) core.Tool {
	return capture.Tool(coretest.Func("noisy", `{"type":"object"}`, func(ctx context.Context, _ json.RawMessage) (core.Output, error) {
		fmt.Fprint(os.Stderr, "said")
		return run(ctx)
	}))
}

func TestToolAddsWhatItsRunSaid(t *testing.T) {
	failure := errors.New("it failed")
	for name, c := range map[string]struct {
		out  core.Output
		err  error
		want core.Output
	}{
		"a report":        {core.Output{Report: "verdict"}, nil, core.Output{Report: "verdict\n\nstandard error:\nsaid"}},
		"no report":       {core.Output{}, nil, core.Output{Report: "standard error:\nsaid"}},
		"an error result": {core.Output{Report: "verdict", IsError: true}, nil, core.Output{Report: "verdict\n\nstandard error:\nsaid", IsError: true}},
		"an error":        {core.Output{}, failure, core.Output{Report: "it failed\n\nstandard error:\nsaid", IsError: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := noisy(func(context.Context) (core.Output, error) { return c.out, c.err }).Run(t.Context(), nil)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestToolThatSaysNothingIsLeftAlone(t *testing.T) {
	failure := errors.New("it failed")
	tool := capture.Tool(coretest.Func("quiet", `{}`, func(context.Context, json.RawMessage) (core.Output, error) {
		return core.Output{Report: "verdict"}, failure
	}))
	got, err := tool.Run(t.Context(), nil)
	require.ErrorIs(t, err, failure)
	require.Equal(t, core.Output{Report: "verdict"}, got)
	require.Equal(t, "quiet", tool.Descriptor().Name)
}

func TestToolThatPanicsRestoresAndReportsItsLog(t *testing.T) {
	got, err := noisy(func(context.Context) (core.Output, error) { panic("boom") }).Run(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, core.Output{Report: "tool panicked: boom\n\nstandard error:\nsaid", IsError: true}, got)
	require.Empty(t, captured(t, func() {}), "standard error is free again")
}

func TestToolThatEndsItsGoroutineRestores(t *testing.T) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = noisy(func(context.Context) (core.Output, error) {
			runtime.Goexit()
			return core.Output{}, nil
		}).Run(t.Context(), nil)
	}()
	<-ended
	require.Empty(t, captured(t, func() {}), "standard error is free again")
}

func TestToolWithinACaptureIsRefused(t *testing.T) {
	captured(t, func() {
		_, err := noisy(func(context.Context) (core.Output, error) { return core.Output{}, nil }).Run(t.Context(), nil)
		require.ErrorIs(t, err, &core.TransportError{Code: core.CodeCapture})
		require.ErrorContains(t, err, "MCP-CORE §4 p24")
	})
}

// A cancelled call stays unanswered also when its tool is captured and said
// something.
func TestCancelledToolIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, err := core.NewToolSet(noisy(func(ctx context.Context) (core.Output, error) {
			<-ctx.Done()
			return core.Output{}, ctx.Err()
		}))
		require.NoError(t, err)
		host := coretest.NewReplay(
			coretest.Line(`{"id":1,"method":"tools/call","params":{"name":"noisy"}}`), coretest.Pause(time.Second),
			coretest.Line(`{"method":"notifications/cancelled","params":{"requestId":1}}`), coretest.Line(`{"id":2,"method":"ping"}`))
		require.NoError(t, core.NewServer(core.Info{}, set, nil).Serve(t.Context(), host))
		require.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{}}`+"\n", host.Output())
	})
}
