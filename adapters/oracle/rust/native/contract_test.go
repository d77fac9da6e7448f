package native

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
	"vibevm.org/tcgfamily/child/childtest"
)

func TestContract(t *testing.T) {
	analyzer := installed(t)
	oracletest.Contract(t, oracletest.Language{
		Backend: func(root string) oracle.Backend { return New(projectIn(root), analyzer) },
		Project: project,
		// The module that is missing is declared by another file, whose error it is.
		Files: map[string]string{"Cargo.toml": manifest, "src/lib.rs": "pub mod a;\npub mod b;\n", "src/a.rs": "pub const A: u32 = 1;\n"},
		File:  "src/a.rs", Clean: "pub const A: u8 = 1;\n", Broken: "pub fn a() -> String { 1u8 }\n", BrokenCode: "E0308",
		Importing: "pub use crate::b::b;\n",
		Missing:   "src/b.rs", Provided: "pub fn b() -> u32 { 2 }\n", ImportCode: "E0432",
		Member: "pub struct User { pub name: String }\npub fn f(user: User) { user.‸ }\n", MemberName: "name", MemberType: "String",
		Typed: "/// Adds numbers.\npub fn add(l: u32, r: u32) -> u32 { l + r }\npub fn f() { ad‸d(1, 2); }\n", Signature: "fn add(l: u32, r: u32) -> u32", Documentation: "Adds numbers.",
		Scoped:  "use std::fmt;\npub fn outer<T>(arg: T) {\n    let inner = 1;\n    ‸\n}\nfn other(hidden: u8) {}\n",
		Visible: []string{"fmt", "outer", "T", "arg", "inner", "other"}, Hidden: []string{"hidden", "Vec", "u8", "println!", "let"},
		Slow: slowText(1500),
		Kill: killAnalyzer,
	})
}

// slowText takes the analyzer over a millisecond for each repetition.
func slowText(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "pub fn f%d(v: Vec<u32>) -> Vec<String> { v.iter().map(|x| x + 1).filter(|x| x %% 2 == 0).zip(1..).map(|(a, b)| (a + b).to_string()).collect::<Vec<_>>() }\n", i)
	}
	return b.String()
}

// killAnalyzer kills a backend's analyzer as the system would, by the process
// id that the process table confirms.
func killAnalyzer(t testing.TB, backend oracle.Backend) {
	t.Helper()
	pid := pidOf(backend.(*Backend))
	require.NotZero(t, pid)
	require.NotEmpty(t, childtest.State(t, pid))
	p, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, p.Kill())
}

// pidOf is the process id of a backend's analyzer, 0 if none runs.
func pidOf(b *Backend) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == nil {
		return 0
	}
	return b.running.child.Pid()
}
