package acceptance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
	"vibevm.org/acceptance/tsproject"
)

// assertNoZombie fails if a running server has a dead child it did not reap.
func assertNoZombie(t *testing.T, session *mcppipe.Session) {
	t.Helper()
	eventually(t, "every dead descendant is reaped", func() bool {
		return !slices.ContainsFunc(reapOrphans(session.Pid()), func(p proctable.Process) bool { return p.State == "Z" })
	})
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
