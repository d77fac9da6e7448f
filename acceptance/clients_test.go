package acceptance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client"
	mcpgotypes "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// nodeClients is a folder with the client scripts and their packages.
var nodeClients = sync.OnceValues(func() (string, error) {
	root, err := tsproject.Repository()
	if err != nil {
		return "", err
	}
	installed, err := tsproject.Installed("clients")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(scratch, "clients")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "acceptance", "testdata", "clients"))); err != nil {
		return "", err
	}
	return dir, os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules"))
})

// node is a command that runs a script with node in a clean environment.
func node(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := exec.LookPath("node")
	require.NoError(t, err, "install Node.js 20 or newer")
	return quietCommand(t, exe, append([]string{script}, args...)...)
}

func TestTypeScriptSDKClients(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testTypeScriptSDKClients)
}

func testTypeScriptSDKClients(t *testing.T, l language) {
	t.Helper()
	dir, err := nodeClients()
	require.NoError(t, err)
	asked, err := json.Marshal(l.questions)
	require.NoError(t, err)
	for _, client := range []struct{ script, mode string }{
		{"sdk-v1.mjs", ""},
		{"sdk-v2.mjs", "default"},
		{"sdk-v2.mjs", "legacy"},
		// Starts a second server to probe for the revision of 2026.
		{"sdk-v2.mjs", "auto"},
	} {
		t.Run(client.script+" "+client.mode, func(t *testing.T) {
			t.Parallel()
			project := l.newProject(t)
			file := filepath.Join(t.TempDir(), "questions.json")
			require.NoError(t, os.WriteFile(file, asked, 0o600))
			cmd := node(t, filepath.Join(dir, client.script), file, binary(t, l.server), "--path", project.Dir)
			cmd.Env = append(l.environment(t), "MODE="+client.mode)
			output, err := cmd.Output()
			require.NoError(t, err, "%s", stderrOf(err))
			var report struct {
				Server  struct{ Name, Version string }
				Tools   json.RawMessage
				Answers []json.RawMessage
				Unknown int
			}
			require.NoError(t, json.Unmarshal(output, &report), "%s", output)
			assert.Equal(t, path.Base(l.server), report.Server.Name)
			assert.Equal(t, fourTools, toolNames(t, report.Tools))
			assert.Equal(t, -32601, report.Unknown, "the code of the error for an unknown tool")
			var answers []mcppipe.ToolResult
			for _, raw := range report.Answers {
				answer, err := mcppipe.ParseToolResult(raw)
				require.NoError(t, err)
				answers = append(answers, answer)
			}
			l.assertAnswers(t, answers)
			assertNobodyServes(t, project.Dir)
		})
	}
}

func TestGoSDKClient(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testGoSDKClient)
}

func testGoSDKClient(t *testing.T, l language) {
	t.Helper()
	project := l.newProject(t)
	ctx := within60s(t)
	cmd := exec.CommandContext(ctx, binary(t, l.server), "--path", project.Dir)
	cmd.Env = l.environment(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "acceptance-go-sdk", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	assert.Equal(t, mcppipe.Revision, session.InitializeResult().ProtocolVersion)

	listed, err := session.ListTools(ctx, nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	assert.Equal(t, fourTools, names)

	var answers []mcppipe.ToolResult
	for _, q := range l.questions {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: q.Name, Arguments: q.Arguments})
		require.NoError(t, err)
		require.Len(t, result.Content, 1)
		structured, err := json.Marshal(result.StructuredContent)
		require.NoError(t, err)
		answers = append(answers, mcppipe.ToolResult{
			Text: result.Content[0].(*mcp.TextContent).Text, Structured: structured, IsError: result.IsError,
		})
	}
	l.assertAnswers(t, answers)
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "no_such_tool"})
	require.Error(t, err)
	require.NoError(t, session.Ping(ctx, nil))
	require.NoError(t, session.Close())
	assertNobodyServes(t, project.Dir)
}

func TestMCPGoClient(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testMCPGoClient)
}

