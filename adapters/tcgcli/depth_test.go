package tcgcli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/adapters/tcgcli"
)

// checked notes how files are to be validated.
type checked struct {
	*oracletest.Fake
	checks *[]oracle.Check
}

func (c checked) Validate(ctx context.Context, doc oracle.Document, check oracle.Check) (oracle.Validation, error) {
	*c.checks = append(*c.checks, check)
	return c.Fake.Validate(ctx, doc, check)
}

func TestALanguageWithDepths(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.rs", nil, 0o644))
	var checks []oracle.Check
	cleaned, refuse := "", error(nil)
	language := relay.Language{
		Name: "rust", Depths: true,
		Backend: func(root string) oracle.Backend { return checked{oracletest.NewFake(root), &checks} },
		Clean:   func(root string) ([]string, error) { cleaned = root; return []string{root + "/target/tcg"}, refuse },
	}
	main := func(args ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		code = tcgcli.Main(t.Context(), tcgcli.Program{Name: "oracle", Language: language}, args, tcgcli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		return code, out.String(), errs.String()
	}

	code, _, stderr := main("validate", "a.rs")
	assert.Equal(t, tcgcli.ExitClean, code, stderr)
	code, _, _ = main("validate", "a.rs", "--depth", "full", "--tests")
	assert.Equal(t, tcgcli.ExitClean, code)
	assert.Equal(t, []oracle.Check{{Depth: "auto"}, {Depth: "full", Tests: true}}, checks)
	code, _, stderr = main("validate", "a.rs", "--depth", "deep")
	assert.Equal(t, tcgcli.ExitUsage, code)
	assert.Contains(t, stderr, `--depth "deep" is not one of auto, native, full`)

	code, stdout, _ := main("clean")
	assert.Equal(t, tcgcli.ExitClean, code)
	assert.Contains(t, stdout, "removed "+cleaned+"/target/tcg")
	refuse = errors.New("it is in use")
	code, _, stderr = main("clean")
	assert.Equal(t, tcgcli.ExitErrors, code)
	assert.Contains(t, stderr, "it is in use")

	language.Depths, language.Clean = false, nil
	code, _, _ = main("validate", "a.rs", "--tests")
	assert.Equal(t, tcgcli.ExitUsage, code)
	code, _, _ = main("clean")
	assert.Equal(t, tcgcli.ExitUsage, code)
}
