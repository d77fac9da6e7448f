package pool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
	"vibevm.org/adapters/oracle/pool"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// taker takes backends from a pool and remembers those it made.
type taker struct {
	*testing.T
	pool *pool.Pool[string]
	made map[string]*oracletest.Fake // the last of an id
	n    int
}

func newTaker(t *testing.T, options pool.Options) *taker {
	t.Helper()
	return &taker{T: t, pool: pool.New[string](options), made: map[string]*oracletest.Fake{}}
}

func (t *taker) take(id, from string) func() {
	t.Helper()
	_, done, err := t.pool.Take(t.Context(), id, from, func() oracle.Backend {
		t.n++
		t.made[id] = oracletest.NewFake(t.TempDir())
		return t.made[id]
	})
	require.NoError(t, err)
	return done
}

func TestTheOneAskedTheLongestAgoMakesRoom(t *testing.T) {
	p := newTaker(t, pool.Options{Max: 2, IdleAfter: time.Hour})
	p.take("a", "1")()
	p.take("b", "1")()
	p.take("a", "1")()
	p.take("c", "1")()
	assert.Equal(t, 3, p.n)
	assert.True(t, p.made["b"].Closed())
	assert.False(t, p.made["a"].Closed())
	require.NoError(t, p.pool.Close())
	require.NoError(t, p.pool.Close())
	assert.True(t, p.made["a"].Closed() && p.made["c"].Closed())
	_, _, err := p.pool.Take(t.Context(), "d", "1", nil)
	var closed *oracleproto.Error
	require.ErrorAs(t, err, &closed)
	assert.Equal(t, oracleproto.KindClosed, closed.Kind)
}

func TestOneMadeFromSomethingElseIsMadeAnew(t *testing.T) {
	p := newTaker(t, pool.Options{Max: 2, IdleAfter: time.Hour})
	defer func() { require.NoError(t, p.pool.Close()) }()
	set := oracle.Change{Kind: oracle.OverlaySet, Path: "/a", Text: "x"}
	require.NoError(t, p.pool.Sync(t.Context(), []oracle.Change{set, {Kind: oracle.OverlaySet, Path: "/b"}, {Kind: oracle.OverlayClear, Path: "/b"}}))
	p.take("a", "1")()
	first := p.made["a"]
	p.take("a", "1")()
	assert.Same(t, first, p.made["a"])
	p.take("a", "2")()
	assert.NotSame(t, first, p.made["a"])
	require.Eventually(t, first.Closed, 10*time.Second, time.Millisecond)
	assert.Equal(t, [][]oracle.Change{{set}}, p.made["a"].Synced(), "it is told what stands for the disk")
}

func TestIdleOnesAreStopped(t *testing.T) {
	p := newTaker(t, pool.Options{IdleAfter: 20 * time.Millisecond})
	defer func() { require.NoError(t, p.pool.Close()) }()
	done := p.take("a", "1")
	assert.Never(t, p.made["a"].Closed, 100*time.Millisecond, 10*time.Millisecond, "one that is being asked is not idle")
	done()
	require.Eventually(t, p.made["a"].Closed, 10*time.Second, time.Millisecond)
	p.take("a", "1")()
	assert.Equal(t, 2, p.n)
}
