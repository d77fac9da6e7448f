package relay_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

func TestWhatTheBackendReadsElsewhereIsWatched(t *testing.T) {
	_, b, r := project(t, map[string]string{"a.ts": ""})
	elsewhere := filepath.Join(t.TempDir(), "base.conf")
	write(t, elsewhere, "one")
	b.reads = []string{elsewhere}
	validate(t, r, map[string]any{"file": "a.ts"})
	validate(t, r, map[string]any{"file": "a.ts"})
	b.told()

	write(t, elsewhere, "two")
	validate(t, r, map[string]any{"file": "a.ts"})
	assert.Equal(t, []string{"changed " + elsewhere}, b.told())
	validate(t, r, map[string]any{"file": "a.ts"})
	assert.Empty(t, b.told())
}

// A compiler goes on reading for a question that was given up, and says what it
// read with the next answer.
func TestWhatWasReadForAQuestionThatWasGivenUpIsNoExcuse(t *testing.T) {
	_, b, r := project(t, map[string]string{"a.ts": ""})
	elsewhere := filepath.Join(t.TempDir(), "base.conf")
	write(t, elsewhere, "one")
	validate(t, r, map[string]any{"file": "a.ts"})
	awaitAge(t, elsewhere)

	givenUp := errors.New("given up")
	b.validate = func(context.Context) error {
		write(t, elsewhere, "two")
		return givenUp
	}
	_, err := do(t, r, oracleproto.OpValidate, map[string]any{"file": "a.ts"})
	require.ErrorIs(t, err, givenUp)
	b.validate = nil
	awaitAge(t, elsewhere)
	b.reads = []string{elsewhere}
	validate(t, r, map[string]any{"file": "a.ts"})
	b.told()
	validate(t, r, map[string]any{"file": "a.ts"})
	assert.Equal(t, []string{"changed " + elsewhere}, b.told())
}

// awaitAge waits until a file just written counts as old.
func awaitAge(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return time.Since(info.ModTime()) > 200*time.Millisecond }, 10*time.Second, 10*time.Millisecond)
}
