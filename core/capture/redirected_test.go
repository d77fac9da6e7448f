package capture_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/core/internal/stdhandle"
)

// redirected points the real standard error of the test at f until the
// returned function is called.
func redirected(t testing.TB, f *os.File) (restore func()) {
	t.Helper()
	r, err := stdhandle.RedirectStderr(f)
	require.NoError(t, err)
	return func() { require.NoError(t, r.Restore()) }
}
