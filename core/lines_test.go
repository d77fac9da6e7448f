package core

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// all reads to the end; an over-long line appears as "TOO LONG".
func all(t *testing.T, tr Transport) (lines []string) {
	t.Helper()
	for {
		line, err := tr.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			return lines
		case errors.Is(err, ErrLineTooLong):
			lines = append(lines, "TOO LONG")
		default:
			require.NoError(t, err)
			lines = append(lines, string(line))
		}
	}
}

func TestReadLineSplitsLines(t *testing.T) {
	for input, want := range map[string][]string{
		"":                         nil,
		"\n":                       {""},
		"a":                        {"a"},
		"a\n":                      {"a"},
		"a\r\nb\r\n":               {"a", "b"},
		"a\rb\n":                   {"a\rb"},
		"a\r\r\n":                  {"a\r"},
		"a\n\nb":                   {"a", "", "b"},
		"\xef\xbb\xbfa\n":          {"a"},
		"\xef\xbb\xbf":             {""},
		"a\n\xef\xbb\xbfb\n":       {"a", "\xef\xbb\xbfb"},
		"a\x00b\n\xff\xfe\n":       {"a\x00b", "\xff\xfe"},
		"\xef\xbb\xbf\xef\xbb\xbf": {"\xef\xbb\xbf"},
	} {
		require.Equal(t, want, all(t, NewTransport(strings.NewReader(input), nil)), "%q", input)
		require.Equal(t, want, all(t, NewTransport(iotest.OneByteReader(strings.NewReader(input)), nil)), "%q", input)
	}
}

func TestReadLineOfEverySizeAroundTheBuffer(t *testing.T) {
	for _, n := range []int{readBuffer - 2, readBuffer - 1, readBuffer, readBuffer + 1, 2*readBuffer - 1, 2 * readBuffer, 3*readBuffer + 7} {
		for _, end := range []string{"\n", "\r\n", ""} {
			long := strings.Repeat("x", n)
			want := []string{"before", long, long}
			require.Equal(t, want, all(t, NewTransport(strings.NewReader("before\n"+long+"\n"+long+end), nil)), n)
		}
	}
}

func TestLineOverTheLimitIsDiscardedToItsEnd(t *testing.T) {
	for _, limit := range []int{10, readBuffer - 1, readBuffer, readBuffer + 100, 3 * readBuffer} {
		at, over := strings.Repeat("x", limit), strings.Repeat("x", limit+1)
		for _, end := range []string{"\n", "\r\n"} {
			input := "a" + end + at + end + over + end + "b" + end + over + strings.Repeat(over, 5) + end + "c" + end + at + end + over
			require.Equal(t, []string{"a", at, "TOO LONG", "b", "TOO LONG", "c", at, "TOO LONG"},
				all(t, newLines(strings.NewReader(input), nil, limit)), limit)
		}
	}
}

// endless is a line that never ends, for as long as n lasts.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	if e.n <= 0 {
		return 0, io.EOF
	}
	clear(p)
	e.n -= len(p)
	return len(p), nil
}

// Regression: an endless line costs bounded memory, and a large line's buffer
// does not stay for the session.
func TestEndlessLineCostsBoundedMemory(t *testing.T) {
	tr := newLines(io.MultiReader(&endless{n: 4 * MaxLine}, strings.NewReader("\n"+strings.Repeat("y", 20<<20)+"\nafter\n")), nil, MaxLine)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := tr.ReadLine()
	require.ErrorIs(t, err, ErrLineTooLong)
	require.Nil(t, tr.spill)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*MaxLine), "the line grew to the limit and no further")
	line, err := tr.ReadLine()
	require.NoError(t, err)
	require.Len(t, line, 20<<20)
	line, err = tr.ReadLine()
	require.NoError(t, err)
	require.Equal(t, "after", string(line))
	require.Nil(t, tr.spill, "the buffer of 20 MB is gone")
}

func TestReadErrorWithinALineIsReturned(t *testing.T) {
	broken := errors.New("broken")
	tr := NewTransport(io.MultiReader(strings.NewReader("a\npart of a li"), iotest.ErrReader(broken)), nil)
	line, err := tr.ReadLine()
	require.NoError(t, err)
	require.Equal(t, "a", string(line))
	_, err = tr.ReadLine()
	require.ErrorIs(t, err, broken)
}

// countingWriter counts its calls.
type countingWriter struct {
	bytes.Buffer
	writes int
}

func (w *countingWriter) Write(p []byte) (int, error) { w.writes++; return w.Buffer.Write(p) }

func TestWriteLineIsOneWrite(t *testing.T) {
	var w countingWriter
	tr := NewTransport(strings.NewReader(""), &w)
	large := append(bytes.Repeat([]byte("x"), 1<<20), '\n')
	require.NoError(t, tr.WriteLine(large))
	require.Equal(t, 1, w.writes)
	require.Equal(t, len(large), w.Len())
}

type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestShortWriteIsAnError(t *testing.T) {
	require.ErrorIs(t, NewTransport(strings.NewReader(""), shortWriter{}).WriteLine([]byte("frame\n")), io.ErrShortWrite)
}

func TestCloseClosesBothStreamsOnceAndFreesTheReader(t *testing.T) {
	in, peerOut := io.Pipe()
	peerIn, out := io.Pipe()
	tr := NewTransport(in, out)
	read := make(chan error, 1)
	go func() { _, err := tr.ReadLine(); read <- err }()
	require.NoError(t, tr.Close())
	require.NoError(t, tr.Close())
	require.ErrorIs(t, <-read, io.ErrClosedPipe)
	_, err := peerIn.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	_, err = peerOut.Write([]byte("x"))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}
