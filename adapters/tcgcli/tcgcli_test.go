package tcgcli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/adapters/tcgcli"
	"vibevm.org/tcgfamily/oracleproto"
)

// judge answers with what the fake backend's own language has no words for.
func judge(doc oracle.Document) oracle.Validation {
	v := oracle.Validation{
		Context:  oracle.Context{Engine: oracleproto.Engine{Name: "typescript", Version: "7.0.2"}, Advice: []string{"look here"}},
		Coverage: oracleproto.CoverageCompiler,
	}
	switch doc.Text {
	case "error":
		v.Diagnostics = []oracleproto.Diagnostic{{Code: oracleproto.NumberCode(2322), Category: "error", Message: "no\n  because", Line: 3, Character: 7}}
	case "outside":
		v.Unknown = oracleproto.ReasonNotInProject
	}
	return v
}

// crash makes the text "crash" one that the compiler dies of.
func crash(_ context.Context, _ string, doc oracle.Document) error {
	if doc.Text == "crash" {
		return &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: "exit status 2", Recipe: "look at its last lines"}
	}
	return nil
}

// run runs a command line in a project with a.ts and returns what it printed.
func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runUntil(t.Context(), t, stdin, args...)
}

func runUntil(ctx context.Context, t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var fake *oracletest.Fake
	program := tcgcli.Program{Name: "oracle", Version: "9.9.9", Language: relay.Language{
		Name: "typescript",
		Backend: func(root string) oracle.Backend {
			fake = oracletest.NewFake(root)
			fake.Judge, fake.Before = judge, crash
			return fake
		},
	}}
	var out, errs bytes.Buffer
	code = tcgcli.Main(ctx, program, args, tcgcli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &errs})
	assert.True(t, fake == nil || fake.Closed(), "the compiler was left running")
	return code, out.String(), errs.String()
}

func TestExitCodesFollowTheVerdict(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.ts", []byte("error"), 0o644))

	code, stdout, stderr := run(t, "", "validate", "a.ts")
	assert.Equal(t, tcgcli.ExitErrors, code)
	assert.Contains(t, stdout, "a.ts:3:8 error TS2322: no\n  because\n")
	assert.Contains(t, stdout, "advice: look here")
	assert.Contains(t, stdout, "errors: a.ts, typescript 7.0.2")
	assert.Empty(t, stderr)

	code, stdout, _ = run(t, "", "validate", "--content-from", "-", "a.ts")
	assert.Equal(t, tcgcli.ExitClean, code)
	assert.Contains(t, stdout, "clean: a.ts")

	code, stdout, _ = run(t, "outside", "validate", "a.ts", "--content-from=-")
	assert.Equal(t, tcgcli.ExitUnknown, code)
	assert.Contains(t, stdout, "unknown (not-in-project): a.ts")

	code, stdout, stderr = run(t, "crash", "validate", "a.ts", "--content-from", "-")
	assert.Equal(t, tcgcli.ExitErrors, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "oracle-crashed: exit status 2\nfix: look at its last lines\n")

	code, _, stderr = run(t, "", "validate", "../a.ts")
	assert.Equal(t, tcgcli.ExitErrors, code)
	assert.Contains(t, stderr, "outside-root")
}

func TestContentAndRootComeFromWhereTheyAreSaid(t *testing.T) {
	root := t.TempDir()
	content := filepath.Join(t.TempDir(), "draft")
	require.NoError(t, os.WriteFile(content, []byte("error"), 0o644))

	code, stdout, _ := run(t, "", "validate", "new.ts", "--root", root, "--content-from", content, "--json")
	assert.Equal(t, tcgcli.ExitErrors, code)
	var res oracleproto.ValidateResult
	require.NoError(t, json.Unmarshal([]byte(stdout), &res))
	assert.Equal(t, oracleproto.VerdictErrors, res.Verdict)
	assert.Equal(t, oracleproto.SourceContent, res.Source)

	code, _, stderr := run(t, "", "validate", "new.ts", "--root", root, "--content-from", content+".absent")
	assert.Equal(t, tcgcli.ExitErrors, code)
	assert.Contains(t, stderr, "--content-from")
}

