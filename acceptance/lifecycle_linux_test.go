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
