//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
	"vibevm.org/core/coretest"
)

// strays are tools that do what a tool must not be able to harm the wire with.
func strays() []core.Tool {
	return []core.Tool{
		coretest.Func("print", noArguments, func(context.Context, json.RawMessage) (core.Output, error) {
			fmt.Println("a stray print")
			_, err := syscall.Write(1, []byte("a stray write\n"))
			return core.Output{Report: "printed"}, err
		}),
		coretest.Func("child", noArguments, func(ctx context.Context, args json.RawMessage) (core.Output, error) {
			var script string
			if err := json.Unmarshal(args, &script); err != nil {
				return core.Output{}, err
			}
			cmd := exec.CommandContext(ctx, "sh", "-c", script)
			cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
			var stderr strings.Builder
			cmd.Stderr = &stderr
			err := cmd.Run()
			return core.Output{Report: stderr.String()}, err
		}),
	}
}

func TestStrayPrintsDoNotReachTheWire(t *testing.T) {
	p := start(t)
	p.send(t, call("1", "print", "{}"))
	require.Equal(t, text("1", "printed", false), p.next(t))
	p.send(t, ping("2"))
	require.Equal(t, pong("2"), p.next(t))
	require.Empty(t, p.rest(t))
	require.NoError(t, p.Wait())
	require.Equal(t, "a stray print\na stray write\n", p.stderr.String())
}

// Regression: a child that inherits standard input eats frames, or waits for
// them; one that inherits standard output breaks them.
func TestChildrenHaveNoPartInTheWire(t *testing.T) {
	p := start(t)
	p.send(t, call("1", "child", `"cat; echo a stray child"`))
	require.Equal(t, text("1", "", false), p.next(t))
	p.send(t, ping("2"))
	require.Equal(t, pong("2"), p.next(t))
	require.Empty(t, p.rest(t))
	require.NoError(t, p.Wait())
	require.Equal(t, "a stray child\n", p.stderr.String())
}

func TestSignalsEndTheServerCleanly(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run("idle, "+signal.String(), func(t *testing.T) {
			p := start(t)
			p.send(t, ping("1"))
			require.Equal(t, pong("1"), p.next(t))
			require.NoError(t, p.Process.Signal(signal))
			// Input stays open: the end must not wait for it.
			require.NoError(t, p.Wait())
		})
		t.Run("busy, "+signal.String(), func(t *testing.T) {
			p := start(t)
			p.send(t, call("1", "slow", `{"ms":600000}`), ping("2"))
			require.Equal(t, pong("2"), p.next(t))
			require.NoError(t, p.Process.Signal(signal))
			require.Equal(t, text("1", "cancelled: the server is stopping", true), p.next(t))
			require.NoError(t, p.Wait())
		})
	}
}

// Regression: a write to a closed standard output killed Go servers by SIGPIPE
// before any error could be returned, or was swallowed in a busy loop.
func TestClosedStandardOutputIsATypedError(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	cmd := command(t)
	cmd.Stdout = write
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	require.NoError(t, write.Close())
	require.NoError(t, read.Close())
	_, err = io.WriteString(in, ping("1")+"\n")
	require.NoError(t, err)
	done := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer done.Stop()
	err = cmd.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode(), "%v, %s", err, stderr.String())
	require.Contains(t, stderr.String(), "dead-channel: ")
	require.Contains(t, stderr.String(), "broken pipe")
}
