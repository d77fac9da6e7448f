package acceptance_test

import (
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
	// rust-analyzer's server for procedural macros has a folder there, which it
	// leaves when it is killed.
	env := environmentLeaving(t, "proc-macro-srv")
	for i, variable := range env {
		if strings.HasPrefix(variable, "PATH=") {
			env[i] = "PATH=" + path
		}
	}
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
