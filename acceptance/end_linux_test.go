package acceptance_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
)

func TestSignalsEndTheServerAndItsChildren(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String()+" before the handshake", func(t *testing.T) {
			t.Parallel()
			session := shopServer(t, newShop(t))
			// The answer proves that the process is past its start.
			_, err := session.Call(within60s(t), "ping", nil)
			require.NoError(t, err)
			assertSignalEnds(t, session, sig)
		})
		t.Run(sig.String()+" idle", func(t *testing.T) {
			t.Parallel()
			session := serveShop(t, newShop(t))
			_, v := validate(t, session, cleanQuestion)
			require.Equal(t, "clean", v.Verdict)
			assertSignalEnds(t, session, sig)
		})
		t.Run(sig.String()+" during a call", func(t *testing.T) {
			t.Parallel()
			session := serveShop(t, newShop(t))
			_, v := validate(t, session, cleanQuestion)
			require.Equal(t, "clean", v.Verdict)
			require.NoError(t, syscall.Kill(compilerOf(t, session).Pid, syscall.SIGSTOP))
			_, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": object{"file": taxFile, "content": taxBroken}})
			require.NoError(t, err)
			_, err = session.Call(within60s(t), "ping", nil)
			require.NoError(t, err)
			assertSignalEnds(t, session, sig)
		})
		t.Run(sig.String()+" while the oracle starts", func(t *testing.T) {
			t.Parallel()
			session := serveShop(t, newShop(t))
			_, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": cleanQuestion})
			require.NoError(t, err)
			eventually(t, "the oracle starts", func() bool { return len(proctable.ChildrenOf(session.Pid())) > 0 })
			assertSignalEnds(t, session, sig)
		})
	}
}

// assertSignalEnds signals a server and requires exit status 0, with nobody
// left. Two seconds are promised; the test is more patient.
func assertSignalEnds(t *testing.T, session *mcppipe.Session, sig syscall.Signal) {
	t.Helper()
	began := time.Now()
	require.NoError(t, session.Signal(sig))
	require.NoError(t, session.Wait(within60s(t)))
	assert.Less(t, time.Since(began), 20*time.Second)
	assertNobodyLeft(t, session.Pid())
}

// Hosts that leave only close our stdin. Calls already received are answered.
func TestEndOfInputAtEveryStage(t *testing.T) {
	t.Parallel()
	t.Run("before anything", func(t *testing.T) {
		t.Parallel()
		assertEndOfInputEnds(t, shopServer(t, newShop(t)))
	})
	t.Run("after the handshake", func(t *testing.T) {
		t.Parallel()
		assertEndOfInputEnds(t, serveShop(t, newShop(t)))
	})
	t.Run("while the oracle starts", func(t *testing.T) {
		t.Parallel()
		session := serveShop(t, newShop(t))
		id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": cleanQuestion})
		require.NoError(t, err)
		assertEndOfInputEnds(t, session)
		answerTo(t, session, id)
	})
	t.Run("during a call", func(t *testing.T) {
		t.Parallel()
		session := serveShop(t, newShop(t))
		_, v := validate(t, session, cleanQuestion)
		require.Equal(t, "clean", v.Verdict)
		id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": object{"file": taxFile, "content": taxBroken}})
		require.NoError(t, err)
		assertEndOfInputEnds(t, session)
		var v2 validation
		require.NoError(t, answerTo(t, session, id).Decode(&v2))
		assert.Equal(t, []int{2322}, v2.codes())
	})
	t.Run("during a call whose compiler hangs", func(t *testing.T) {
		t.Parallel()
		session := serveShop(t, newShop(t))
		_, v := validate(t, session, cleanQuestion)
		require.Equal(t, "clean", v.Verdict)
		require.NoError(t, syscall.Kill(compilerOf(t, session).Pid, syscall.SIGSTOP))
		id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": cleanQuestion})
		require.NoError(t, err)
		assertEndOfInputEnds(t, session)
		assert.NotContains(t, string(answerTo(t, session, id).Structured), `"verdict":"clean"`)
	})
	t.Run("idle", func(t *testing.T) {
		t.Parallel()
		session := serveShop(t, newShop(t))
		_, v := validate(t, session, cleanQuestion)
		require.Equal(t, "clean", v.Verdict)
		assertEndOfInputEnds(t, session)
	})
}

func assertEndOfInputEnds(t *testing.T, session *mcppipe.Session) {
	t.Helper()
	began := time.Now()
	require.NoError(t, session.CloseInput())
	require.NoError(t, session.Wait(within60s(t)))
	// Work may go on for two seconds after the end of input.
	assert.Less(t, time.Since(began), 25*time.Second)
	assertNobodyLeft(t, session.Pid())
}

func TestKilledServerLeavesNobodyBehind(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*testing.T, *mcppipe.Session){
		"idle": func(t *testing.T, session *mcppipe.Session) {
			t.Helper()
			_, v := validate(t, session, cleanQuestion)
			require.Equal(t, "clean", v.Verdict)
			compilerOf(t, session)
		},
		"during a call": func(t *testing.T, session *mcppipe.Session) {
			t.Helper()
			validate(t, session, cleanQuestion)
			require.NoError(t, syscall.Kill(compilerOf(t, session).Pid, syscall.SIGSTOP))
			_, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": cleanQuestion})
			require.NoError(t, err)
			_, err = session.Call(within60s(t), "ping", nil)
			require.NoError(t, err)
		},
		"while the oracle starts": func(t *testing.T, session *mcppipe.Session) {
			t.Helper()
			_, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": cleanQuestion})
			require.NoError(t, err)
			eventually(t, "the oracle starts", func() bool { return len(proctable.ChildrenOf(session.Pid())) > 0 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := start(t, mcppipe.Server{Path: binary(t, "apps/typescript-ai-native-mcp"), Args: []string{"--path", newShop(t).Dir}}, true)
			_, err := session.Initialize(within60s(t))
			require.NoError(t, err)
			ask(t, session)
			require.NoError(t, session.Signal(syscall.SIGKILL))
			require.Error(t, session.Wait(within60s(t)))
			// Two seconds are promised.
			assertNobodyLeft(t, session.Pid())
		})
	}
}

// A host that dies takes both ends of the pipes with it.
func TestDeadHostEndsTheServer(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"idle", "during a call"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			session := start(t, mcppipe.Server{Path: binary(t, "apps/typescript-ai-native-mcp"), Args: []string{"--path", newShop(t).Dir}}, true)
			_, err := session.Initialize(within60s(t))
			require.NoError(t, err)
			_, v := validate(t, session, cleanQuestion)
			require.Equal(t, "clean", v.Verdict)
			if when == "during a call" {
				require.NoError(t, syscall.Kill(compilerOf(t, session).Pid, syscall.SIGSTOP))
				_, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": cleanQuestion})
				require.NoError(t, err)
			}
			require.NoError(t, session.CloseOutput())
			require.NoError(t, session.CloseInput())
			_ = session.Wait(within60s(t)) // a lost answer may be an error; a signal or a hang is not
			assert.NotContains(t, session.Stderr(), "panic")
			assertNobodyLeft(t, session.Pid())
		})
	}
}
