//go:build unix

package native

import (
	"context"
	"path/filepath"
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
	root := project(t, map[string]string{"tsconfig.json": `{"compilerOptions":{"strict":true}}`, "a.ts": "export const a = 1;\n"})
	b := newBackend(t, root)
	defer func() { require.NoError(t, b.Close()) }()
	doc := oracle.Document{Path: filepath.Join(root, "a.ts"), Text: "export const a = 1;\n"}
	ask := func(d time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		_, err := b.Validate(ctx, doc, oracle.Check{})
		return err
	}
	require.NoError(t, ask(time.Minute))

	p := b.running
	require.NoError(t, syscall.Kill(p.child.Pid(), syscall.SIGSTOP))
	require.ErrorIs(t, ask(50*time.Millisecond), context.DeadlineExceeded)
	p.endIfHung(time.Minute, time.Hour)
	require.ErrorIs(t, ask(50*time.Millisecond), context.DeadlineExceeded, "a short silence is no reason")

	p.endIfHung(10*time.Millisecond, time.Hour)
	var failure *oracleproto.Error
	require.ErrorAs(t, ask(time.Minute), &failure)
	assert.Equal(t, oracleproto.KindOracleCrashed, failure.Kind)
	assert.Contains(t, failure.Detail, "without an answer")
}
