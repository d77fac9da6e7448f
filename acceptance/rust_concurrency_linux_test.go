package acceptance_test

import (
	"context"
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
	"golang.org/x/sys/unix"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
	"vibevm.org/acceptance/tsproject"
)

// holdBuild locks a target directory as a running cargo does.
func holdBuild(t *testing.T, project *tsproject.Project) (release func()) {
	t.Helper()
	lock, err := os.OpenFile(project.Path("target/debug/.cargo-lock"), os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB))
	return func() { _ = lock.Close() }
}

// A build of the user's, however long it takes, delays no answer.
func TestAnswersComeWhileTheUsersBuildIsRunning(t *testing.T) {
	t.Parallel()
	project := newRustShop(t)
	cargoBuild(t, project.Dir)
	release := holdBuild(t, project)
	defer release()
	// The lock is the one that stops cargo.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := runCargo(ctx, project.Dir, "build", "--offline")
	require.Error(t, err, "cargo build does not wait for the lock")

	session := rust.serve(t, project)
	rust.load(t, session)
	for _, depth := range []string{"native", "full", "auto"} {
		rust.assertBroken(t, callTool(t, session, "tcg_validate", object{"file": vatFile, "content": vatBroken, "depth": depth}))
		assertClean(t, callTool(t, session, "tcg_validate", object{"file": vatFile, "content": vatFixed, "depth": depth}))
	}
}

// waitingBuildScript runs until a file exists, which this test makes.
func waitingBuildScript(t *testing.T, project *tsproject.Project) (content string, open func()) {
	t.Helper()
	gate := filepath.Join(t.TempDir(), "gate")
	content = mistake{
		name: "wait", file: "crates/catalog/build.rs", find: "fn main() {",
		text: fmt.Sprintf("fn main() {\n    while !Path::new(%q).exists() {\n        std::thread::sleep(std::time::Duration::from_millis(10));\n    }", gate),
	}.content(t, project)
	return content, func() { require.NoError(t, os.WriteFile(gate, nil, 0o600)) }
}

// askWaiting asks about a build script that waits, and returns once it runs.
func askWaiting(t *testing.T, session *mcppipe.Session, content string) (id string) {
	t.Helper()
	id = request(t, session, object{"file": "crates/catalog/build.rs", "content": content, "depth": "full"})
	eventually(t, "the build script runs", func() bool { return running(session.Pid(), "build-script-build") })
	return id
}

func running(session int, name string) bool {
	return slices.ContainsFunc(proctable.InSession(session), func(p proctable.Process) bool {
		return p.State != "Z" && strings.Contains(strings.Join(p.Command, " "), name)
	})
}

// A check of ours, however long it takes, delays no build of the user's.
func TestTheUsersBuildIsNotDelayedByACheck(t *testing.T) {
	t.Parallel()
	project := newRustShop(t)
	cargoBuild(t, project.Dir)
	session := rust.serve(t, project)
	content, open := waitingBuildScript(t, project)
	id := askWaiting(t, session, content)
	text, err := project.Read(vatFile)
	require.NoError(t, err)
	require.NoError(t, project.Write(vatFile, text+"// edited\n"))
	assert.Contains(t, cargoBuild(t, project.Dir), "Compiling checkout")
	assert.True(t, running(session.Pid(), "build-script-build"), "the check was over before the build")
	open()
	assertClean(t, answerTo(t, session, id))
}

// SIGKILL of the server while all there can be is running: the analyzer, its
// server for procedural macros, cargo and what cargo runs.
func TestKilledServerLeavesNoCargoBehind(t *testing.T) {
	t.Parallel()
	project := newRustShop(t)
	session := rust.processIn(t, project, rust.environment(t), true)
	shakeHands(t, session)
	rust.load(t, session)
	content, _ := waitingBuildScript(t, project)
	askWaiting(t, session, content)
	for _, name := range []string{"rust-analyzer", "proc-macro-srv", "cargo", "build-script-build"} {
		require.True(t, running(session.Pid(), name), "%s is not there to be left behind", name)
	}
	began := time.Now()
	require.NoError(t, session.Signal(syscall.SIGKILL))
	require.Error(t, session.Wait(within60s(t)))
	assertNobodyLeft(t, session.Pid())
	t.Logf("everybody was gone after %d ms; two seconds are promised", time.Since(began).Milliseconds())
}

// A cargo that somebody kills has not judged anything.
func TestKilledCargoIsNoAllClear(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{"cargo", "build-script-build"} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			project := newRustShop(t)
			session := rust.serve(t, project)
			content, open := waitingBuildScript(t, project)
			id := askWaiting(t, session, content)
			for _, p := range proctable.InSession(session.Pid()) {
				if len(p.Command) > 0 && filepath.Base(p.Command[0]) == victim && slices.Contains([]string{"cargo", "build-script-build"}, filepath.Base(p.Command[0])) {
					kill(t, p.Pid)
				}
			}
			result := answerTo(t, session, id)
			assert.NotEqual(t, "clean", judged(t, result).Verdict, "%s", result.Text)
			open()
			result = callTool(t, session, "tcg_validate", object{"file": "crates/catalog/build.rs", "content": content, "depth": "full"})
			assertClean(t, result)
			assertNoZombie(t, session)
		})
	}
}
