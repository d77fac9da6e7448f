package child_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/child"
)

func TestRunPassesInputAndReturnsOutput(t *testing.T) {
	input := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // far more than a pipe holds
	out, err := child.Run(t.Context(), roleSpec("cat"), bytes.NewReader(input))
	require.NoError(t, err)
	require.True(t, bytes.Equal(input, out))
}

func TestRunReportsStatusAndStderr(t *testing.T) {
	out, err := child.Run(t.Context(), roleSpec("exit 7"), nil)
	require.Empty(t, out)
	exit := new(child.ExitError)
	require.ErrorAs(t, err, &exit)
	require.Equal(t, child.ExitError{
		Name: filepath.Base(os.Args[0]), Status: "exit status 7", Code: 7, Stderr: "first line\nlast line\n",
	}, *exit)
	require.EqualError(t, err, filepath.Base(os.Args[0])+": exit status 7: last line")
}

func TestRunDoesNotMindUnreadInput(t *testing.T) {
	_, err := child.Run(t.Context(), roleSpec("exit 0"), strings.NewReader(strings.Repeat("x", 1<<20)))
	require.NoError(t, err)
}

func TestRunWithAnEndedContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := child.Run(ctx, child.Spec{Path: "/no/such/program"}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestLookPath(t *testing.T) {
	goTool, err := child.LookPath("go")
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(goTool))

	_, err = child.LookPath("no-such-program-anywhere")
	require.ErrorContains(t, err, "no-such-program-anywhere")

	// A program planted in the current directory is not found through a PATH
	// with an empty or relative entry.
	name := "planted"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\n"), 0o700))
	t.Setenv("PATH", "."+string(os.PathListSeparator)+os.Getenv("PATH"))
	_, err = child.LookPath("planted")
	require.Error(t, err)
}
