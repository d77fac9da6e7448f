package tcgfamily_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/tcgfamily/tcgtest"
)

// closeBudget is the promise of Close.
const closeBudget = 2 * time.Second

func TestCloseEndsDeafOraclesInTime(t *testing.T) {
	oracles := map[tcgfamily.Language]*tcgtest.Oracle{
		ts:   tcgtest.NewOracle(t, tcgtest.Life{Deaf: true}),
		rust: tcgtest.NewOracle(t, tcgtest.Life{Deaf: true}),
	}
	b := newBench(t, oracles)
	var pids []int
	for l, o := range oracles {
		_, err := b.Ask(t.Context(), l, oracleproto.OpScope, nil)
		require.NoError(t, err)
		pids = append(pids, o.Pids(t)...)
	}
	require.Len(t, pids, 2)
	start := time.Now()
	require.NoError(t, b.Close())
	require.Less(t, time.Since(start), closeBudget)
	childtest.RequireGone(t, 0, pids...)
	for _, e := range childtest.Descendants(t, os.Getpid()) {
		require.Failf(t, "left behind", "%+v", e)
	}

	_, err := b.validate(t.Context())
	requireKind(t, err, oracleproto.KindClosed)
	require.NoError(t, b.Close(), "again")
	require.False(t, b.Warm(ts))
}

func TestCloseAnswersPendingCalls(t *testing.T) {
	b, o := newTSBench(t, calls(tcgtest.Act{Do: tcgtest.Ignore}))
	answered := make(chan error, 5)
	for range cap(answered) {
		go func() {
			_, err := b.validate(t.Context())
			answered <- err
		}()
	}
	eventually(t, "the questions are pending", func() bool { return len(o.Requests(t)) == cap(answered) })
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { assert.NoError(t, b.Close()) })
	}
	for range cap(answered) {
		requireKind(t, <-answered, oracleproto.KindClosed)
	}
	wg.Wait()
	require.Len(t, o.Pids(t), 1, "a closing registry respawns nothing")
}

func TestCloseDuringABuild(t *testing.T) {
	b, o := newTSBench(t)
	absent := o.Artifact()
	absent.Present, absent.Group = false, "org.vibevm"
	b.binaries.Set(ts, absent)
	building := make(chan struct{})
	b.binaries.OnBuild(func(ctx context.Context, _ tcgfamily.Artifact) error {
		close(building)
		<-ctx.Done()
		return nil // as if it had just made it
	})
	answered := make(chan error, 1)
	go func() {
		_, err := b.validate(t.Context())
		answered <- err
	}()
	<-building
	start := time.Now()
	require.NoError(t, b.Close())
	require.Less(t, time.Since(start), closeBudget)
	requireKind(t, <-answered, oracleproto.KindClosed)
	require.Empty(t, o.Pids(t), "nothing is started after Close")
}

func TestCloseIsNotHeldUpByADeafBuild(t *testing.T) {
	b, o := newTSBench(t)
	absent := o.Artifact()
	absent.Present, absent.Group = false, "org.vibevm"
	b.binaries.Set(ts, absent)
	building, finish := make(chan struct{}), make(chan struct{})
	b.binaries.OnBuild(func(context.Context, tcgfamily.Artifact) error {
		close(building)
		<-finish
		return nil
	})
	r := tcgfamily.NewOracleRegistry(b.host, b.binaries)
	answered := make(chan error, 1)
	go func() {
		_, err := r.Ask(t.Context(), ts, oracleproto.OpScope, nil)
		answered <- err
	}()
	<-building
	start := time.Now()
	require.Error(t, r.Close())
	require.Less(t, time.Since(start), closeBudget)
	requireKind(t, <-answered, oracleproto.KindClosed)
	close(finish)
	require.Empty(t, o.Pids(t), "a build that ends after Close starts nothing")
}

// TestCloseAtAnyMoment closes registries while their first oracle is starting.
func TestCloseAtAnyMoment(t *testing.T) {
	o := tcgtest.NewOracle(t)
	binaries := tcgtest.NewFakeBinaries(map[tcgfamily.Language]tcgfamily.Artifact{ts: o.Artifact()})
	host := tcgtest.FakeHost{Root: t.TempDir()}
	for i := range 30 {
		r := tcgfamily.NewOracleRegistry(host, binaries)
		answered := make(chan error, 1)
		go func() {
			_, err := r.Ask(t.Context(), ts, oracleproto.OpScope, nil)
			answered <- err
		}()
		time.Sleep(time.Duration(i) * time.Millisecond) // the moment, not a wait
		require.NoError(t, r.Close())
		if err := <-answered; err != nil {
			requireKind(t, err, oracleproto.KindClosed)
		}
		for _, e := range childtest.Descendants(t, os.Getpid()) {
			require.Failf(t, "left behind", "%+v", e)
		}
	}
}
