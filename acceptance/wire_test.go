package acceptance_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
)

// testServer starts the core's test server and shakes hands.
func testServer(t *testing.T) *mcppipe.Session {
	t.Helper()
	session := start(t, mcppipe.Server{Path: binary(t, "core/coretest/testserver")}, false)
	_, err := session.Initialize(within60s(t))
	require.NoError(t, err)
	return session
}

func TestLinesOfEverySizeAreAnswered(t *testing.T) {
	t.Parallel()
	session := testServer(t)
	overhead := len(call("1", "echo", `{"text":""}`))
	sizes := []int{1, 10 << 20, 20 << 20}
	for _, boundary := range []int{4 << 10, 64 << 10, 1 << 20} {
		for around := -2; around <= 2; around++ {
			sizes = append(sizes, boundary-overhead+around)
		}
	}
	for _, size := range sizes {
		result, err := session.CallTool(within60s(t), "echo", object{"text": strings.Repeat("é", size/2) + strings.Repeat("a", size%2)})
		require.NoError(t, err)
		require.False(t, result.IsError)
		if size <= 4<<20 {
			require.Len(t, result.Text, size)
			continue
		}
		// Reports are bounded; the cut says so and falls between characters.
		assert.LessOrEqual(t, len(result.Text), 4<<20+200, "a report of %d bytes", size)
		assert.NotContains(t, result.Text, "\ufffd")
	}
}

func TestLineOverTheLimitIsRefusedAndTheNextOneAnswered(t *testing.T) {
	t.Parallel()
	session := testServer(t)
	chunk := strings.Repeat("a", 1<<20)
	require.NoError(t, session.Send(`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"`))
	for range 300 {
		require.NoError(t, session.Send(chunk))
	}
	require.NoError(t, session.Send(`"}}`+"\n"))
	frame, err := session.Answer(within60s(t), "null")
	require.NoError(t, err)
	require.NotNil(t, frame.Error)
	assert.Equal(t, -32700, frame.Error.Code)
	_, err = session.Call(within60s(t), "ping", nil)
	require.NoError(t, err)
	assertPeakMemoryBelow(t, session.Pid(), 224<<20)
}

func TestPingIsAnsweredWhileAToolRuns(t *testing.T) {
	t.Parallel()
	session := testServer(t)
	require.NoError(t, session.Send(call("500", "slow", `{"ms":700}`)))
	require.NoError(t, session.Send(`{"jsonrpc":"2.0","id":600,"method":"ping"}`+"\n"))
	_, err := session.Answer(within60s(t), "500")
	require.NoError(t, err)
	order := ids(session.Frames())
	assert.Less(t, slices.Index(order, "600"), slices.Index(order, "500"), "%v", order)
}

func TestToolsRunOneAtATimeInTheOrderTheyCame(t *testing.T) {
	t.Parallel()
	session := testServer(t)
	began := time.Now()
	require.NoError(t, session.Send(call("500", "slow", `{"ms":300}`)+call("501", "slow", `{"ms":100}`)))
	_, err := session.Answer(within60s(t), "501")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(began), 400*time.Millisecond)
	order := ids(session.Frames())
	assert.Less(t, slices.Index(order, "500"), slices.Index(order, "501"), "%v", order)
}

func TestCancelledCallIsNotAnsweredAndTheNextOneIs(t *testing.T) {
	t.Parallel()
	session := testServer(t)
	began := time.Now()
	// The second call waits behind the first; both are given up.
	require.NoError(t, session.Send(call("500", "slow", `{"ms":30000}`)+call("501", "slow", `{"ms":30000}`)))
	require.NoError(t, session.Notify("notifications/cancelled", object{"requestId": 501, "reason": "test"}))
	require.NoError(t, session.Notify("notifications/cancelled", object{"requestId": 500}))
	require.NoError(t, session.Send(call("502", "echo", `{"text":"next"}`)))
	_, err := session.Answer(within60s(t), "502")
	require.NoError(t, err)
	// Hosts send one after every call they finished, and some send two.
	for range 2 {
		require.NoError(t, session.Notify("notifications/cancelled", object{"requestId": 502}))
	}
	_, err = session.Call(within60s(t), "ping", nil)
	require.NoError(t, err)
	assert.Less(t, time.Since(began), 20*time.Second)
	assert.NotContains(t, ids(session.Frames()), "500")
	assert.NotContains(t, ids(session.Frames()), "501")
}

func TestClosedStdoutEndsTheServerWithAnErrorNotASignal(t *testing.T) {
	t.Parallel()
	session := start(t, mcppipe.Server{Path: binary(t, "core/coretest/testserver")}, true)
	_, err := session.Initialize(within60s(t))
	require.NoError(t, err)
	require.NoError(t, session.CloseOutput())
	require.NoError(t, session.Send(call("5", "echo", `{"text":"x"}`)))
	err = session.Wait(within60s(t))
	require.Error(t, err)
	assert.Regexp(t, `^exit status [1-9]`, err.Error())
}

func TestAThousandPipelinedCallsAreAnsweredInOrder(t *testing.T) {
	t.Parallel()
	session := testServer(t)
	var lines strings.Builder
	var want []string
	for i := range 1000 {
		id := fmt.Sprint(10_000 + i)
		want = append(want, id)
		lines.WriteString(call(id, "echo", `{"text":"`+id+`"}`))
	}
	require.NoError(t, session.Send(lines.String()))
	require.NoError(t, session.CloseInput())
	require.NoError(t, session.Wait(within60s(t)))
	assert.Equal(t, want, ids(session.Frames())[1:])
}

// The end of input at any moment: exit status 0, and soon.
func TestEndOfInputEndsTheServer(t *testing.T) {
	t.Parallel()
	t.Run("before anything", func(t *testing.T) {
		t.Parallel()
		session := start(t, mcppipe.Server{Path: binary(t, "core/coretest/testserver")}, false)
		require.NoError(t, session.CloseInput())
		require.NoError(t, session.Wait(within60s(t)))
	})
	t.Run("while a tool runs, which is answered", func(t *testing.T) {
		t.Parallel()
		session := testServer(t)
		require.NoError(t, session.Send(call("5", "slow", `{"ms":300}`)))
		require.NoError(t, session.CloseInput())
		require.NoError(t, session.Wait(within60s(t)))
		assert.Contains(t, ids(session.Frames()), "5")
	})
	t.Run("while a tool runs for ever, which is cancelled and answered", func(t *testing.T) {
		t.Parallel()
		session := testServer(t)
		began := time.Now()
		require.NoError(t, session.Send(call("5", "slow", `{"ms":3600000}`)))
		require.NoError(t, session.CloseInput())
		require.NoError(t, session.Wait(within60s(t)))
		assert.Less(t, time.Since(began), 20*time.Second)
		assert.Contains(t, ids(session.Frames()), "5")
	})
	t.Run("stdin is the null device", func(t *testing.T) {
		t.Parallel()
		null, err := os.Open(os.DevNull)
		require.NoError(t, err)
		defer null.Close()
		cmd := quietCommand(t, binary(t, "core/coretest/testserver"))
		cmd.Stdin = null
		output, err := cmd.CombinedOutput()
		require.NoError(t, err)
		assert.Empty(t, output)
	})
}

func ids(frames []mcppipe.Frame) []string {
	found := []string{}
	for _, frame := range frames {
		if frame.ID != "" {
			found = append(found, frame.ID)
		}
	}
	return found
}
