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
	require.NoError(t, fx.ValidateApp(Standalone(tcgfamily.TypeScript, ServerOptions{Root: t.TempDir()}, slog.New(slog.DiscardHandler), io.Discard), over(strings.NewReader(""), io.Discard)))
}

func TestTheEndOfInputEndsTheProgramWithItsAnswersGiven(t *testing.T) {
	var out, stderr bytes.Buffer
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
	code := run(fx.New(Standalone(tcgfamily.TypeScript, ServerOptions{Root: t.TempDir()}, slog.New(slog.DiscardHandler), &stderr), over(in, &out)), &stderr)
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
	code := run(fx.New(Standalone(tcgfamily.TypeScript, ServerOptions{Root: t.TempDir()}, slog.New(slog.DiscardHandler), &stderr), over(in, out)), &stderr)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr.String(), "dead-channel: ")
	assert.Contains(t, stderr.String(), "fix: ")
}

func TestTheStopDoesNotWaitForABlockedRead(t *testing.T) {
	in, write := io.Pipe()
	defer write.Close() //nolint:errcheck // ends the abandoned reader
	app := fx.New(Standalone(tcgfamily.TypeScript, ServerOptions{Root: t.TempDir()}, slog.New(slog.DiscardHandler), io.Discard), over(in, io.Discard))
	require.NoError(t, app.Start(t.Context()))
	start := time.Now()
	require.NoError(t, app.Stop(t.Context()))
	assert.Less(t, time.Since(start), stopTimeout)
	require.NoError(t, in.Close())
}

// A host passes on whatever environment it has.
func TestOnlyAFlagCanAskForAnUnknownLogLevel(t *testing.T) {
	for _, c := range []struct {
		env  string
		args []string
		want string
	}{
		{"loud", nil, ""},
		{"debug", nil, "debug"},
		{"debug", []string{"--log", "info"}, "info"},
		{"loud", []string{"--log", "info"}, "info"},
	} {
		t.Setenv("VIBE_LOG", c.env)
		opts, err := parseServer(oracles.TypeScript(), c.args)
		require.NoError(t, err, "%+v", c)
		assert.Equal(t, c.want, opts.log, "%+v", c)
	}
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

func TestFlagsOfTheLanguageReachItsOracle(t *testing.T) {
	o, err := parseServer(oracles.TypeScript(), []string{"--idle-after", "1m", "--path", t.TempDir()})
	require.NoError(t, err)
	assert.Equal(t, []string{"--idle-after=1m0s"}, o.OracleFlags, "those that were set, and not the server's own")
	_, err = parseServer(oracles.TypeScript(), []string{"--idle-after", "soon"})
	require.Error(t, err)
}
