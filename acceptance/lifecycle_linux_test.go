package acceptance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
	"vibevm.org/acceptance/tsproject"
)

// relayOf is the oracle process of a server that has answered a question.
func relayOf(t *testing.T, session *mcppipe.Session) proctable.Process {
	t.Helper()
	children := proctable.ChildrenOf(session.Pid())
	require.Len(t, children, 1, "the server has one child per language and root")
	return children[0]
}

// compilerOf is the compiler of a server that has answered a question.
func compilerOf(t *testing.T, session *mcppipe.Session) proctable.Process {
	t.Helper()
	children := proctable.ChildrenOf(relayOf(t, session).Pid)
	require.Len(t, children, 1, "the relay has one compiler")
	require.Contains(t, strings.Join(children[0].Command, " "), "--lsp")
	return children[0]
}

// kill sends SIGKILL and waits until the process is gone from the table or
// only waits to be reaped.
func kill(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	eventually(t, "the process dies", func() bool {
		p, ok := proctable.Get(pid)
		return !ok || p.State == "Z"
	})
}

// eventually polls for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, patience, 2*time.Millisecond, what)
}

// assertNoZombie fails if a running server has a dead child it did not reap.
func assertNoZombie(t *testing.T, session *mcppipe.Session) {
	t.Helper()
	eventually(t, "every dead descendant is reaped", func() bool {
		return !slices.ContainsFunc(reapOrphans(session.Pid()), func(p proctable.Process) bool { return p.State == "Z" })
	})
}

// Not parallel, and the best of ten: 50 ms are promised, and a loaded machine
// gets ten times that.
func TestHandshakeIsAnsweredAtOnceAndStartsNoOracle(t *testing.T) {
	project := newShop(t)
	fastest := time.Hour
	for range 10 {
		began := time.Now()
		session := shopServer(t, project)
		_, err := session.Initialize(within60s(t))
		require.NoError(t, err)
		fastest = min(fastest, time.Since(began))
		_, err = session.Call(within60s(t), "tools/list", object{})
		require.NoError(t, err)
		assert.Empty(t, proctable.ChildrenOf(session.Pid()), "a child before the first question")
	}
	assert.Less(t, fastest, 500*time.Millisecond, "from the process's start to the answer")
	session := serveShop(t, project)
	_, v := validate(t, session, cleanQuestion)
	assert.Equal(t, "clean", v.Verdict)
	compilerOf(t, session)
}

func TestKilledOracleIsStartedAgainOnce(t *testing.T) {
	t.Parallel()
	for name, victim := range map[string]func(*testing.T, *mcppipe.Session) proctable.Process{"relay": relayOf, "compiler": compilerOf} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := serveShop(t, newShop(t))
			_, v := validate(t, session, cleanQuestion)
			require.Equal(t, "clean", v.Verdict)
			for range 3 {
				before := compilerOf(t, session)
				kill(t, victim(t, session).Pid)
				// The next call is answered as if nothing had happened.
				result, v := validate(t, session, object{"file": taxFile, "content": taxBroken})
				require.Equal(t, "errors", v.Verdict, "%s", result.Text)
				assert.Equal(t, []int{2322}, v.codes())
				assert.NotEqual(t, before.Pid, compilerOf(t, session).Pid)
				assertNoZombie(t, session)
			}
		})
	}
}

func TestOracleKilledDuringACallIsStartedAgain(t *testing.T) {
	t.Parallel()
	for name, victim := range map[string]func(*testing.T, *mcppipe.Session) proctable.Process{"relay": relayOf, "compiler": compilerOf} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := serveShop(t, newShop(t))
			_, v := validate(t, session, cleanQuestion)
			require.Equal(t, "clean", v.Verdict)
			target := victim(t, session)
			// Stopped, it cannot answer before it is killed.
			require.NoError(t, syscall.Kill(target.Pid, syscall.SIGSTOP))
			id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": object{"file": taxFile, "content": taxBroken}})
			require.NoError(t, err)
			_, err = session.Call(within60s(t), "ping", nil)
			require.NoError(t, err, "the call is being worked on, and a ping is answered meanwhile")
			kill(t, target.Pid)
			frame, err := session.Answer(within60s(t), id)
			require.NoError(t, err)
			result, err := mcppipe.ParseToolResult(frame.Result)
			require.NoError(t, err)
			var answer validation
			require.NoError(t, result.Decode(&answer))
			assert.Equal(t, "errors", answer.Verdict, "%s", result.Text)
			assertNoZombie(t, session)
		})
	}
}

// A compiler that dies whenever it is started: one retry, then the truth.
func TestSecondCrashSurfaces(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	notes := t.TempDir()
	starts, broken := filepath.Join(notes, "starts"), filepath.Join(notes, "broken")
	plantCompiler(t, project, fmt.Sprintf("echo start >> '%s'\n[ ! -e '%s' ] || { echo out of order >&2; exit 7; }\nexec '%s' \"$@\"\n",
		starts, broken, tsproject.Compiler(nodeModules(t))))
	session := serveShop(t, project)
	_, v := validate(t, session, cleanQuestion)
	require.Equal(t, "clean", v.Verdict)
	require.Equal(t, 1, strings.Count(readFile(t, starts), "start"))

	require.NoError(t, os.WriteFile(broken, nil, 0o600))
	kill(t, compilerOf(t, session).Pid)
	failure := refused(t, session, "tcg_validate", cleanQuestion, "oracle-crashed")
	assert.Contains(t, failure.Detail, "exit status 7")
	assert.Contains(t, failure.Detail, "out of order", "the compiler's last words")
	assert.LessOrEqual(t, strings.Count(readFile(t, starts), "start"), 3, "a crash is retried once, not for ever")
	assertNoZombie(t, session)

	// And the session goes on: with the compiler mended, so are the answers.
	require.NoError(t, os.Remove(broken))
	_, v = validate(t, session, cleanQuestion)
	assert.Equal(t, "clean", v.Verdict)
}

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

