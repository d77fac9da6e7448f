//go:build unix

package native

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// planted is a backend whose compiler is a shell script.
func planted(t *testing.T, script string) (*Backend, func(time.Duration) error) {
	t.Helper()
	root := t.TempDir()
	exe := filepath.Join(root, "tsc")
	write(t, exe, "#!/bin/sh\n"+script)
	require.NoError(t, os.Chmod(exe, 0o755))
	b := New(root, Compiler{Version: "7.0.2", Exe: exe})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b, func(d time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		_, err := b.Validate(ctx, oracle.Document{Path: filepath.Join(root, "a.ts"), Text: ""}, oracle.Check{})
		return err
	}
}

func TestACompilerThatHangsInTheHandshakeIsStopped(t *testing.T) {
	b, ask := planted(t, "exec sed -n d\n")
	require.ErrorIs(t, ask(50*time.Millisecond), context.DeadlineExceeded)
	require.ErrorIs(t, ask(50*time.Millisecond), context.DeadlineExceeded)
	pid := compilers(b)[0]
	b.running.endIfHung(time.Millisecond, time.Hour)
	require.ErrorIs(t, ask(time.Millisecond), context.DeadlineExceeded, "it may still be loading")
	b.running.endIfHung(time.Hour, time.Microsecond)
	var failure *oracleproto.Error
	require.ErrorAs(t, ask(time.Minute), &failure)
	assert.Equal(t, oracleproto.KindOracleCrashed, failure.Kind)
	assert.Contains(t, failure.Detail, "without an answer")
	awaitGone(t, pid)
}

// A handshake that fails leaves no compiler to ask, however it failed.
func TestAFailedHandshakeIsACrash(t *testing.T) {
	for answer, says := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no such option"}}`:       "no such option",
		`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"positionEncoding":"utf-8"}}}`:   "utf-8",
		`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"positionEncoding":["utf-8"]}}}`: "initialize answer",
	} {
		b, ask := planted(t, fmt.Sprintf("read -r question\nprintf 'Content-Length: %%d\\r\\n\\r\\n%%s' %d '%s'\nexec sed -n d\n", len(answer), answer))
		for range 2 {
			var failure *oracleproto.Error
			require.ErrorAs(t, ask(time.Minute), &failure)
			assert.Equal(t, oracleproto.KindOracleCrashed, failure.Kind)
			assert.Contains(t, failure.Detail, says)
		}
		awaitGone(t, compilers(b)[0])
	}
}

// TestADeafCompilersGroupIsKilledBeforeTheRelayWouldBe holds the nesting of the
// two ladders: the server gives a relay 300 ms for each of its steps.
func TestADeafCompilersGroupIsKilledBeforeTheRelayWouldBe(t *testing.T) {
	assert.LessOrEqual(t, politeClose+2*killGrace, 200*time.Millisecond)

	pidFile := filepath.Join(t.TempDir(), "pid")
	b, ask := planted(t, fmt.Sprintf("trap '' TERM INT HUP\n(sleep 1000) &\necho $! > '%[1]s.new'; mv '%[1]s.new' '%[1]s'\nwhile :; do sleep 1000; done\n", pidFile))
	require.ErrorIs(t, ask(50*time.Millisecond), context.DeadlineExceeded)
	compiler, grandchild := compilers(b)[0], 0
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(pidFile)
		if err == nil {
			_, err = fmt.Sscan(string(text), &grandchild)
		}
		return err == nil
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, b.Close())
	awaitGone(t, compiler)
	awaitGone(t, grandchild)
}