func testMCPGoClient(t *testing.T, l language) {
	t.Helper()
	project := l.newProject(t)
	ctx := within60s(t)
	client, err := mcpgo.NewStdioMCPClient(binary(t, l.server), l.environment(t), "--path", project.Dir)
	require.NoError(t, err)
	request := mcpgotypes.InitializeRequest{}
	request.Params.ProtocolVersion = mcpgotypes.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcpgotypes.Implementation{Name: "acceptance-mcp-go", Version: "1"}
	initialized, err := client.Initialize(ctx, request)
	require.NoError(t, err)
	assert.Equal(t, mcppipe.Revision, initialized.ProtocolVersion)

	listed, err := client.ListTools(ctx, mcpgotypes.ListToolsRequest{})
	require.NoError(t, err)
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	assert.Equal(t, fourTools, names)

	var answers []mcppipe.ToolResult
	for _, q := range l.questions {
		call := mcpgotypes.CallToolRequest{}
		call.Params.Name, call.Params.Arguments = q.Name, q.Arguments
		result, err := client.CallTool(ctx, call)
		require.NoError(t, err)
		require.Len(t, result.Content, 1)
		answers = append(answers, mcppipe.ToolResult{
			Text: result.Content[0].(mcpgotypes.TextContent).Text, Structured: result.RawStructuredContent, IsError: result.IsError,
		})
	}
	l.assertAnswers(t, answers)
	require.NoError(t, client.Close())
	assertNobodyServes(t, project.Dir)
}

// The inspector starts a server per question, in the project's folder.
func TestInspectorCommandLine(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testInspectorCommandLine)
}

func testInspectorCommandLine(t *testing.T, l language) {
	t.Helper()
	installed, err := tsproject.Installed("clients")
	require.NoError(t, err)
	launcher := filepath.Join(installed, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	server := binary(t, l.server)
	project := l.newProject(t)
	inspect := func(t *testing.T, args ...string) (result json.RawMessage, exit int) {
		t.Helper()
		cmd := node(t, launcher, append([]string{"--cli", server}, append(args, "--format", "json", "-q")...)...)
		cmd.Dir, cmd.Env = project.Dir, l.environment(t)
		output, err := cmd.Output()
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			require.NoError(t, err)
		}
		var printed struct{ Result json.RawMessage }
		require.NoError(t, json.Unmarshal(output, &printed), "%s %s", output, stderrOf(err))
		return printed.Result, cmd.ProcessState.ExitCode()
	}
	t.Run("tools/list, strict about the schemas", func(t *testing.T) {
		t.Parallel()
		output, exit := inspect(t, "--method", "tools/list", "--strict")
		require.Zero(t, exit, "%s", output)
		var listed struct{ Tools json.RawMessage }
		require.NoError(t, json.Unmarshal(output, &listed), "%s", output)
		assert.Equal(t, fourTools, toolNames(t, listed.Tools))
	})
	t.Run("tools/call", func(t *testing.T) {
		t.Parallel()
		var answers []mcppipe.ToolResult
		for _, q := range l.questions {
			args := []string{"--method", "tools/call", "--tool-name", q.Name}
			for name, value := range q.Arguments {
				text, isText := value.(string)
				if !isText {
					encoded, err := json.Marshal(value)
					require.NoError(t, err)
					text = string(encoded)
				}
				args = append(args, "--tool-arg", fmt.Sprintf("%s=%s", name, text))
			}
			output, exit := inspect(t, args...)
			answer, err := mcppipe.ParseToolResult(output)
			require.NoError(t, err, "exit status %d: %s", exit, output)
			if answer.IsError {
				assert.Equal(t, 5, exit, "the inspector's exit status for isError")
			} else {
				assert.Zero(t, exit)
			}
			answers = append(answers, answer)
		}
		l.assertAnswers(t, answers)
	})
}

// assertNobodyServes fails if a process that was started for a project is
// still there after its client has left.
func assertNobodyServes(t *testing.T, project string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for {
		left := processesNaming(project)
		if len(left) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			t.Errorf("processes left behind: %v", left)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}