func TestTwoServersOnOneProject(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	first, second := serveShop(t, project), serveShop(t, project)
	for range 5 {
		_, broken := validate(t, first, object{"file": taxFile, "content": taxBroken})
		_, fixed := validate(t, second, cleanQuestion)
		assert.Equal(t, "errors", broken.Verdict)
		assert.Equal(t, "clean", fixed.Verdict)
	}
	assertSignalEnds(t, first, syscall.SIGTERM)
	_, fixed := validate(t, second, cleanQuestion)
	assert.Equal(t, "clean", fixed.Verdict, "one server's end is none of the other's business")
}

func TestParallelFirstCallsStartOneOracle(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newShop(t))
	var ids []string
	for range 20 {
		id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": cleanQuestion})
		require.NoError(t, err)
		ids = append(ids, id)
	}
	for _, id := range ids {
		assert.Contains(t, string(answerTo(t, session, id).Structured), `"verdict":"clean"`)
	}
	compilerOf(t, session)
}

func TestCancelledQuestionIsNotAnsweredAndTheOracleLives(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newShop(t))
	_, v := validate(t, session, cleanQuestion)
	require.Equal(t, "clean", v.Verdict)
	compiler := compilerOf(t, session)
	require.NoError(t, syscall.Kill(compiler.Pid, syscall.SIGSTOP))
	id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": object{"file": taxFile, "content": taxBroken}})
	require.NoError(t, err)
	_, err = session.Call(within60s(t), "ping", nil)
	require.NoError(t, err)
	require.NoError(t, session.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`+"\n"))
	_, err = session.Call(within60s(t), "ping", nil)
	require.NoError(t, err, "lines are read in order, so the cancellation has been")
	require.NoError(t, syscall.Kill(compiler.Pid, syscall.SIGCONT))
	_, v = validate(t, session, cleanQuestion)
	assert.Equal(t, "clean", v.Verdict, "the next answer is about the next question")
	assert.Equal(t, compiler.Pid, compilerOf(t, session).Pid)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = session.Answer(ctx, id)
	assert.Error(t, err, "a cancelled call is not answered")
}

// A call never takes longer than 45 seconds, and no answer at all is not an
// all-clear; the compiler goes on.
func TestCompilerThatHangsIsUnknownNotClean(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newShop(t))
	_, v := validate(t, session, cleanQuestion)
	require.Equal(t, "clean", v.Verdict)
	compiler := compilerOf(t, session)
	require.NoError(t, syscall.Kill(compiler.Pid, syscall.SIGSTOP))
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	began := time.Now()
	result, err := session.CallTool(ctx, "tcg_validate", cleanQuestion)
	require.NoError(t, err)
	assert.Less(t, time.Since(began), 55*time.Second, "hosts give up after a minute")
	var answer validation
	require.NoError(t, result.Decode(&answer))
	assert.Equal(t, "unknown", answer.Verdict, "%s", result.Text)
	assert.Equal(t, "timeout", answer.Reason)
	assert.False(t, result.IsError)
	require.NoError(t, syscall.Kill(compiler.Pid, syscall.SIGCONT))
	_, v = validate(t, session, object{"file": taxFile, "content": taxBroken})
	assert.Equal(t, []int{2322}, v.codes())
	assert.Equal(t, compiler.Pid, compilerOf(t, session).Pid, "a timeout is no reason to start again")
}

// A compiler that is slow to start and says things on stderr: progress goes
// out to the call that asked for it, and to no other; stderr stays ours.
func TestSlowStartIsReportedToWhoAskedForProgress(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	plantCompiler(t, project, fmt.Sprintf("echo stray stderr >&2\nsleep 4\nexec '%s' \"$@\"\n", tsproject.Compiler(nodeModules(t))))
	session := serveShop(t, project)
	result, err := session.Call(within60s(t), "tools/call", object{
		"name": "tcg_validate", "arguments": cleanQuestion, "_meta": object{"progressToken": "token-7"},
	})
	require.NoError(t, err)
	assert.Contains(t, string(result), `"verdict":"clean"`)
	var reported []float64
	for _, frame := range session.Frames() {
		if frame.Method == "" {
			continue
		}
		require.Equal(t, "notifications/progress", frame.Method)
		var params struct {
			ProgressToken string  `json:"progressToken"`
			Progress      float64 `json:"progress"`
		}
		require.NoError(t, json.Unmarshal(frame.Params, &params))
		assert.Equal(t, "token-7", params.ProgressToken)
		reported = append(reported, params.Progress)
	}
	assert.NotEmpty(t, reported, "four seconds passed without a sign of life")
	assert.True(t, slices.IsSorted(reported), "progress goes forward: %v", reported)

	before := len(session.Frames())
	kill(t, compilerOf(t, session).Pid)
	_, v := validate(t, session, cleanQuestion)
	assert.Equal(t, "clean", v.Verdict)
	assert.Len(t, session.Frames(), before+1, "nobody asked for progress this time")
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
