package slotbinary_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/slotbinary"
	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/workspace"
)

// patience is for what a busy machine takes its time over.
const patience = 2 * time.Minute

// output runs an artifact.
func output(t *testing.T, path string) string {
	t.Helper()
	stdout, err := child.Run(t.Context(), child.Spec{Path: path}, nil)
	require.NoError(t, err)
	return string(stdout)
}

func failure(t *testing.T, err error, code workspace.Code) *workspace.Error {
	t.Helper()
	var failed *workspace.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, code, failed.Code, "%v", err)
	require.NotEmpty(t, failed.Fix())
	return failed
}

func TestSourcesAreBuiltWithTheirOwnTool(t *testing.T) {
	// What a person has set must neither spoil the build nor move its result.
	elsewhere := t.TempDir()
	t.Setenv("CARGO_TARGET_DIR", elsewhere)
	t.Setenv("CARGO_BUILD_TARGET", "no-such-target")
	t.Setenv("GOFLAGS", "-mod=mod -o=nowhere")
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOARCH", "386")
	for tool, sources := range map[string]map[string]string{"go": goSources(goHello), "cargo": cargoSources(rustHello)} {
		t.Run(tool, func(t *testing.T) {
			root := newProject(t)
			// The project may be a workspace of either tool.
			write(t, root, map[string]string{"go.work": "go 1.21\n", "Cargo.toml": "[workspace]\nmembers = []\n"})
			slot := install(t, root, trusted, "1.0.0", sources)
			var said []string
			builder := slotbinary.Builder{Progress: func(message string) { said = append(said, message) }}
			require.NoError(t, builder.Ensure(t.Context(), plan(t, root, workspace.Standing)))
			assert.Equal(t, "hello", output(t, artifactIn(slot)))
			assert.Equal(t, "building "+binaryName+" with "+tool, said[0])

			installed, err := workspace.Open(root)
			require.NoError(t, err)
			binary, err := installed.Binary(binaryName)
			require.NoError(t, err)
			assert.True(t, binary.Built)
			assert.Equal(t, artifactIn(slot), binary.Artifact)

			entries, err := os.ReadDir(filepath.Join(slot, "target", "release"))
			require.NoError(t, err)
			for _, entry := range entries {
				assert.NotContains(t, entry.Name(), ".building-")
			}
		})
	}
	entries, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestAFailedBuildLeavesTheArtifactAsItWas(t *testing.T) {
	t.Parallel()
	for tool, sources := range map[string]map[string]string{
		"go":    goSources("package main\n\nfunc main() { undefinedName() }\n"),
		"cargo": cargoSources("fn main() { undefined_name() }\n"),
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			root := newProject(t)
			slot := install(t, root, trusted, "1.0.0", sources)
			p := plan(t, root, workspace.Standing)
			err := slotbinary.Builder{}.Ensure(t.Context(), p)
			failed := failure(t, err, workspace.CodeBuildFailed)
			assert.Contains(t, failed.Error(), "undefined")
			assert.Contains(t, failed.Error(), tool+": exit status ")
			assert.Contains(t, failed.Fix(), "vibe bin build "+binaryName)
			assert.NoFileExists(t, p.Artifact)
			assert.NoFileExists(t, p.Output)

			write(t, slot, map[string]string{"target/release/" + filepath.Base(p.Artifact): "the one before"})
			_ = failure(t, slotbinary.Builder{}.Build(t.Context(), p), workspace.CodeBuildFailed)
			text, err := os.ReadFile(p.Artifact)
			require.NoError(t, err)
			assert.Equal(t, "the one before", string(text))
			assert.True(t, p.Output == p.Artifact || !exists(p.Output))
		})
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestAProgramOfAnotherNameIsNoArtifact(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	sources := cargoSources(rustHello)
	sources["oracle/Cargo.toml"] = strings.Replace(sources["oracle/Cargo.toml"], binaryName, "another", 1)
	install(t, root, "com.acme", "1.0.0", sources)
	err := slotbinary.Builder{}.Build(t.Context(), plan(t, root, workspace.AssumeYes))
	failed := failure(t, err, workspace.CodeBuildFailed)
	assert.Contains(t, failed.Error(), binaryName)
	assert.Contains(t, failed.Fix(), "vibe bin build "+binaryName+" --assume-yes")
}

func TestAMissingToolIsNamedWithItsRecipe(t *testing.T) {
	root := newProject(t)
	slot := install(t, root, trusted, "1.0.0", goSources(goHello))
	p := plan(t, root, workspace.Standing)
	t.Setenv("PATH", t.TempDir())
	missing := failure(t, slotbinary.Builder{}.Ensure(t.Context(), p), workspace.CodeToolMissing)
	assert.Contains(t, missing.Error(), "takes go, which is not on PATH")
	assert.Contains(t, missing.Fix(), "https://go.dev/dl")
	assert.NoDirExists(t, filepath.Join(slot, "target"))
}

func TestEnsureBuildsOnceAndBuildAgain(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	slot := install(t, root, trusted, "1.0.0", goSources(goHello))
	p := plan(t, root, workspace.Standing)
	require.NoError(t, slotbinary.Builder{}.Ensure(t.Context(), p))
	write(t, slot, map[string]string{"oracle/main.go": strings.Replace(goHello, "hello", "again", 1)})
	require.NoError(t, slotbinary.Builder{}.Ensure(t.Context(), p))
	assert.Equal(t, "hello", output(t, p.Artifact))
	require.NoError(t, slotbinary.Builder{}.Build(t.Context(), p))
	assert.Equal(t, "again", output(t, p.Artifact))
}

// slowCargo are sources whose build script says its process id and then
// waits for a file, which is not there.
func slowCargo(dir string) (sources map[string]string, pidFile, goOn string) {
	pidFile, goOn = filepath.Join(dir, "pid"), filepath.Join(dir, "go-on")
	sources = cargoSources(rustHello)
	sources["oracle/build.rs"] = `use std::{fs, path::Path, process, thread, time::Duration};
fn main() {
    fs::write(r"` + pidFile + `.new", process::id().to_string()).unwrap();
    fs::rename(r"` + pidFile + `.new", r"` + pidFile + `").unwrap();
    while !Path::new(r"` + goOn + `").exists() { thread::sleep(Duration::from_millis(20)); }
}
`
	return sources, pidFile, goOn
}

func awaitPid(t *testing.T, file string) int {
	t.Helper()
	require.True(t, childtest.Eventually(patience, func() bool { return exists(file) }), "the build script is not running")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	return pid
}

func TestAGivenUpBuildIsEndedWithAllItStarted(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	sources, pidFile, _ := slowCargo(t.TempDir())
	install(t, root, trusted, "1.0.0", sources)
	p := plan(t, root, workspace.Standing)
	ctx, giveUp := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- slotbinary.Builder{}.Ensure(ctx, p) }()
	pid := awaitPid(t, pidFile)
	giveUp()
	require.ErrorIs(t, <-ended, context.Canceled)
	childtest.RequireGone(t, patience, pid)
	assert.NoFileExists(t, p.Artifact)
}

