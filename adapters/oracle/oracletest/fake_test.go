package oracletest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFake(t *testing.T) {
	oracletest.Contract(t, oracletest.Language{
		Backend: func(root string) oracle.Backend { return oracletest.NewFake(root) },
		Project: func(t testing.TB, files map[string]string) string {
			t.Helper()
			root, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			for name, text := range files {
				require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
			}
			return root
		},
		Files: map[string]string{"a.fake": "name a number\n"},
		File:  "a.fake", Clean: "name b string\n", Broken: "bad\n", BrokenCode: "1",
		Importing: "use b.fake\n", Missing: "b.fake", Provided: "name b string\n", ImportCode: "2",
		Member: "name size number\n‸\n", MemberName: "size", MemberType: "number",
		Typed: "name si‸ze number\n", Signature: "size: number", Documentation: "A name",
		Scoped: "name a x\n‸\nname b x\n", Visible: []string{"a"}, Hidden: []string{"b"},
		Slow: "slow\n",
		Kill: func(_ testing.TB, b oracle.Backend) { b.(*oracletest.Fake).Kill() },
	})
}
