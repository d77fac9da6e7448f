package native

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
	"vibevm.org/tcgfamily/child/childtest"
)

// strictConfig is the tsconfig.json of most test projects.
const strictConfig = `{"compilerOptions": {"strict": true, "noEmit": true, "jsx": "preserve", "module": "esnext", "moduleResolution": "bundler"}, "include": ["src"]}`

func TestContract(t *testing.T) {
	oracletest.Contract(t, oracletest.Language{
		Backend: func(root string) oracle.Backend { return newBackend(t, root) },
		Project: project,
		Files:   map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "export const a = 1;\n"},
		File:    "src/a.ts", Clean: "export const a: number = 1;\n", Broken: "export const a: string = 1;\n", BrokenCode: "2322",
		Importing: "import { b } from './b';\nexport const a: number = b;\n",
		Missing:   "src/b.ts", Provided: "export const b = 2;\n", ImportCode: "2307",
		Member: "const user = { name: 'x', age: 3 };\nuser.‸\n", MemberName: "name", MemberType: "string",
		Typed: "/** Adds numbers. */\nexport function add(l: number, r: number) { return l + r; }\nad‸d;\n", Signature: "function add(l: number, r: number): number", Documentation: "Adds numbers.",
		Scoped:  "import { b } from './b';\nexport function outer<T>(arg: T) {\n  const inner = 1;\n  ‸\n}\nfunction other(hidden: T) {}\n",
		Visible: []string{"b", "outer", "T", "arg", "inner", "other"}, Hidden: []string{"hidden", "Array", "const"},
		Slow: slowText(4),
		Kill: killCompilers,
	})
}

// slowText is a text whose checks take the compiler about half a second for
// each repetition on a fast machine.
func slowText(n int) string {
	var b strings.Builder
	b.WriteString("type D = 0|1|2|3|4|5|6|7|8|9;\n")
	for i := range n {
		fmt.Fprintf(&b, "type A%[1]d = `a%[1]d${D}${D}`;\ntype B%[1]d = `a%[1]d${D}${D}` | 'z';\n"+
			"declare let f%[1]d: { [K in A%[1]d]: (x: { [P in B%[1]d]: K }) => void };\n"+
			"declare let g%[1]d: { [K in A%[1]d]: (x: { [P in B%[1]d]: K | 1 }) => void };\nf%[1]d = g%[1]d;\n", i)
	}
	return b.String() + "export {};\n"
}

// killCompilers kills a backend's compiler as the system would, by the process
// id that the process table confirms.
func killCompilers(t testing.TB, backend oracle.Backend) {
	t.Helper()
	pids := compilers(backend.(*Backend))
	require.NotEmpty(t, pids)
	for _, pid := range pids {
		require.NotEmpty(t, childtest.State(t, pid))
		kill(t, pid)
	}
}

// compilers lists the process id of a backend's compiler, if it runs.
func compilers(b *Backend) []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == nil {
		return nil
	}
	return []int{b.running.child.Pid()}
}

// awaitGone fails unless a process vanishes from the process table.
func awaitGone(t testing.TB, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return childtest.State(t, pid) == "" }, 20*time.Second, 20*time.Millisecond)
}
