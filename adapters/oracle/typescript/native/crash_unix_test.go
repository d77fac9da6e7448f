//go:build unix

package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// TestCrashSaysWhatHappened runs a compiler that complains and exits.
func TestCrashSaysWhatHappened(t *testing.T) {
	root := t.TempDir()
	exe := filepath.Join(root, "tsc")
	write(t, exe, "#!/bin/sh\nread line\necho 'fatal error: out of memory' >&2\nexit 3\n")
	require.NoError(t, os.Chmod(exe, 0o755))
	b := New(root, Compiler{Version: "7.0.2", Exe: exe})
	defer func() { require.NoError(t, b.Close()) }()
	_, err := b.Validate(t.Context(), oracle.Document{Path: filepath.Join(root, "a.ts"), Text: ""}, oracle.Check{})
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindOracleCrashed, e.Kind)
	assert.Contains(t, e.Detail, "exit status 3")
	assert.Contains(t, e.Detail, "out of memory")
	assert.False(t, strings.HasSuffix(e.Recipe, "."))
}
