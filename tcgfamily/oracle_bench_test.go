package tcgfamily_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/tcgfamily/tcgtest"
)

// BenchmarkAsk is what the registry and two pipes add to a question: 4 KiB of
// content there, a result of 2 KiB back.
func BenchmarkAsk(b *testing.B) {
	result, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 2<<10)})
	require.NoError(b, err)
	o := tcgtest.NewOracle(b, calls(tcgtest.Act{Result: result}))
	r := tcgfamily.NewOracleRegistry(tcgtest.FakeHost{Root: b.TempDir()},
		tcgtest.NewFakeBinaries(map[tcgfamily.Language]tcgfamily.Artifact{ts: o.Artifact()}))
	defer func() { require.NoError(b, r.Close()) }()
	content := strings.Repeat("const a = 1 < 2;\n", 4<<10/17)
	params := oracleproto.ValidateParams{File: "a.ts", Content: &content}
	for b.Loop() {
		if _, err := r.Ask(b.Context(), ts, oracleproto.OpValidate, params); err != nil {
			b.Fatal(err)
		}
	}
}
