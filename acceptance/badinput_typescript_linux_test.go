package acceptance_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
	"vibevm.org/acceptance/tsproject"
)

// onlyCompiler is the process behind the relay, whatever its kind.
func onlyCompiler(t *testing.T, session *mcppipe.Session) int {
	t.Helper()
	children := proctable.ChildrenOf(relayOf(t, session).Pid)
	require.Len(t, children, 1, "the relay has one compiler")
	return children[0].Pid
}

// A compiler that hangs costs the call its time and the answer its verdict, no
// more; one that is killed at work is started again within the call.
func TestCompilersThatHangOrDieAtWork(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		session := serveRelease(t, newStrict(t, release, map[string]string{"a.ts": "export const a = 1;\n"}).Dir)
		wrong, right := object{"file": "src/a.ts", "content": notAString}, object{"file": "src/a.ts"}
		_, v := validate(t, session, right)
		require.Equal(t, "clean", v.Verdict)

		// Killed: stopped first, so that it cannot answer before.
		for range 2 {
			pid := onlyCompiler(t, session)
			require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
			id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": wrong})
			require.NoError(t, err)
			_, err = session.Call(within60s(t), "ping", nil)
			require.NoError(t, err)
			kill(t, pid)
			require.NoError(t, answerTo(t, session, id).Decode(&v))
			require.Equal(t, []int{2322}, v.codes())
			require.NotEqual(t, pid, onlyCompiler(t, session))
		}

		// Hanging.
		pid := onlyCompiler(t, session)
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		began := time.Now()
		result, err := session.CallTool(ctx, "tcg_validate", right)
		require.NoError(t, err)
		assert.Less(t, time.Since(began), 55*time.Second, "hosts give up after a minute")
		v = validation{}
		require.NoError(t, result.Decode(&v))
		assert.Equal(t, "unknown", v.Verdict, "%s", result.Text)
		assert.Equal(t, "timeout", v.Reason)
		require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
		for range 3 {
			_, v = validate(t, session, wrong)
			assert.Equal(t, []int{2322}, v.codes())
			_, v = validate(t, session, right)
			assert.Equal(t, "clean", v.Verdict)
		}
	})
}