func TestQueriesPrintOneNamePerLine(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "name toFixed () => string\nname toString () => string\n"
	code, stdout, _ := run(t, text, "complete", "a.ts", "--content-from", "-", "--position", "3:0", "--prefix", "to", "--max", "1")
	assert.Equal(t, tcgcli.ExitClean, code)
	assert.Equal(t, "toFixed                  variable     () => string\n1 of 2 entries; more with --max or --prefix\n", stdout)

	_, stdout, _ = run(t, text, "scope", "a.ts", "--content-from", "-", "--globals")
	assert.Contains(t, stdout, "toString ")
	assert.Contains(t, stdout, "world                    global\n")

	_, stdout, _ = run(t, text, "type", "a.ts", "--content-from", "-", "--position", "1:2")
	assert.Equal(t, "toFixed: () => string\n\nA name.\n", stdout)

	_, stdout, _ = run(t, text, "type", "a.ts", "--content-from", "-", "--position", "3:0")
	assert.Contains(t, stdout, "nothing with a type at this position")

	code, _, stderr := run(t, text, "type", "a.ts", "--content-from", "-")
	assert.Equal(t, tcgcli.ExitUsage, code)
	assert.Contains(t, stderr, "--position 12:7")
}

// No answer is no verdict: never the exit code of a clean file, nor that of one
// with errors.
func TestAQuestionWithoutAnAnswerInTimeIsUnknown(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, command := range []string{"validate", "scope"} {
		code, stdout, stderr := run(t, "slow\n", command, "a.ts", "--content-from", "-", "--timeout", "20ms")
		assert.Equal(t, tcgcli.ExitUnknown, code, command)
		assert.Empty(t, stdout, command)
		assert.Equal(t, "oracle "+command+": timeout: no answer within 20ms\nfix: give it longer: --timeout 45s\n", stderr)
	}
}

func TestASignalEndsAQuestionAsCancelled(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, stdout, stderr := runUntil(ctx, t, "slow\n", "validate", "a.ts", "--content-from", "-")
	assert.Equal(t, tcgcli.ExitErrors, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "cancelled: a signal ended the question before its answer\nfix: run the command again\n")
}

func TestUsageMistakesExitTwoAndSaySo(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "Usage: oracle COMMAND"},
		{[]string{"nonsense"}, `unknown command "nonsense"`},
		{[]string{"validate"}, "FILE is missing"},
		{[]string{"validate", "a.ts", "b.ts"}, `unexpected argument "b.ts"`},
		{[]string{"validate", "--nonsense", "a.ts"}, "nonsense"},
		{[]string{"serve", "a.ts"}, `unexpected argument "a.ts"`},
		{[]string{"complete", "a.ts", "--max", "many"}, "max"},
		{[]string{"complete", "a.ts"}, "--position 12:7"},
		{[]string{"scope", "a.ts", "--position", "0:0"}, "--position 12:7"},
		{[]string{"validate", "a.ts", "--timeout", "soon"}, "timeout"},
	} {
		code, stdout, stderr := run(t, "", c.args...)
		assert.Equal(t, tcgcli.ExitUsage, code, "%v", c.args)
		assert.Contains(t, stderr, c.says, "%v", c.args)
		assert.Empty(t, stdout, "%v", c.args)
	}
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"complete", "-h"}, {"--version"}} {
		code, stdout, stderr := run(t, "", args...)
		assert.Equal(t, tcgcli.ExitClean, code, "%v", args)
		assert.NotEmpty(t, stdout, "%v", args)
		assert.Empty(t, stderr, "%v", args)
	}
}

func TestServeSpeaksTheProtocolUntilTheEndOfInput(t *testing.T) {
	code, stdout, stderr := run(t, `{"proto":1,"id":1,"op":"init"}`+"\n", "serve", "--root", t.TempDir())
	assert.Equal(t, tcgcli.ExitClean, code)
	assert.Contains(t, stdout, `"language":"typescript"`)
	assert.Empty(t, stderr)
}
