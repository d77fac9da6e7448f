//go:build unix

package acceptance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
)

// Every other test runs with nothing on PATH but a Rust toolchain where that is
// what is asked. Here the first thing on it is a vibe, and a node, that must
// not be run.
func TestServerRunsNothingFromThePath(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testServerRunsNothingFromThePath)
}

func testServerRunsNothingFromThePath(t *testing.T, l language) {
	t.Helper()
	traps := t.TempDir()
	marker := filepath.Join(t.TempDir(), "sprung")
	for _, name := range []string{"vibe", "node", "npm", "npx", "tsc", "typescript-ai-native-tcg", "rust-ai-native-tcg", "git"} {
		script := "#!/bin/sh\necho \"$0 $*\" >> '" + marker + "'\nexit 1\n"
		require.NoError(t, os.WriteFile(filepath.Join(traps, name), []byte(script), 0o755))
	}
	session := l.processIn(t, l.newProject(t), l.environment(t, traps, "/usr/bin", "/bin"), false)
	shakeHands(t, session)
	var answers []mcppipe.ToolResult
	for _, q := range l.questions {
		answers = append(answers, callTool(t, session, q.Name, q.Arguments))
	}
	l.assertAnswers(t, answers)
	assert.NoFileExists(t, marker)
}
