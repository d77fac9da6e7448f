package lsp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadFrameCountsBytesWhereverTheyAreSplit(t *testing.T) {
	bodies := []string{`{"a":"µs"}`, `{"b":"日本語😀"}`, `{}`, ""}
	var wire []byte
	for _, b := range bodies {
		wire = appendFrame(wire, []byte(b))
	}
	for split := range len(wire) {
		r := bufio.NewReader(io.MultiReader(bytes.NewReader(wire[:split]), bytes.NewReader(wire[split:])))
		for _, want := range bodies {
			got, err := readFrame(r, nil)
			require.NoError(t, err, "split at %d", split)
			require.Equal(t, want, string(got), "split at %d", split)
		}
		_, err := readFrame(r, nil)
		require.ErrorIs(t, err, io.EOF)
	}
	r := bufio.NewReader(iotest.OneByteReader(bytes.NewReader(wire)))
	for _, want := range bodies {
		got, err := readFrame(r, nil)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

func TestReadFrameAcceptsOtherHeadersAndCase(t *testing.T) {
	got, err := readFrame(bufio.NewReader(strings.NewReader("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:2\r\n\r\n{}")), nil)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(got))
}

func TestReadFrameRefusals(t *testing.T) {
	for name, tc := range map[string]struct{ wire, reason string }{
		"no colon":       {"Segmentation fault\r\n\r\n", "no colon"},
		"bare LF":        {"Content-Length: 2\n\n{}", "CRLF"},
		"no length":      {"Content-Type: x\r\n\r\n{}", "no Content-Length"},
		"negative":       {"Content-Length: -1\r\n\r\n", "no number"},
		"not a number":   {"Content-Length: two\r\n\r\n", "no number"},
		"over the limit": {"Content-Length: 99999999999\r\n\r\n", "over the limit"},
		"contradiction":  {"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "two different"},
		"endless line":   {strings.Repeat("x", 1<<20), "longer than"},
		"endless header": {strings.Repeat("A: b\r\n", 1<<12), "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readFrame(bufio.NewReaderSize(strings.NewReader(tc.wire), 64<<10), nil)
			var frame *FrameError
			require.ErrorAs(t, err, &frame)
			assert.Contains(t, frame.Error(), tc.reason)
		})
	}
}

func TestReadFrameCutOff(t *testing.T) {
	whole := string(appendFrame(nil, []byte(`{"x":1}`)))
	for cut := 1; cut < len(whole); cut++ {
		_, err := readFrame(bufio.NewReader(strings.NewReader(whole[:cut])), nil)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"), 3)
	f.Add([]byte("garbage\r\n"), 1)
	f.Fuzz(func(t *testing.T, body []byte, split int) {
		// Any bytes: no panic, and a body never longer than what came in.
		r := bufio.NewReader(bytes.NewReader(body))
		for {
			got, err := readFrame(r, nil)
			if err != nil {
				break
			}
			if len(got) > len(body) {
				t.Fatalf("%d bytes out of %d", len(got), len(body))
			}
		}
		// Anything we frame comes back, wherever the stream is split.
		wire := appendFrame(nil, body)
		split = min(max(split, 0), len(wire))
		got, err := readFrame(bufio.NewReader(io.MultiReader(bytes.NewReader(wire[:split]), bytes.NewReader(wire[split:]))), nil)
		if err != nil || !bytes.Equal(got, body) {
			t.Fatal(fmt.Errorf("round trip: %w", err))
		}
	})
}
