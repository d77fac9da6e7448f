package acceptance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
)

// relayOf is the oracle process of a server that has answered a question.
func relayOf(t *testing.T, session *mcppipe.Session) proctable.Process {
	t.Helper()
	children := proctable.ChildrenOf(session.Pid())
	require.Len(t, children, 1, "the server has one child per language and root")
	return children[0]
}

// compilerOf is the compiler of a server that has answered a question. What
// else the relay runs for an answer, such as cargo, may take a moment to end.
func (l language) compilerOf(t *testing.T, session *mcppipe.Session) proctable.Process {
	t.Helper()
	var children []proctable.Process
	eventually(t, "the relay has one compiler", func() bool {
		children = proctable.ChildrenOf(relayOf(t, session).Pid)
		return len(children) == 1 && children[0].State != "Z"
	})
	require.Contains(t, strings.Join(children[0].Command, " "), l.compiler)
	return children[0]
}

// stopCompiler has the compiler keep still, so that whatever asks it hangs.
func (l language) stopCompiler(t *testing.T, session *mcppipe.Session) proctable.Process {
	t.Helper()
	compiler := l.compilerOf(t, session)
	require.NoError(t, syscall.Kill(compiler.Pid, syscall.SIGSTOP))
	return compiler
}

// request asks without waiting, and returns once the server is at work.
func request(t *testing.T, session *mcppipe.Session, arguments object) (id string) {
	t.Helper()
	id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": arguments})
	require.NoError(t, err)
	_, err = session.Call(within60s(t), "ping", nil)
	require.NoError(t, err, "a ping is answered meanwhile")
	return id
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

// Not parallel, and the best of ten: 50 ms are promised, and a loaded machine
// gets ten times that.
func TestHandshakeIsAnsweredAtOnceAndStartsNoOracle(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			project := l.newProject(t)
			fastest := time.Hour
			for range 10 {
				env := l.environment(t)
				began := time.Now()
				session := l.processIn(t, project, env, false)
				shakeHands(t, session)
				fastest = min(fastest, time.Since(began))
				_, err := session.Call(within60s(t), "tools/list", object{})
				require.NoError(t, err)
				assert.Empty(t, proctable.ChildrenOf(session.Pid()), "a child before the first question")
			}
			assert.Less(t, fastest, 500*time.Millisecond, "from the process's start to the answer")
			session := l.serve(t, project)
			assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
			l.compilerOf(t, session)
		})
	}
}

func TestTwoServersOnOneProject(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		project := l.newProject(t)
		first, second := l.serve(t, project), l.serve(t, project)
		for range 5 {
			l.assertBroken(t, callTool(t, first, "tcg_validate", l.question(l.broken)))
			assertClean(t, callTool(t, second, "tcg_validate", l.question(l.fixed)))
		}
		assertSignalEnds(t, first, syscall.SIGTERM)
		result := callTool(t, second, "tcg_validate", l.question(l.fixed))
		assert.Equal(t, "clean", judged(t, result).Verdict, "one server's end is none of the other's business")
	})
}

func TestParallelFirstCallsStartOneOracle(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		session := l.serve(t, l.newProject(t))
		var ids []string
		for range 20 {
			id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": l.question(l.fixed)})
			require.NoError(t, err)
			ids = append(ids, id)
		}
		for _, id := range ids {
			assertClean(t, answerTo(t, session, id))
		}
		l.compilerOf(t, session)
	})
}

func TestCancelledQuestionIsNotAnsweredAndTheOracleLives(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		session := l.serve(t, l.newProject(t))
		assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
		compiler := l.stopCompiler(t, session)
		id := request(t, session, l.compilerQuestion(l.broken))
		require.NoError(t, session.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`+"\n"))
		_, err := session.Call(within60s(t), "ping", nil)
		require.NoError(t, err, "lines are read in order, so the cancellation has been")
		require.NoError(t, syscall.Kill(compiler.Pid, syscall.SIGCONT))
		result := callTool(t, session, "tcg_validate", l.question(l.fixed))
		assert.Equal(t, "clean", judged(t, result).Verdict, "the next answer is about the next question")
		assert.Equal(t, compiler.Pid, l.compilerOf(t, session).Pid)
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_, err = session.Answer(ctx, id)
		assert.Error(t, err, "a cancelled call is not answered")
	})
}

// A call never takes longer than 45 seconds, and no answer at all is not an
// all-clear; the compiler goes on.
func TestCompilerThatHangsIsUnknownNotClean(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		session := l.serve(t, l.newProject(t))
		l.load(t, session)
		compiler := l.stopCompiler(t, session)
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		began := time.Now()
		result, err := session.CallTool(ctx, "tcg_validate", l.compilerQuestion(l.fixed))
		require.NoError(t, err)
		assert.Less(t, time.Since(began), 55*time.Second, "hosts give up after a minute")
		v := judged(t, result)
		assert.Equal(t, "unknown", v.Verdict, "%s", result.Text)
		assert.Equal(t, "timeout", v.Reason)
		assert.False(t, result.IsError)
		require.NoError(t, syscall.Kill(compiler.Pid, syscall.SIGCONT))
		l.assertBroken(t, callTool(t, session, "tcg_validate", l.compilerQuestion(l.broken)))
		assert.Equal(t, compiler.Pid, l.compilerOf(t, session).Pid, "a timeout is no reason to start again")
	})
}

// A compiler that is slow to start and says things on stderr: progress goes
// out to the call that asked for it, and to no other; stderr stays ours.
func TestSlowStartIsReportedToWhoAskedForProgress(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		project := l.newProject(t)
		env := l.plant(t, project, fmt.Sprintf("echo stray stderr >&2\n[ \"$1\" = --version ] || sleep 4\nexec '%s' \"$@\"\n", l.real(t)))
		session := l.processIn(t, project, env, false)
		shakeHands(t, session)
		question := l.compilerQuestion(l.fixed)
		raw, err := session.Call(within60s(t), "tools/call", object{
			"name": "tcg_validate", "arguments": question, "_meta": object{"progressToken": "token-7"},
		})
		require.NoError(t, err)
		result, err := mcppipe.ParseToolResult(raw)
		require.NoError(t, err)
		assertClean(t, onceLoaded(t, session, question, result))
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
		kill(t, l.compilerOf(t, session).Pid)
		assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
		assert.Len(t, session.Frames(), before+1, "nobody asked for progress this time")
	})
}
