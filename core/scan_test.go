package core

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// valid is json.Valid by means of the scanner.
func valid(text []byte) bool {
	end := scanValue(text, skipSpace(text, 0), 0)
	return end != malformed && skipSpace(text, end) == len(text)
}

var scanSeeds = []string{
	``, ` `, `0`, `-0`, `00`, `01`, `-`, `-a`, `1.`, `.5`, `1.5`, `1.5e`, `1.5e+`, `1.5E-07`, `1e5`, `1e5x`, `+1`, `0x1`, `1 2`,
	`"`, `""`, `"a`, `"\\"`, `"\"`, `"\a"`, `"\/\b\f\n\r\t\""`, `"\u00e9"`, `"\u00E"`, `"\u00g0"`, `"\uD800"`, `"\u"`,
	"\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"\t\"", "\"\n\"",
	`true`, `tru`, `truer`, `false`, `fals`, `null`, `nul`, `nulll`, `True`,
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1`, `[`, `]`, `[]]`, `[[[]]]`, `[1}`,
	`{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{"a":}`, `{"a"}`, `{"a",1}`, `{a:1}`, `{"a":1 "b":2}`, `{1:2}`, `{"a":1]`, `{`, `}`,
	" \t\r\n{ \"a\" : [ 1 , { } ] } \n", "\v1", "\xef\xbb\xbf{}", "\u00a0{}",
}

func TestScanAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range scanSeeds {
		require.Equal(t, json.Valid([]byte(text)), valid([]byte(text)), "%q", text)
	}
}

func TestScanStopsAtTheNestingLimitOfEncodingJSON(t *testing.T) {
	for _, n := range []int{mostNested - 1, mostNested, mostNested + 1, 200000} {
		for _, pair := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			inner := "1"
			text := []byte(strings.Repeat(pair[0], n) + inner + strings.Repeat(pair[1], n))
			require.Equal(t, json.Valid(text), valid(text), n)
			require.Equal(t, n <= mostNested, valid(text), n)
		}
	}
}

// FuzzScan holds the scanner to json.Valid.
func FuzzScan(f *testing.F) {
	for _, seed := range scanSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		require.Equal(t, json.Valid(text), valid(text))
	})
}
