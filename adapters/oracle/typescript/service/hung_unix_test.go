//go:build unix

package service

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// A compiler that is alive but answers nothing must not cost every later
// question its deadline.
func TestACompilerThatNeverAnswersIsStoppedAndSaidToHaveCrashed(t *testing.T) {
	s := newSession(t, "ts60", map[string]string{"tsconfig.json": strictConfig, "src/a.ts": ""})
	require.Equal(t, "2322", s.errors("src/a.ts", wrong))
	ask := func(d time.Duration, text string) error {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		_, err := s.Validate(ctx, oracle.Document{Path: s.path("src/a.ts"), Text: text}, oracle.Check{})
		return err
	}
	p := s.running
	require.NoError(t, syscall.Kill(p.child.Pid(), syscall.SIGSTOP))
	large := "// " + strings.Repeat("x", 1<<20) // more than a pipe holds
	require.ErrorIs(t, ask(50*time.Millisecond, large), context.DeadlineExceeded)
	p.endIfHung(time.Minute, time.Hour)
	require.ErrorIs(t, ask(50*time.Millisecond, wrong), context.DeadlineExceeded, "a short silence is no reason")

	p.endIfHung(20*time.Millisecond, time.Hour)
	var failure *oracleproto.Error
	require.ErrorAs(t, ask(time.Minute, wrong), &failure)
	assert.Equal(t, oracleproto.KindOracleCrashed, failure.Kind)
	assert.Contains(t, failure.Detail, "without an answer")
}
