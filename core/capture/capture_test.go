package capture_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
	"vibevm.org/core/capture"
)

// captured runs work under a capture.
func captured(t testing.TB, work func()) string {
	t.Helper()
	guard, err := capture.Start()
	require.NoError(t, err)
	work()
	text, err := guard.Stop()
	require.NoError(t, err)
	return text
}

func TestCaptureSeesEveryWayToStandardError(t *testing.T) {
	flags := log.Flags()
	log.SetFlags(0)
	defer log.SetFlags(flags)
	got := captured(t, func() {
		fmt.Fprintln(os.Stderr, "os.Stderr")
		log.Println("log")
		slog.Info("slog")
		print("print\n")
		child := exec.CommandContext(t.Context(), "go", "env", "-unknown-flag")
		child.Stderr = os.Stderr
		_ = child.Run()
	})
	for _, want := range []string{"os.Stderr\n", "log\n", "INFO slog\n", "print\n", "unknown-flag"} {
		require.Contains(t, got, want)
	}
}

func TestCaptureOfSilenceIsEmpty(t *testing.T) {
	require.Empty(t, captured(t, func() {}))
}

func TestStandardErrorIsRestored(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	outer := redirected(t, write)
	require.Equal(t, "inside\n", captured(t, func() { fmt.Fprintln(os.Stderr, "inside") }))
	fmt.Fprintln(os.Stderr, "outside")
	outer()
	require.NoError(t, write.Close())
	all, err := io.ReadAll(read)
	require.NoError(t, err)
	require.Equal(t, "outside\n", string(all))
	require.NoError(t, read.Close())
}

func TestSecondSimultaneousCaptureIsRefusedWithItsUnit(t *testing.T) {
	guard, err := capture.Start()
	require.NoError(t, err)
	_, err = capture.Start()
	var typed *core.TransportError
	require.ErrorAs(t, err, &typed)
	require.Equal(t, core.CodeCapture, typed.Code)
	require.Equal(t, "MCP-CORE §4 p24", typed.Unit)
	require.NotEmpty(t, typed.Fix)
	fmt.Fprintln(os.Stderr, "the first goes on")
	text, err := guard.Stop()
	require.NoError(t, err)
	require.Equal(t, "the first goes on\n", text)
	require.Empty(t, captured(t, func() {}), "and another may follow")
}

func TestSecondStopDoesNothing(t *testing.T) {
	guard, err := capture.Start()
	require.NoError(t, err)
	_, err = guard.Stop()
	require.NoError(t, err)
	text, err := guard.Stop()
	require.NoError(t, err)
	require.Empty(t, text)
	require.Empty(t, captured(t, func() { _, _ = guard.Stop() }), "an old guard does not end a new capture")
}

func TestCaptureIsReadBackAsValidText(t *testing.T) {
	require.Equal(t, "a\ufffdb\x00c", captured(t, func() { _, _ = os.Stderr.WriteString("a\xff\xfeb\x00c") }))
}

func TestLongCaptureKeepsHeadAndTail(t *testing.T) {
	got := captured(t, func() {
		_, _ = os.Stderr.WriteString("HEAD" + strings.Repeat("x", 2*capture.MaxText) + "TAIL")
	})
	require.True(t, strings.HasPrefix(got, "HEAD"))
	require.True(t, strings.HasSuffix(got, "TAIL"))
	require.Contains(t, got, "bytes left out")
	require.Less(t, len(got), capture.MaxText+100)
}

func TestCaptureFailsWithoutAPlaceForItsFile(t *testing.T) {
	missing := t.TempDir() + "/missing"
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, missing)
	}
	_, err := capture.Start()
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, err, &core.TransportError{Code: core.CodeCapture})
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, t.TempDir())
	}
	require.Empty(t, captured(t, func() {}), "the failure does not block later captures")
}

func TestCaptureLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	captured(t, func() { fmt.Fprintln(os.Stderr, "x") })
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// writeLate is a child that outlives the capture it was started in: it writes
// when it is told to.
func writeLate() {
	fmt.Fprintln(os.Stderr, "started")
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Fprintln(os.Stderr, "LATE")
}

// Regression: one truncated file for all captures let a process left over from
// an earlier call write into the report of a later one.
func TestChildLeftOverFromOneCaptureDoesNotWriteIntoTheNext(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), modeVariable+"=late")
	var in io.WriteCloser
	require.Equal(t, "started\n", captured(t, func() {
		child.Stderr = os.Stderr
		var err error
		in, err = child.StdinPipe()
		require.NoError(t, err)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "ready\n", line)
	}))
	require.Equal(t, "second\n", captured(t, func() {
		_, err := io.WriteString(in, "now\n")
		require.NoError(t, err)
		require.NoError(t, child.Wait())
		fmt.Fprintln(os.Stderr, "second")
	}))
}

func BenchmarkCapture(b *testing.B) {
	for b.Loop() {
		captured(b, func() {})
	}
}
