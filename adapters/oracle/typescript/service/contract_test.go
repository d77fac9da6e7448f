package service

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
	"vibevm.org/tcgfamily/child/childtest"
)

// strictConfig is the tsconfig.json of most test projects.
const strictConfig = `{"compilerOptions": {"strict": true, "noEmit": true, "jsx": "preserve", "module": "esnext", "target": "es2022", "moduleResolution": "bundler"}, "include": ["src"]}`

func TestContract(t *testing.T) {
	for _, name := range everyVersion {
		t.Run(versions[name], func(t *testing.T) {
			oracletest.Contract(t, oracletest.Language{
				Backend: func(root string) oracle.Backend { return newBackend(t, root, name) },
				Project: func(t testing.TB, files map[string]string) string { return project(t, name, files) },
				Files:   map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "export const a = 1;\n"},
				File:    "src/a.ts", Clean: "export const a: number = 1;\n", Broken: "export const a: string = 1;\n", BrokenCode: "2322",
				Importing: "import { b } from './b';\nexport const a: number = b;\n",
				Missing:   "src/b.ts", Provided: "export const b = 2;\n", ImportCode: "2307",
				Member: "const user = { name: 'x', age: 3 };\nuser.‸\n", MemberName: "name", MemberType: "string",
				Typed: "/** Adds numbers. */\nexport function add(l: number, r: number) { return l + r; }\nad‸d;\n", Signature: "function add(l: number, r: number): number", Documentation: "Adds numbers.",
				Scoped:  "import { b } from './b';\nexport function outer<T>(arg: T) {\n  const inner = 1;\n  ‸\n}\nfunction other(hidden: T) {}\n",
				Visible: []string{"b", "outer", "T", "arg", "inner", "other"}, Hidden: []string{"hidden", "Array", "const"},
				Slow: slowText(2),
				Kill: func(t testing.TB, b oracle.Backend) {
					pid := compilerPid(t, b.(*Backend))
					require.NotEmpty(t, childtest.State(t, pid))
					kill(t, pid)
				},
			})
		})
	}
}

// slowText is a text whose checks take the compiler about a second for each
// repetition, and which it may give up between them: at declarations it looks
// whether to go on.
func slowText(n int) string {
	var b strings.Builder
	b.WriteString("type D = 0|1|2|3|4|5|6|7|8|9;\n")
	for i := range n {
		fmt.Fprintf(&b, "type A%[1]d = `a%[1]d${D}${D}`;\ntype B%[1]d = `a%[1]d${D}${D}` | 'z';\n"+
			"declare let f%[1]d: { [K in A%[1]d]: (x: { [P in B%[1]d]: K }) => void };\n"+
			"declare let g%[1]d: { [K in A%[1]d]: (x: { [P in B%[1]d]: K | 1 }) => void };\nf%[1]d = g%[1]d;\nclass C%[1]d {}\n", i)
	}
	return b.String() + "export {};\n"
}
