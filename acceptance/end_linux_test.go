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

// stages are the moments at which a server may have to end. Each is reached
// with a question, which is then still being worked on, or has none.
var stages = []struct {
	name string
	// fresh stages come before the handshake.
	fresh bool
	reach func(t *testing.T, l language, session *mcppipe.Session)
}{
	{name: "before the handshake", fresh: true, reach: func(t *testing.T, _ language, session *mcppipe.Session) {
		t.Helper()
		// The answer proves that the process is past its start.
		_, err := session.Call(within60s(t), "ping", nil)
		require.NoError(t, err)
	}},
	{name: "idle", reach: func(t *testing.T, l language, session *mcppipe.Session) {
		t.Helper()
		assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
		l.compilerOf(t, session)
	}},
	{name: "during a call", reach: func(t *testing.T, l language, session *mcppipe.Session) {
		t.Helper()
		assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
		l.stopCompiler(t, session)
		request(t, session, l.compilerQuestion(l.broken))
	}},
	{name: "while the oracle starts", reach: func(t *testing.T, l language, session *mcppipe.Session) {
		t.Helper()
		_, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": l.question(l.fixed)})
		require.NoError(t, err)
		eventually(t, "the oracle starts", func() bool { return len(proctable.ChildrenOf(session.Pid())) > 0 })
	}},
}

func TestSignalsEndTheServerAndItsChildren(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			for _, stage := range stages {
				t.Run(sig.String()+" "+stage.name, func(t *testing.T) {
					t.Parallel()
					session := l.process(t, l.newProject(t))
					if !stage.fresh {
						shakeHands(t, session)
					}
					stage.reach(t, l, session)
					assertSignalEnds(t, session, sig)
				})
			}
		}
	})
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
	eachLanguage(t, testEndOfInputAtEveryStage)
}

func testEndOfInputAtEveryStage(t *testing.T, l language) {
	t.Helper()
	t.Run("before anything", func(t *testing.T) {
		t.Parallel()
		assertEndOfInputEnds(t, l.process(t, l.newProject(t)))
	})
	t.Run("after the handshake", func(t *testing.T) {
		t.Parallel()
		assertEndOfInputEnds(t, l.serve(t, l.newProject(t)))
	})
	t.Run("while the oracle starts", func(t *testing.T) {
		t.Parallel()
		session := l.serve(t, l.newProject(t))
		id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": l.question(l.fixed)})
		require.NoError(t, err)
		assertEndOfInputEnds(t, session)
		answerTo(t, session, id)
	})
	t.Run("during a call", func(t *testing.T) {
		t.Parallel()
		session := l.serve(t, l.newProject(t))
		l.load(t, session)
		id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": l.question(l.broken)})
		require.NoError(t, err)
		assertEndOfInputEnds(t, session)
		l.assertBroken(t, answerTo(t, session, id))
	})
	t.Run("during a call whose compiler hangs", func(t *testing.T) {
		t.Parallel()
		session := l.serve(t, l.newProject(t))
		assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
		l.stopCompiler(t, session)
		id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": l.compilerQuestion(l.fixed)})
		require.NoError(t, err)
		assertEndOfInputEnds(t, session)
		assert.NotContains(t, string(answerTo(t, session, id).Structured), `"verdict":"clean"`)
	})
	t.Run("idle", func(t *testing.T) {
		t.Parallel()
		session := l.serve(t, l.newProject(t))
		assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
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
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		for _, stage := range stages {
			if stage.fresh {
				continue // nobody is there yet
			}
			t.Run(stage.name, func(t *testing.T) {
				t.Parallel()
				session := l.processIn(t, l.newProject(t), l.environment(t), true)
				shakeHands(t, session)
				stage.reach(t, l, session)
				require.NoError(t, session.Signal(syscall.SIGKILL))
				require.Error(t, session.Wait(within60s(t)))
				// Two seconds are promised.
				assertNobodyLeft(t, session.Pid())
			})
		}
	})
}

// A host that dies takes both ends of the pipes with it.
func TestDeadHostEndsTheServer(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		for _, stage := range stages {
			if stage.name != "idle" && stage.name != "during a call" {
				continue
			}
			t.Run(stage.name, func(t *testing.T) {
				t.Parallel()
				session := l.processIn(t, l.newProject(t), l.environment(t), true)
				shakeHands(t, session)
				stage.reach(t, l, session)
				require.NoError(t, session.CloseOutput())
				require.NoError(t, session.CloseInput())
				_ = session.Wait(within60s(t)) // a lost answer may be an error; a signal or a hang is not
				assert.NotContains(t, session.Stderr(), "panic")
				assertNobodyLeft(t, session.Pid())
			})
		}
	})
}
