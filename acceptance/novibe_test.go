//go:build unix

package acceptance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
)

// Every other test runs with an empty PATH. Here the first thing on it is a
// vibe, and a node, that must not be run.
func TestServerRunsNothingFromThePath(t *testing.T) {
	t.Parallel()
	traps := t.TempDir()
	marker := filepath.Join(t.TempDir(), "sprung")
	for _, name := range []string{"vibe", "node", "npm", "npx", "tsc", "typescript-ai-native-tcg", "git"} {
		script := "#!/bin/sh\necho \"$0 $*\" >> '" + marker + "'\nexit 1\n"
		require.NoError(t, os.WriteFile(filepath.Join(traps, name), []byte(script), 0o755))
	}
	project := newShop(t)
	env := cleanEnvironment(t)
	for i, variable := range env {
		if rest, ok := strings.CutPrefix(variable, "PATH="); ok {
			env[i] = "PATH=" + traps + ":" + rest + ":/usr/bin:/bin"
		}
	}
	session := start(t, mcppipe.Server{Path: binary(t, "apps/typescript-ai-native-mcp"), Args: []string{"--path", project.Dir}, Env: env}, false)
	_, err := session.Initialize(within60s(t))
	require.NoError(t, err)
	var answers []mcppipe.ToolResult
	for _, q := range questions {
		answers = append(answers, callTool(t, session, q.Name, q.Arguments))
	}
	assertAnswers(t, answers)
	assert.NoFileExists(t, marker)
}
