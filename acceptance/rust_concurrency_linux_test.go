package acceptance_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	awaitBuildScript(t, session)
	return id
}

func awaitBuildScript(t *testing.T, session *mcppipe.Session) {
	t.Helper()
	eventually(t, "the build script runs", func() bool { return len(running(session, "build-script-build")) > 0 })
}

// running are the processes of a server's session that run this program.
func running(session *mcppipe.Session, program string) []proctable.Process {
	return slices.DeleteFunc(proctable.InSession(session.Pid()), func(p proctable.Process) bool {
		return len(p.Command) == 0 || filepath.Base(p.Command[0]) != program
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
	assert.NotEmpty(t, running(session, "build-script-build"), "the check was over before the build")
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
	for _, program := range []string{"rust-analyzer", "rust-analyzer-proc-macro-srv", "cargo", "build-script-build"} {
		require.NotEmpty(t, running(session, program), "%s is not there to be left behind", program)
	}
	began := time.Now()
	require.NoError(t, session.Signal(syscall.SIGKILL))
	require.Error(t, session.Wait(within60s(t)))
	assertNobodyLeft(t, session.Pid())
	t.Logf("everybody was gone after %d ms; two seconds are promised", time.Since(began).Milliseconds())
}

// A cargo that somebody kills, or what it runs, has not judged anything.
func TestKilledCargoIsNoAllClear(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{"cargo", "build-script-build"} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			project := newRustShop(t)
			content, open := waitingBuildScript(t, project)
			require.NoError(t, project.Write("crates/catalog/build.rs", content))
			session := rust.serve(t, project)
			question := object{"file": searchFile, "depth": "full"}
			id := request(t, session, question)
			awaitBuildScript(t, session)
			for _, p := range running(session, victim) {
				kill(t, p.Pid)
			}
			result := answerTo(t, session, id)
			assert.Equal(t, "unknown", judged(t, result).Verdict, "%s", result.Text)
			open()
			assertClean(t, callTool(t, session, "tcg_validate", question))
			assertNoZombie(t, session)
		})
	}
}
