package acceptance_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/rsproject"
	"vibevm.org/acceptance/tsproject"
)

// newRustShop copies the sample workspace.
func newRustShop(t *testing.T) *tsproject.Project {
	t.Helper()
	project, err := rsproject.Copy(filepath.Join(t.TempDir(), "rs-shop"))
	require.NoError(t, err)
	return project
}

// rustEnvironment is the clean environment with rust-analyzer, cargo and a
// linker on its PATH, after the directories that are given.
func rustEnvironment(t *testing.T, first ...string) []string {
	t.Helper()
	path, err := rsproject.Path(first...)
	require.NoError(t, err)
	// rust-analyzer, its server for procedural macros, and the linker keep
	// things there, which they leave when they are killed.
	env := withPath(environmentLeaving(t, "rust-analyzer", "proc-macro-srv", "rustc", "cc"), path)
	return append(env, rsproject.Homes()...)
}

// serveRust starts the Rust server on a project and shakes hands.
func serveRust(t *testing.T, project *tsproject.Project, flags ...string) *mcppipe.Session {
	t.Helper()
	session := start(t, mcppipe.Server{
		Path: binary(t, "apps/rust-ai-native-mcp"),
		Args: append([]string{"--path", project.Dir}, flags...),
		Env:  rustEnvironment(t),
	}, false)
	_, err := session.Initialize(within60s(t))
	require.NoError(t, err)
	return session
}

// runCargo runs cargo on a project and returns what it says on stderr.
func runCargo(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "cargo", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	return stderr.String(), err
}

// cargoBuild builds a project as its user would, and returns what cargo had to
// compile.
func cargoBuild(t *testing.T, dir string) string {
	t.Helper()
	said, err := runCargo(within60s(t), dir, "build", "--offline")
	require.NoError(t, err, "%s", said)
	var compiled []string
	for line := range strings.Lines(said) {
		if strings.Contains(line, "Compiling") {
			compiled = append(compiled, line)
		}
	}
	return strings.Join(compiled, "")
}
