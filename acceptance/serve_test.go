package acceptance_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// patience bounds every wait for something that normally takes milliseconds.
const patience = 60 * time.Second

func within60s(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// cleanEnvironment is an environment with an empty PATH: no vibe, no node,
// nothing a server could lean on. Its temporary folder must be empty in the end.
func cleanEnvironment(t *testing.T) []string {
	t.Helper()
	return environmentLeaving(t)
}

// environmentWith is a clean environment with these directories on its PATH.
func environmentWith(t *testing.T, dirs ...string) []string {
	t.Helper()
	return withPath(cleanEnvironment(t), dirs...)
}

// withPath replaces the PATH of an environment, unless there is nothing to
// replace it by.
func withPath(env []string, dirs ...string) []string {
	for i, variable := range env {
		if strings.HasPrefix(variable, "PATH=") && len(dirs) > 0 {
			env[i] = "PATH=" + strings.Join(dirs, string(os.PathListSeparator))
		}
	}
	return env
}

// environmentLeaving is a clean environment whose temporary folder may hold
// things with these beginnings of their names in the end.
func environmentLeaving(t *testing.T, tolerated ...string) []string {
	t.Helper()
	dir := t.TempDir()
	temp := filepath.Join(dir, "tmp")
	for _, name := range []string{"bin", "home", "tmp"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	t.Cleanup(func() {
		left, err := os.ReadDir(temp)
		assert.NoError(t, err)
		left = slices.DeleteFunc(left, func(e os.DirEntry) bool {
			return slices.ContainsFunc(tolerated, func(beginning string) bool { return strings.HasPrefix(e.Name(), beginning) })
		})
		assert.Empty(t, left, "temporary files left behind")
	})
	env := []string{
		"PATH=" + filepath.Join(dir, "bin"), "HOME=" + filepath.Join(dir, "home"), "USERPROFILE=" + filepath.Join(dir, "home"),
		"TMPDIR=" + temp, "TEMP=" + temp, "TMP=" + temp,
	}
	for _, name := range []string{"SystemRoot", "GOCOVERDIR"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// start starts a server that the test's end holds to account; see settle.
func start(t *testing.T, server mcppipe.Server, mayFail bool) *mcppipe.Session {
	t.Helper()
	if server.Env == nil {
		server.Env = cleanEnvironment(t)
	}
	session, err := mcppipe.Start(server)
	require.NoError(t, err)
	t.Cleanup(func() { settle(t, session, mayFail) })
	return session
}

// settle closes a server's stdin and checks what holds for every session: exit
// status 0 and silence on stderr unless mayFail, nothing but frames on stdout,
// and no process left behind.
func settle(t *testing.T, session *mcppipe.Session, mayFail bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := session.Close(ctx); !mayFail {
		assert.NoError(t, err, "how the server ended")
		assert.Empty(t, session.Stderr(), "stderr")
	}
	if err := session.Violation(); err != nil {
		t.Error(err)
	}
	assertNobodyLeft(t, session.Pid())
}

// shopServer starts the TypeScript server on a project without a handshake.
func shopServer(t *testing.T, project *tsproject.Project) *mcppipe.Session {
	t.Helper()
	return start(t, mcppipe.Server{Path: binary(t, "apps/typescript-ai-native-mcp"), Args: []string{"--path", project.Dir}}, false)
}

// serveShop starts the TypeScript server on a project and shakes hands.
func serveShop(t *testing.T, project *tsproject.Project) *mcppipe.Session {
	t.Helper()
	session := shopServer(t, project)
	_, err := session.Initialize(within60s(t))
	require.NoError(t, err)
	return session
}

type object = map[string]any

// validation is the structured content of tcg_validate.
type validation struct {
	Verdict     string           `json:"verdict"`
	Reason      string           `json:"reason"`
	Source      string           `json:"source"`
	Coverage    string           `json:"coverage"`
	ConfigFile  string           `json:"config_file"`
	File        string           `json:"file"`
	Engine      *engine          `json:"engine"`
	Diagnostics []diagnostic     `json:"diagnostics"`
	Conform     *json.RawMessage `json:"conform_findings"`
	Advice      *[]string        `json:"advice"`
	Facts       *json.RawMessage `json:"facts"`
	Markers     *json.RawMessage `json:"markers"`
	Error       *failure         `json:"error"`
}

type engine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type diagnostic struct {
	Code      int    `json:"code"`
	Category  string `json:"category"`
	Message   string `json:"message"`
	Line      int    `json:"line"`
	Character int    `json:"character"`
}

// failure is structuredContent.error of every failed call.
type failure struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
	Recipe string `json:"recipe"`
}

func (v validation) codes() []int {
	codes := []int{}
	for _, d := range v.Diagnostics {
		codes = append(codes, d.Code)
	}
	return codes
}

// callTool calls a tool and requires a tool result, not a protocol error.
func callTool(t *testing.T, session *mcppipe.Session, tool string, arguments object) mcppipe.ToolResult {
	t.Helper()
	result, err := session.CallTool(within60s(t), tool, arguments)
	require.NoError(t, err)
	return result
}

// validate asks for the verdict on a file.
func validate(t *testing.T, session *mcppipe.Session, arguments object) (mcppipe.ToolResult, validation) {
	t.Helper()
	result := callTool(t, session, "tcg_validate", arguments)
	var v validation
	require.NoError(t, result.Decode(&v), "%s", result.Text)
	return result, v
}

// answerTo waits for the answer to a call that was sent.
func answerTo(t *testing.T, session *mcppipe.Session, id string) mcppipe.ToolResult {
	t.Helper()
	frame, err := session.Answer(within60s(t), id)
	require.NoError(t, err, "a call that was received is answered")
	result, err := mcppipe.ParseToolResult(frame.Result)
	require.NoError(t, err)
	return result
}
