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
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/adapters/tcgcli"
	"vibevm.org/tcgfamily/oracleproto"
)

// backend answers every question from the text alone.
type backend struct{ closed *int }

var engine = oracle.Context{Engine: oracleproto.Engine{Name: "typescript", Version: "7.0.2"}, Advice: []string{"look here"}}

func (backend) Sync(context.Context, []oracle.Change) error { return nil }

func (backend) Validate(_ context.Context, doc oracle.Document) (oracle.Validation, error) {
	v := oracle.Validation{Context: engine, Coverage: oracleproto.CoverageCompiler}
	switch doc.Text {
	case "error":
		v.Diagnostics = []oracleproto.Diagnostic{{Code: oracleproto.NumberCode(2322), Category: "error", Message: "no\n  because", Line: 3, Character: 7}}
	case "outside":
		v.Unknown = oracleproto.ReasonNotInProject
	case "crash":
		return v, &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: "exit status 2", Recipe: "look at its last lines"}
	}
	return v, nil
}

func (backend) Complete(_ context.Context, _ oracle.Document, _ oracleproto.Position, prefix string, limit int) (oracle.Completions, error) {
	return oracle.Completions{Context: engine, Total: limit + 1, Entries: []oracleproto.Entry{{Name: prefix + "Fixed", Kind: "method", TypeText: "() => string"}}}, nil
}

func (backend) Type(_ context.Context, _ oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	if at.Character == 0 {
		return oracle.TypeInfo{Context: engine}, nil
	}
	return oracle.TypeInfo{Context: engine, Display: "const x: number", Documentation: "A number."}, nil
}

func (backend) Scope(_ context.Context, _ oracle.Document, _ oracleproto.Position, globals bool) (oracle.Scope, error) {
	s := oracle.Scope{Context: engine, Symbols: []oracleproto.Symbol{{Name: "x", Kind: "const", TypeText: "number"}}}
	if globals {
		s.Globals = []string{"Array"}
	}
	return s, nil
}

func (b backend) Close() error { *b.closed++; return nil }

// run runs a command line in a project with a.ts and returns what it printed.
func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	closed := 0
	program := tcgcli.Program{Name: "oracle", Version: "9.9.9", Language: relay.Language{
		Name:    "typescript",
		Backend: func(string) oracle.Backend { return backend{&closed} },
	}}
	var out, errs bytes.Buffer
	code = tcgcli.Main(t.Context(), program, args, tcgcli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &errs})
	assert.LessOrEqual(t, closed, 1)
	return code, out.String(), errs.String()
}

func TestExitCodesFollowTheVerdict(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.ts", []byte("error"), 0o644))

	code, stdout, stderr := run(t, "", "validate", "a.ts")
	assert.Equal(t, tcgcli.ExitErrors, code)
	assert.Contains(t, stdout, "a.ts:3:7 error TS2322: no\n  because\n")
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
	code, stdout, _ := run(t, "text", "complete", "a.ts", "--content-from", "-", "--position", "1:1", "--prefix", "to", "--max", "3")
	assert.Equal(t, tcgcli.ExitClean, code)
	assert.Contains(t, stdout, "toFixed")
	assert.Contains(t, stdout, "1 of 4 entries")

	_, stdout, _ = run(t, "text", "scope", "a.ts", "--content-from", "-", "--globals")
	assert.Contains(t, stdout, "Array")

	_, stdout, _ = run(t, "text", "type", "a.ts", "--content-from", "-", "--position", "1:2")
	assert.Contains(t, stdout, "const x: number\n\nA number.\n")

	_, stdout, _ = run(t, "text", "type", "a.ts", "--content-from", "-", "--position", "1:0")
	assert.Contains(t, stdout, "nothing with a type at this position")

	code, _, stderr := run(t, "text", "type", "a.ts", "--content-from", "-")
	assert.Equal(t, tcgcli.ExitErrors, code)
	assert.Contains(t, stderr, "bad-arguments")
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
