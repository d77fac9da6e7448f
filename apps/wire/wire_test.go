package wire

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"
	"go.uber.org/goleak"

	"vibevm.org/adapters/tcgcli"
	"vibevm.org/apps/oracles"
	"vibevm.org/core"
	"vibevm.org/tcgfamily"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// over is a transport over in-memory ends.
func over(in io.Reader, out io.Writer) fx.Option {
	return fx.Provide(func() core.Transport { return core.NewTransport(in, out) })
}

func TestTheStandaloneGraphIsComplete(t *testing.T) {
	require.NoError(t, fx.ValidateApp(Standalone(tcgfamily.TypeScript, t.TempDir(), slog.New(slog.DiscardHandler), io.Discard), over(strings.NewReader(""), io.Discard)))
}

func TestTheEndOfInputEndsTheProgramWithItsAnswersGiven(t *testing.T) {
	var out, stderr bytes.Buffer
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
	code := run(fx.New(Standalone(tcgfamily.TypeScript, t.TempDir(), slog.New(slog.DiscardHandler), &stderr), over(in, &out)), &stderr)
	assert.Zero(t, code)
	assert.Empty(t, stderr.String())
	assert.Contains(t, out.String(), `"name":"typescript-ai-native-mcp"`)
	for _, name := range []string{"tcg_validate", "tcg_scope", "tcg_complete", "tcg_type"} {
		assert.Contains(t, out.String(), name)
	}
}

func TestAClosedOutputEndsTheProgramWithAnError(t *testing.T) {
	_, out := io.Pipe()
	require.NoError(t, out.Close())
	var stderr bytes.Buffer
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	code := run(fx.New(Standalone(tcgfamily.TypeScript, t.TempDir(), slog.New(slog.DiscardHandler), &stderr), over(in, out)), &stderr)
	assert.Equal(t, 1, code)
	assert.NotEmpty(t, stderr.String())
}

func TestTheStopDoesNotWaitForABlockedRead(t *testing.T) {
	in, write := io.Pipe()
	defer write.Close() //nolint:errcheck // ends the abandoned reader
	app := fx.New(Standalone(tcgfamily.TypeScript, t.TempDir(), slog.New(slog.DiscardHandler), io.Discard), over(in, io.Discard))
	require.NoError(t, app.Start(t.Context()))
	start := time.Now()
	require.NoError(t, app.Stop(t.Context()))
	assert.Less(t, time.Since(start), stopTimeout)
	require.NoError(t, in.Close())
}

func TestCommandLineOfTheServer(t *testing.T) {
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"--version"}, 0, "typescript-ai-native-mcp " + oracles.Version, ""},
		{[]string{"--help"}, 0, "--path DIR", ""},
		{[]string{"--nonsense"}, 2, "", "nonsense"},
		{[]string{"extra"}, 2, "", `unexpected argument "extra"`},
		{[]string{"--log", "loud"}, 2, "", "loud"},
		{[]string{"tcg", "--version"}, 0, oracles.Version, ""},
		{[]string{"tcg", "nonsense"}, 2, "", "nonsense"},
	} {
		var stdout, stderr bytes.Buffer
		code := RunStandalone(oracles.TypeScript(), c.args, tcgcli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
		assert.Equal(t, c.code, code, "%v", c.args)
		assert.Contains(t, stdout.String(), c.stdout, "%v", c.args)
		assert.Contains(t, stderr.String(), c.stderr, "%v", c.args)
	}
}
