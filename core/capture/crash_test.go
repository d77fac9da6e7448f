package capture_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/core/capture"
)

// crashDuringCapture crashes on another goroutine, where nobody can recover.
func crashDuringCapture() {
	if _, err := capture.Start(); err != nil {
		os.Exit(3)
	}
	go func() { panic("crash on another goroutine") }()
	select {}
}

func TestCrashTraceDuringACaptureReachesTheRealStandardError(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), modeVariable+"=crash")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 2, exit.ExitCode())
	require.Contains(t, stderr.String(), "panic: crash on another goroutine")
	require.Contains(t, stderr.String(), "crashDuringCapture")
}
