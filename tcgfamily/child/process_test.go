package child_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/child"
)

// patience is for what should take milliseconds.
const patience = 10 * time.Second

func waitDone(t *testing.T, p *child.Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		t.Fatal("the child did not exit")
	}
}

func TestEndOfInputEndsAWillingChild(t *testing.T) {
	p := startRole(t, "cat", patience)
	_, err := io.WriteString(p.Stdin(), "hello\n")
	require.NoError(t, err)
	require.Equal(t, "hello", readLine(t, p.Stdout()))
	require.Empty(t, p.Exit(), "no exit before the exit")

	require.NoError(t, p.Close())
	require.Equal(t, "exit status 0", p.Exit())
}

func TestKillEndsAtOnce(t *testing.T) {
	p := startRole(t, "deaf", patience)
	require.Equal(t, "ready", readLine(t, p.Stdout()))
	p.Kill()
	waitDone(t, p)
	p.Kill() // nothing left to hit
	require.NoError(t, p.Close())
}

func TestCloseMayBeCalledByManyAndAgain(t *testing.T) {
	p := startRole(t, "deaf", 20*time.Millisecond)
	require.Equal(t, "ready", readLine(t, p.Stdout()))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := p.Close()
			assert.NotEmpty(t, p.Exit(), "Close returned before the exit")
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	require.NoError(t, p.Close())
}

func TestExitStatusAndStderr(t *testing.T) {
	for _, code := range []int{0, 3, 255} {
		p := startRole(t, fmt.Sprintf("exit %d", code), 0)
		waitDone(t, p)
		require.Equal(t, fmt.Sprintf("exit status %d", code), p.Exit())
		// The tail is complete as soon as Done is closed.
		require.Equal(t, "first line\nlast line\n", p.StderrTail())
		require.NoError(t, p.Close())
	}
}

func TestStderrTailIsBoundedText(t *testing.T) {
	p := startRole(t, "stderr", 0)
	waitDone(t, p)
	tail := p.StderrTail()
	require.LessOrEqual(t, len(tail), child.MaxTail)
	require.Greater(t, len(tail), child.MaxTail/2)
	require.True(t, utf8.ValidString(tail))
	require.True(t, strings.HasPrefix(tail, "line "), "begins with a whole line: %.40q", tail)
	require.True(t, strings.HasSuffix(tail, "line 4999 \uFFFD ä\n"), "ends with the last line: %q", tail[len(tail)-40:])
}

func TestOutputOutlivesTheChild(t *testing.T) {
	p := startRole(t, "last-words", 0)
	require.NoError(t, p.Stdin().Close())
	waitDone(t, p)
	out, err := io.ReadAll(p.Stdout())
	require.NoError(t, err)
	require.Len(t, out, 50_004)
}

func TestCloseLetsTheChildFlush(t *testing.T) {
	p := startRole(t, "last-words", patience)
	out := make(chan int)
	go func() {
		b, _ := io.ReadAll(p.Stdout())
		out <- len(b)
	}()
	require.NoError(t, p.Close())
	require.Equal(t, "exit status 0", p.Exit())
	<-out
}

func TestCloseEndsABlockedReaderAndWriter(t *testing.T) {
	p := startRole(t, "deaf", 20*time.Millisecond)
	require.Equal(t, "ready", readLine(t, p.Stdout()))
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := io.Copy(io.Discard, p.Stdout())
		assert.NoError(t, err, "the end of a closed child is an ordinary end")
	})
	wg.Go(func() {
		_, err := p.Stdin().Write(make([]byte, 10<<20))
		assert.Error(t, err)
	})
	require.NoError(t, p.Close())
	wg.Wait()
}

func TestChildrenDoNotHoldEachOthersPipes(t *testing.T) {
	first := startRole(t, "cat", patience)
	second := startRole(t, "deaf", time.Millisecond)
	require.Equal(t, "ready", readLine(t, second.Stdout()))
	third := startRole(t, "cat", patience)
	// With a copy of their stdin in a sibling, these would sit out the grace.
	start := time.Now()
	require.NoError(t, first.Close())
	require.NoError(t, third.Close())
	require.Less(t, time.Since(start), patience)
}

func TestManyAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			spec := roleSpec([]string{"cat", "deaf-to-eof", "exit 3"}[i%3])
			spec.Grace = 100 * time.Millisecond
			p, err := child.Start(spec)
			if err != nil {
				t.Errorf("start %d: %v", i, err)
				return
			}
			_, _ = io.WriteString(p.Stdin(), "x\n")
			err = p.Close()
			assert.NotEmpty(t, p.Exit())
			assert.NoError(t, err)
		})
	}
	wg.Wait()
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	_, err := child.Start(child.Spec{Path: "relative/path"})
	require.ErrorContains(t, err, "relative/path: the path of a child must be absolute")

	missing := filepath.Join(t.TempDir(), "no-such-program")
	_, err = child.Start(child.Spec{Path: missing})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, missing)

	noDir := filepath.Join(t.TempDir(), "no-such-dir")
	_, err = child.Start(child.Spec{Path: os.Args[0], Dir: noDir})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "in "+noDir)

	notProgram := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(notProgram, []byte("data"), 0o600))
	_, err = child.Start(child.Spec{Path: notProgram})
	require.ErrorContains(t, err, notProgram)
}
