package acceptance_test

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

func TestToolsListIsSmallPlainAndSorted(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testToolsListIsSmallPlainAndSorted)
}

func testToolsListIsSmallPlainAndSorted(t *testing.T, l language) {
	t.Helper()
	// Nothing about the listing depends on the project.
	session := l.serve(t, &tsproject.Project{Dir: t.TempDir()})
	result, err := session.Call(within60s(t), "tools/list", object{})
	require.NoError(t, err)
	assert.Less(t, len(result), 6<<10, "bytes of tools/list")
	var listed struct {
		Tools []struct {
			Name, Description string
			InputSchema       json.RawMessage
			Annotations       map[string]bool
		}
	}
	require.NoError(t, json.Unmarshal(result, &listed))
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		assert.Equal(t, map[string]bool{"readOnlyHint": true, "idempotentHint": true, "destructiveHint": false, "openWorldHint": false}, tool.Annotations)
		for _, keyword := range []string{"$ref", "anyOf", "oneOf", "allOf"} {
			assert.NotContains(t, string(tool.InputSchema), `"`+keyword+`"`, tool.Name)
		}
		assertPlainSchema(t, tool.Name, tool.InputSchema)
	}
	assert.Equal(t, fourTools, names)
	assert.NotContains(t, string(result), "outputSchema")
	// The words a host's tool search is asked for.
	for tool, words := range map[string][]string{
		"tcg_validate": {"compile", "type check", "diagnostics", "hypothetical"},
		"tcg_scope":    {"scope", "symbols"},
		"tcg_complete": {"complet", "members"},
		"tcg_type":     {"type", "documentation"},
	} {
		for _, listedTool := range listed.Tools {
			if listedTool.Name == tool {
				for _, word := range words {
					assert.Contains(t, strings.ToLower(listedTool.Description), word, tool)
				}
			}
		}
	}
}

// assertPlainSchema requires one type per property: some hosts drop a tool, or
// the whole request, over anything else.
func assertPlainSchema(t *testing.T, tool string, schema json.RawMessage) {
	t.Helper()
	var parsed struct {
		Type       any
		Properties map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(schema, &parsed), "%s: %s", tool, schema)
	assert.IsType(t, "", parsed.Type, "%s: a schema without exactly one type: %s", tool, schema)
	for name, property := range parsed.Properties {
		assertPlainSchema(t, tool+"."+name, property)
	}
}

func TestFourToolsAnswer(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		session := l.serve(t, l.newProject(t))
		var answers []mcppipe.ToolResult
		for _, q := range l.questions {
			answers = append(answers, callTool(t, session, q.Name, q.Arguments))
		}
		l.assertAnswers(t, answers)
	})
}

func TestHypotheticalContentIsForgottenAfterTheAnswer(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newShop(t))
	_, v := validate(t, session, object{"file": "src/money.ts", "content": "export const nothing = 1;\n"})
	assert.Equal(t, "clean", v.Verdict)
	_, v = validate(t, session, object{"file": "src/cart/cart.ts"})
	assert.Equal(t, "clean", v.Verdict, "the importer sees the file on disk again")
	assert.Equal(t, "disk", v.Source)
	_, v = validate(t, session, object{"file": "src/money.ts"})
	assert.Equal(t, "clean", v.Verdict)
	assert.Equal(t, "disk", v.Source)
}

