package child

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func tailOf(chunks ...string) string {
	var t tail
	for _, c := range chunks {
		_, _ = t.Write([]byte(c))
	}
	return t.String()
}

func TestTail(t *testing.T) {
	long := strings.Repeat("0123456789\n", 5000)
	require.Empty(t, tailOf())
	require.Equal(t, "a\nb", tailOf("a\n", "b"))
	require.Equal(t, long[len(long)-len(tailOf(long)):], tailOf(long))
	require.Equal(t, tailOf(long), tailOf(strings.SplitAfter(long, "7")...), "however it is written")
	require.Len(t, tailOf(strings.Repeat("x", 3*MaxTail)), MaxTail, "one huge line is shown in part")
	require.Equal(t, "\uFFFD", tailOf("\xff\xfe"))
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("plain\n"), 3)
	f.Add([]byte("\xff\xe4\xc3\n"), 9000)
	f.Fuzz(func(t *testing.T, chunk []byte, repeat int) {
		var written tail
		for range min(max(repeat, 0), 1+4*MaxTail/(len(chunk)+1)) {
			n, err := written.Write(chunk)
			require.NoError(t, err)
			require.Equal(t, len(chunk), n)
		}
		text := written.String()
		require.LessOrEqual(t, len(text), MaxTail)
		require.True(t, utf8.ValidString(text))
	})
}
