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
)

// assertNoZombie fails if a running server has a dead child it did not reap.
func assertNoZombie(t *testing.T, session *mcppipe.Session) {
	t.Helper()
	eventually(t, "every dead descendant is reaped", func() bool {
		return !slices.ContainsFunc(reapOrphans(session.Pid()), func(p proctable.Process) bool { return p.State == "Z" })
	})
}

// victims are the processes that a crash is tried with.
var victims = map[string]func(language, *testing.T, *mcppipe.Session) proctable.Process{
	"relay":    language.relayOf,
	"compiler": language.compilerOf,
}

func (language) relayOf(t *testing.T, session *mcppipe.Session) proctable.Process {
	t.Helper()
	return relayOf(t, session)
}

func TestKilledOracleIsStartedAgainOnce(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		for name, victim := range victims {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				session := l.serve(t, l.newProject(t))
				l.load(t, session)
				for range l.restarts {
					before := l.compilerOf(t, session)
					kill(t, victim(l, t, session).Pid)
					// The next call is answered as if nothing had happened.
					question := l.compilerQuestion(l.broken)
					l.assertBroken(t, onceLoaded(t, session, question, callTool(t, session, "tcg_validate", question)))
					assert.NotEqual(t, before.Pid, l.compilerOf(t, session).Pid)
					assertNoZombie(t, session)
				}
			})
		}
	})
}

func TestOracleKilledDuringACallIsStartedAgain(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		for name, victim := range victims {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				session := l.serve(t, l.newProject(t))
				assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
				l.compilerOf(t, session)
				target := victim(l, t, session)
				// Stopped, it cannot answer before it is killed.
				require.NoError(t, syscall.Kill(target.Pid, syscall.SIGSTOP))
				question := l.compilerQuestion(l.broken)
				id := request(t, session, question)
				kill(t, target.Pid)
				l.assertBroken(t, onceLoaded(t, session, question, answerTo(t, session, id)))
				assertNoZombie(t, session)
			})
		}
	})
}

// A compiler that dies whenever it is started: one retry, then the truth.
func TestSecondCrashSurfaces(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		project := l.newProject(t)
		notes := t.TempDir()
		starts, broken := filepath.Join(notes, "starts"), filepath.Join(notes, "broken")
		env := l.plant(t, project, fmt.Sprintf("[ \"$1\" != --version ] || exec '%[3]s' \"$@\"\necho start >> '%[1]s'\n[ ! -e '%[2]s' ] || { echo out of order >&2; exit 7; }\nexec '%[3]s' \"$@\"\n",
			starts, broken, l.real(t)))
		session := l.processIn(t, project, env, false)
		shakeHands(t, session)
		l.load(t, session)
		require.Equal(t, 1, strings.Count(readFile(t, starts), "start"))

		require.NoError(t, os.WriteFile(broken, nil, 0o600))
		kill(t, l.compilerOf(t, session).Pid)
		failure := refused(t, session, "tcg_validate", l.compilerQuestion(l.fixed), "oracle-crashed")
		assert.Contains(t, failure.Detail, "exit status 7")
		assert.Contains(t, failure.Detail, "out of order", "the compiler's last words")
		assert.LessOrEqual(t, strings.Count(readFile(t, starts), "start"), 3, "a crash is retried once, not for ever")
		assertNoZombie(t, session)

		// And the session goes on: with the compiler mended, so are the answers.
		require.NoError(t, os.Remove(broken))
		l.load(t, session)
	})
}
