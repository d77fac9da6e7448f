package tcgfamily_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/tcgfamily/tcgtest"
)

// family mounts the tools over a real registry of fake oracle processes.
func family(t *testing.T, o *tcgtest.Oracle, opts ...tcgfamily.Option) *tcgfamily.Family {
	t.Helper()
	registry := tcgfamily.NewOracleRegistry(
		tcgtest.FakeHost{Root: t.TempDir()},
		tcgtest.NewFakeBinaries(map[tcgfamily.Language]tcgfamily.Artifact{tcgfamily.TypeScript: o.Artifact()}),
	)
	t.Cleanup(func() { assert.NoError(t, registry.Close()) })
	return tcgfamily.New(registry, tcgfamily.Standalone(tcgfamily.TypeScript), opts...)
}

// A crash is mended once without the caller noticing; the second is told.
func TestCrashThroughTheRegistry(t *testing.T) {
	const args = `{"file":"a.ts","content":"x"}`
	answers := tcgtest.Life{Calls: []tcgtest.Act{{Result: json.RawMessage(cleanContent)}}}
	crashes := tcgtest.Life{Calls: []tcgtest.Act{{Do: tcgtest.Crash, Code: 3, Stderr: "out of memory\n"}}}

	a := call(t, family(t, tcgtest.NewOracle(t, crashes, answers)), "tcg_validate", args)
	assert.Contains(t, a.Text, "clean: ")

	got := failure(t, call(t, family(t, tcgtest.NewOracle(t, crashes)), "tcg_validate", args))
	assert.Equal(t, oracleproto.KindOracleCrashed, got.Kind)
	assert.Contains(t, got.Detail, "out of memory")
}

// An oracle that is late the first time goes on starting, and is there for the
// next call.
func TestWarmingThroughTheRegistry(t *testing.T) {
	awake := filepath.Join(t.TempDir(), "awake")
	o := tcgtest.NewOracle(t, tcgtest.Life{Calls: []tcgtest.Act{
		{Do: tcgtest.Wait, Until: awake, Result: json.RawMessage(cleanContent)},
		{Result: json.RawMessage(cleanContent)},
	}})
	f := family(t, o, tcgfamily.WithDeadline(200*time.Millisecond))
	const args = `{"file":"a.ts","content":"x"}`
	assert.Contains(t, call(t, f, "tcg_validate", args).Text, "unknown (warming)")
	require.NoError(t, os.WriteFile(awake, nil, 0o600))
	require.Eventually(t, func() bool {
		a, err := f.Call(t.Context(), "tcg_validate", json.RawMessage(args), nil)
		return err == nil && strings.HasPrefix(a.Text, "clean: ")
	}, 30*time.Second, 10*time.Millisecond)
	assert.Len(t, o.Pids(t), 1, "the oracle was started again")
}
