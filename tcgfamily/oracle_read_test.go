package tcgfamily

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecodeResponse(t *testing.T) {
	for line, want := range map[string]string{
		`{"proto":1,"id":4,"ok":true,"result":{"a":1},"future":0}`:           "",
		`{"proto":1,"id":4,"ok":false,"error":{"kind":"k","detail":"d"}}`:    "",
		`{"proto":1,"id":null,"ok":false,"error":{"kind":"k","detail":"d"}}`: "",
		`{"proto":1,"ok":false,"error":{"kind":"k","detail":"d"}}`:           "",
		`listening`:                                  "no answer frame",
		`[]`:                                         "no answer frame",
		`{"proto":1,"id":"4","ok":true}`:             "no answer frame",
		`{"proto":1,"id":-4,"ok":true}`:              "no answer frame",
		`{"id":4,"ok":true,"result":{}}`:             "protocol 0 where protocol 1",
		`{"proto":2,"id":4,"ok":true}`:               "protocol 2 where protocol 1",
		`{"proto":1,"id":4,"ok":true}`:               "success frame without a result",
		`{"proto":1,"id":4,"ok":true,"result":null}`: "success frame without a result",
		`{"proto":1,"id":4,"ok":true,"result":{},"error":{"kind":"k","detail":"d"}}`:  "success frame without a result",
		`{"proto":1,"id":4,"result":{}}`:                                              "failure frame without an error",
		`{"proto":1,"id":4,"ok":false}`:                                               "failure frame without an error",
		`{"proto":1,"id":4,"ok":false,"error":{}}`:                                    "failure frame without an error",
		`{"proto":1,"id":4,"ok":false,"result":{},"error":{"kind":"k","detail":"d"}}`: "failure frame without an error",
	} {
		_, err := decodeResponse([]byte(line))
		if want == "" {
			require.NoError(t, err, line)
		} else {
			require.ErrorContains(t, err, want, line)
		}
	}
}

func FuzzDecodeResponse(f *testing.F) {
	f.Add([]byte(`{"proto":1,"id":4,"ok":true,"result":{"a":1}}`))
	f.Add([]byte(`{"proto":1,"id":null,"ok":false,"error":{"kind":"k","detail":"d","recipe":"r"}}`))
	f.Add([]byte(`{"proto":1,"id":18446744073709551616,"ok":true,"result":{}}`))
	f.Add([]byte("\xff\x00{"))
	f.Fuzz(func(t *testing.T, line []byte) {
		response, err := decodeResponse(line)
		if err != nil {
			require.Less(t, len(err.Error()), 1000, "what was sent is not repeated at length")
			return
		}
		require.Equal(t, response.OK, response.Error == nil, "an answer is a result or an error")
		require.Equal(t, response.OK, len(response.Result) > 0 && string(response.Result) != "null")
		require.True(t, !response.OK || json.Valid(response.Result))
	})
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("0123456789", 50_000)
	r := bufio.NewReaderSize(strings.NewReader("a\r\n\n  b \n"+long+"\nc\ncut off"), 4096)
	for _, want := range []string{"a", "", "b", long, "c"} {
		line, err := readLine(r, len(long)+1)
		require.NoError(t, err)
		require.Equal(t, want, string(line))
	}
	_, err := readLine(r, 1)
	require.ErrorIs(t, err, io.EOF)
}

func TestReadLineIsBounded(t *testing.T) {
	const limit = 10_000
	read := func(input io.Reader) (int, error) {
		line, err := readLine(bufio.NewReaderSize(input, 4096), limit)
		return len(line), err
	}
	n, err := read(strings.NewReader(strings.Repeat("x", limit-1) + "\n"))
	require.NoError(t, err)
	require.Equal(t, limit-1, n)
	_, err = read(strings.NewReader(strings.Repeat("x", limit) + "\n"))
	require.ErrorIs(t, err, errLineTooLong)
	_, err = read(zeros{})
	require.ErrorIs(t, err, errLineTooLong)
}

// zeros is an endless line.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestFailuresOfTheRegistryHaveAFix(t *testing.T) {
	a := Artifact{Name: "x-tcg", Path: "/opt/my tools/x-tcg", Args: []string{"tcg"}, Group: "org.example", Package: "x"}
	ctx := t.Context()
	failures := []*ToolError{
		unsupportedLanguage("go"), rootMissing("/r"), closedError(), replacedError("x"),
		consentRequired(a), buildFailed(ctx, a, errors.New("e")), notThereAfterBuild(a),
		notStartable(a, errors.New("e")), notStartable(Artifact{Name: "self"}, errors.New("e")),
		crashedAgain(crashError("x-tcg", "exit status 1", ""), a, "/r", "validate", nil),
		protocolError("x", "noise"), frameTooLarge("validate"), internalError("e"),
	}
	for _, f := range failures {
		require.NotEmpty(t, f.Kind)
		require.NotEmpty(t, f.Detail, f.Kind)
		require.NotEmpty(t, f.Recipe, f.Kind)
		require.NotRegexp(t, `\.$`, f.Detail)
		require.NotRegexp(t, `\.$`, f.Recipe)
	}
	again := crashedAgain(crashError("x-tcg", "signal: killed", "a\nb\n"), a, "/it's", "type", map[string]string{"file": "src/a b.ts"})
	require.Equal(t, "x-tcg ended (signal: killed) (after one respawn)\nstderr: a\nb", again.Detail)
	require.Equal(t, `run this in a terminal to see why: '/opt/my tools/x-tcg' tcg type --root '/it'\''s' 'src/a b.ts'`, again.Recipe)
}

func TestLastLinesAreFew(t *testing.T) {
	require.Empty(t, lastLines(" \n"))
	require.Equal(t, "a\nb", lastLines("a\nb\n"))
	require.Equal(t, strings.Repeat("l\n", 7)+"l", lastLines(strings.Repeat("l\n", 100)))
	require.LessOrEqual(t, len(lastLines(strings.Repeat("é", 5000))), 810)
}
