package tcgfamily_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/tcgfamily/tcgtest"
)

func TestGivingUpTellsTheOracle(t *testing.T) {
	b, o := newTSBench(t, calls(tcgtest.Act{Do: tcgtest.Ignore}))
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error, 1)
	go func() {
		_, err := b.validate(ctx)
		gaveUp <- err
	}()
	eventually(t, "the question is pending", func() bool { return len(o.Requests(t)) == 1 })
	cancel()
	require.ErrorIs(t, <-gaveUp, context.Canceled)
	eventually(t, "a cancel frame arrives", func() bool { return len(o.Requests(t)) == 2 })
	asked, cancelled := o.Requests(t)[0], o.Requests(t)[1]
	require.Equal(t, oracleproto.OpCancel, cancelled.Op)
	require.NotEqual(t, asked.ID, cancelled.ID)
	var params oracleproto.CancelParams
	require.NoError(t, json.Unmarshal(cancelled.Params, &params))
	require.Equal(t, asked.ID, params.ID)
	require.Len(t, o.Pids(t), 1)
}

func TestAnOracleThatReadsNoMoreHoldsNobodyUp(t *testing.T) {
	b, o := newTSBench(t, calls(tcgtest.Act{Do: tcgtest.Hang}))
	huge := strings.Repeat("x", 1<<20) // more than a pipe holds
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := b.Ask(ctx, ts, oracleproto.OpValidate, oracleproto.ValidateParams{File: "f", Content: &huge})
			gaveUp <- err
		}()
	}
	eventually(t, "the oracle hangs", func() bool { return len(o.Requests(t)) == 1 })
	cancel()
	for range 3 {
		require.ErrorIs(t, <-gaveUp, context.Canceled)
	}
	require.Len(t, o.Requests(t), 1)
}

func TestNoiseThatIsSkipped(t *testing.T) {
	b, o := newTSBench(t, calls(
		tcgtest.Act{Do: tcgtest.Blank}, tcgtest.Act{Do: tcgtest.WrongID}, tcgtest.Act{Stderr: "chatter on stderr\n"}))
	for range 3 {
		_, err := b.validate(t.Context())
		require.NoError(t, err)
	}
	require.Len(t, o.Pids(t), 1)
}

func TestNonsenseFailsAtOnceAndIsNotAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		act    tcgtest.Act
		detail string
	}{
		"no frame":  {tcgtest.Act{Do: tcgtest.Garbage}, `fake-tcg sent a line that is no answer frame ("listening on stdio...")`},
		"oversized": {tcgtest.Act{Do: tcgtest.Oversized}, "fake-tcg sent an answer of over 64 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			b, o := newTSBench(t, calls(c.act), tcgtest.Life{})
			_, err := b.validate(t.Context())
			failure := requireFailure(t, err, oracleproto.KindProtocol)
			require.Equal(t, c.detail, failure.Detail)
			require.Contains(t, failure.Recipe, "vibe bin build fake-tcg")
			require.Len(t, o.Pids(t), 1)

			_, err = b.validate(t.Context())
			require.NoError(t, err, "the next call gets a fresh oracle")
			require.Len(t, o.Pids(t), 2)
		})
	}
}

func TestAnErrorWithoutIDAnswersAsWhatItSays(t *testing.T) {
	own := &oracleproto.Error{Kind: "workspace-unloadable", Detail: "no Cargo.toml", Recipe: "run cargo metadata"}

	t.Run("in a call", func(t *testing.T) {
		b, o := newTSBench(t, calls(tcgtest.Act{Do: tcgtest.NullID, Error: own}, tcgtest.Act{}))
		_, err := b.validate(t.Context())
		require.Equal(t, own, err)
		_, err = b.validate(t.Context())
		require.NoError(t, err)
		require.Len(t, o.Pids(t), 1)
	})

	t.Run("from an oracle that cannot start", func(t *testing.T) {
		// The remark may come before or after the question is pending.
		for range 10 {
			b, o := newTSBench(t, tcgtest.Life{
				Start: tcgtest.Act{Do: tcgtest.NullID, Error: own},
				Calls: []tcgtest.Act{{Do: tcgtest.Crash, Code: 1}},
			})
			_, err := b.validate(t.Context())
			require.Equal(t, own, err)
			require.Len(t, o.Pids(t), 1, "starting it again would not help")
			require.NoError(t, b.Close())
		}
	})
}