func TestOfTwoBuildsOneBuildsAndTheOtherWaits(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	sources, pidFile, goOn := slowCargo(t.TempDir())
	install(t, root, trusted, "1.0.0", sources)
	p := plan(t, root, workspace.Standing)
	var builds sync.WaitGroup
	var mu sync.Mutex
	said := map[string]int{}
	count := func(message string) {
		mu.Lock()
		defer mu.Unlock()
		message, _, _ = strings.Cut(message, " (")
		said[message]++
	}
	waiting := func() int {
		mu.Lock()
		defer mu.Unlock()
		return said["waiting for another build of "+trusted+"/"+packageName]
	}
	start := func(build func(slotbinary.Builder) error) {
		builds.Go(func() { assert.NoError(t, build(slotbinary.Builder{Progress: count})) })
	}
	start(func(b slotbinary.Builder) error { return b.Ensure(t.Context(), p) })
	pid := awaitPid(t, pidFile)
	start(func(b slotbinary.Builder) error { return b.Ensure(t.Context(), p) })
	start(func(b slotbinary.Builder) error { return b.Build(t.Context(), p) })
	require.True(t, childtest.Eventually(patience, func() bool { return waiting() == 2 }))

	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	require.ErrorIs(t, slotbinary.Builder{}.Build(ctx, p), context.Canceled, "waiting can be given up")

	require.NoError(t, os.Remove(pidFile))
	write(t, filepath.Dir(goOn), map[string]string{"go-on": ""})
	builds.Wait()
	childtest.RequireGone(t, patience, pid)
	assert.NoFileExists(t, pidFile, "the build script ran once")
	assert.Equal(t, "hello", output(t, p.Artifact))
}

func TestABuilderThatDiesLeavesTheSlotFree(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	sources, pidFile, goOn := slowCargo(t.TempDir())
	install(t, root, trusted, "1.0.0", sources)
	self, err := os.Executable()
	require.NoError(t, err)
	other, err := child.Start(child.Spec{Path: self, Env: append(os.Environ(), holdRole+"="+root)})
	require.NoError(t, err)
	defer func() { assert.NoError(t, other.Close()) }()
	awaitPid(t, pidFile)

	p := plan(t, root, workspace.Standing)
	waits := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- slotbinary.Builder{Progress: func(message string) {
			if strings.HasPrefix(message, "waiting") {
				close(waits)
			}
		}}.Ensure(t.Context(), p)
	}()
	<-waits
	other.Kill()
	write(t, filepath.Dir(goOn), map[string]string{"go-on": ""})
	require.NoError(t, <-ended)
	assert.Equal(t, "hello", output(t, p.Artifact))
}