// An edit made on disk by anybody is seen by the very next call.
func TestEditsOnDiskAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	session := serveShop(t, project)
	money, err := project.Read("src/money.ts")
	require.NoError(t, err)
	ask := func() []int {
		t.Helper()
		_, v := validate(t, session, object{"file": "src/cart/cart.ts"})
		require.NotEqual(t, "unknown", v.Verdict)
		return v.codes()
	}
	require.Empty(t, ask())

	require.NoError(t, project.Write("src/money.ts", strings.Replace(money, "export function times", "export function multiply", 1)))
	assert.Equal(t, []int{2305}, ask(), "an export was renamed")
	require.NoError(t, project.Write("src/money.ts", money))
	assert.Empty(t, ask(), "and renamed back")

	require.NoError(t, project.Write("src/fresh.ts", "export const fresh = 1;\n"))
	uses := "import { fresh } from \"./fresh\";\nexport const text: string = fresh;\n"
	_, v := validate(t, session, object{"file": "src/uses.ts", "content": uses})
	assert.Equal(t, []int{2322}, v.codes(), "a file was made")

	config, err := project.Read("tsconfig.json")
	require.NoError(t, err)
	unused := object{"file": "src/unused.ts", "content": "const unused = 1;\nexport {};\n"}
	_, v = validate(t, session, unused)
	assert.Equal(t, []int{6133}, v.codes())
	require.NoError(t, project.Write("tsconfig.json", strings.Replace(config, `"noUnusedLocals": true`, `"noUnusedLocals": false`, 1)))
	_, v = validate(t, session, unused)
	assert.Empty(t, v.codes(), "an option was turned off")
}

func TestPositionsCountUTF16Units(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newShop(t))
	// 💡 is two units, é one; the error is on the name after them.
	_, v := validate(t, session, object{"file": "src/emoji.ts", "content": "export const a = ['💡', 'é', missing];\n"})
	require.Equal(t, []int{2304}, v.codes())
	assert.Equal(t, 29, v.Diagnostics[0].Character)
	result := callTool(t, session, "tcg_type", object{"file": "src/emoji.ts", "content": "const a = '💡', b = 12;\nexport { a, b };\n", "position": "1:16"})
	assert.Contains(t, result.Text, "const b: 12")
}

func TestOneShotCommandLine(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testOneShotCommandLine)
}

func testOneShotCommandLine(t *testing.T, l language) {
	t.Helper()
	project := l.newProject(t)
	ask := func(stdin string, args ...string) (stdout string, exit int) {
		t.Helper()
		cmd := quietCommand(t, binary(t, l.oracle), args...)
		cmd.Dir, cmd.Env = project.Dir, l.environment(t)
		cmd.Stdin = strings.NewReader(stdin)
		output, err := cmd.Output()
		if cmd.ProcessState == nil {
			require.NoError(t, err)
		}
		return string(output), cmd.ProcessState.ExitCode()
	}
	output, exit := ask(l.broken, "validate", l.file, "--content-from", "-")
	assert.Equal(t, 1, exit)
	assert.Contains(t, output, l.code)
	output, exit = ask(l.fixed, "validate", l.file, "--content-from", "-", "--json")
	assert.Zero(t, exit)
	var v judgement
	require.NoError(t, json.Unmarshal([]byte(output), &v))
	assert.Equal(t, "clean", v.Verdict)
	output, exit = ask("", "validate", l.another, "--root", project.Dir)
	assert.Zero(t, exit, output)
	completion, typed, scope := l.questions[3].Arguments, l.questions[4].Arguments, l.questions[2].Arguments
	output, exit = ask(l.unfinished, "complete", l.file, "--content-from", "-", "--position", completion["position"].(string), "--prefix", l.prefix, "--max", "5")
	assert.Zero(t, exit)
	assert.Contains(t, output, l.completed)
	assert.NotContains(t, output, l.missed)
	output, exit = ask(l.fixed, "type", l.file, "--content-from", "-", "--position", typed["position"].(string))
	assert.Zero(t, exit)
	assert.Contains(t, output, l.typed)
	at := scope["position"].(object)
	output, exit = ask(l.fixed, "scope", l.file, "--content-from", "-", "--position", fmt.Sprintf("%v:%v", at["line"], at["character"]))
	assert.Zero(t, exit)
	assert.Contains(t, output, "goods")
	_, exit = ask("", "validate", "src/nothing"+path.Ext(l.file))
	assert.Equal(t, 1, exit)
	_, exit = ask("", "nonsense")
	assert.Equal(t, 2, exit)
	_, exit = ask("", "validate")
	assert.Equal(t, 2, exit)
}

// Everything a noisy tool says ends in its report; the session's own stderr
// stays silent, which the session's end asserts.
func TestStderrOfAToolIsItsReport(t *testing.T) {
	t.Parallel()
	result := callTool(t, testServer(t), "noisy", object{})
	assert.Contains(t, result.Text, "stray stderr")
}
