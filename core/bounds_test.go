package core

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestReportAtTheLimitIsWhole(t *testing.T) {
	report := strings.Repeat("x", MaxReport)
	require.Equal(t, report, fitReport(report))
}

func TestReportOverTheLimitKeepsHeadAndTailAndSaysSo(t *testing.T) {
	for name, filler := range map[string]string{
		"ascii": "x", "three bytes": "€", "four bytes": "😀",
		"invalid": "\xff", "invalid, growing": "\xffa", "continuation bytes": "\x80",
	} {
		t.Run(name, func(t *testing.T) {
			for shift := range 5 {
				report := "HEAD" + strings.Repeat(".", shift) + strings.Repeat(filler, (MaxReport+10)/len(filler)+1) + "TAIL"
				got := fitReport(report)
				require.LessOrEqual(t, len(got), MaxReport)
				require.True(t, utf8.ValidString(got))
				require.True(t, strings.HasPrefix(got, "HEAD"), "%.20q", got)
				require.True(t, strings.HasSuffix(got, "TAIL"))
				if utf8.ValidString(report) {
					require.Contains(t, got, "its middle was left out")
					require.NotContains(t, got, "\ufffd", "a cut falls between runes")
				}
			}
		})
	}
}

// Calls that wait are bounded by their size, too: the lead stops reading at
// the bound and goes on when half of it is free.
func TestLargeWaitingCallsAreBoundedByTheirSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(context.Background(), NewServer(Info{}, nil, nil), nil)
		s.running = &call{session: s}
		const calls = 12
		large := make([]byte, mostWaitingBytes/4)
		accepted := 0
		go func() {
			for range calls {
				s.accept(&call{session: s, args: large})
				accepted++
			}
		}()
		synctest.Wait()
		require.Equal(t, 4, accepted)
		for range calls {
			require.NotNil(t, s.next())
			synctest.Wait()
			require.LessOrEqual(t, s.waitingBytes, mostWaitingBytes)
		}
		require.Equal(t, calls, accepted)
		require.Nil(t, s.next())
		require.Zero(t, s.waitingBytes)
	})
}
