package native

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/child"
)

// shop is a small project in which tsc has much to say after a small change.
var shop = map[string]string{
	"tsconfig.json": `{
  // Comments and trailing commas are legal here.
  "compilerOptions": {
    "strict": true, "noEmit": true, "jsx": "preserve", "module": "esnext", "moduleResolution": "bundler",
    "noUnusedLocals": true, "noImplicitReturns": true, "allowJs": true, "checkJs": true, "declaration": true,
    "paths": {"@/*": ["./src/*"]},
  },
  "include": ["src"],
}`,
	"src/money.ts": "export interface Money { readonly amount: number; readonly currency: 'EUR' | 'USD' }\n" +
		"export const eur = (amount: number): Money => ({ amount, currency: 'EUR' });\n" +
		"/** @deprecated use eur */\nexport const euro = eur;\n",
	"src/cart.ts": "import { eur, type Money } from '@/money';\n" +
		"export interface Line { title: string; price: Money; count: number }\n" +
		"export function total(lines: readonly Line[]): Money {\n" +
		"  let sum = 0;\n" +
		"  for (const line of lines) {\n" +
		"    sum += line.price.amount * line.count;\n" +
		"  }\n" +
		"  return eur(sum);\n" +
		"}\n" +
		"export class Cart {\n" +
		"  private lines: Line[] = [];\n" +
		"  add(line: Line): this {\n" +
		"    this.lines.push(line);\n" +
		"    return this;\n" +
		"  }\n" +
		"  async sum(): Promise<Money> { return total(this.lines); }\n" +
		"}\n" +
		"const label = '😀'; export const first = label.length + 1;\n",
	"src/view.tsx": "import { total, type Line } from './cart';\n" +
		"declare global { namespace JSX { interface IntrinsicElements { b: { title?: string } } interface Element {} } }\n" +
		"export function View(props: { lines: Line[] }) {\n" +
		"  return <b title={String(total(props.lines).amount)}>sum</b>;\n" +
		"}\n",
	"src/script.js": shopScript,
}

const shopScript = "// @ts-check\n/** @param {number} n */\nexport function twice(n) { return n * 2; }\nexport const four = twice(2);\n"

// mutations are changes of one file; each is made alone.
var mutations = []struct{ name, file, old, new string }{
	{"number for string", "src/cart.ts", "let sum = 0", "let sum: string = 0"},
	{"dropped argument", "src/cart.ts", "eur(sum)", "eur()"},
	{"undefined name", "src/cart.ts", "return total(", "return totl("},
	{"unknown member", "src/cart.ts", "line.count", "line.cnt"},
	{"dropped import", "src/cart.ts", "import { eur, type Money } from '@/money';", ""},
	{"wrong import path", "src/cart.ts", "'@/money'", "'@/monye'"},
	{"missing export", "src/cart.ts", "import { eur,", "import { usd, eur,"},
	{"message chain", "src/cart.ts", "export class Cart {", "const c: { total(a: { x: { y: number } }): void } = { total(a: { x: { y: string } }) {} };\nc.total;\nexport class Cart {"},
	{"long message chain", "src/cart.ts", "return eur(sum);", "return { amount: { deep: 1 }, currency: 'GBP', extra: true };"},
	{"readonly", "src/cart.ts", "sum += line", "line.price.amount = 1; sum += line"},
	{"unused local", "src/cart.ts", "let sum = 0;", "let sum = 0; const unused = 1;"},
	{"implicit return", "src/cart.ts", "return eur(sum);", "if (sum) return eur(sum);"},
	{"implicit any", "src/cart.ts", "add(line: Line)", "add(line)"},
	{"emoji before the error", "src/cart.ts", "label.length + 1", "label.length.nope"},
	{"error behind an emoji in a comment", "src/cart.ts", "return this;", "/* 😀😀 */ return thsi;"},
	{"deprecated is no error", "src/cart.ts", "import { eur, type Money }", "import { euro as eur, type Money }"},
	{"two errors in one line", "src/cart.ts", "let sum = 0;", "let sum = 0; const a: string = 1, b: number = 'x'; a; b;"},
	{"override", "src/cart.ts", "export class Cart {", "class Base { add() {} }\nexport class Cart extends Base {"},
	{"declaration emit", "src/cart.ts", "export class Cart {", "class Hidden { private x = 1; }\nexport const make = () => class { private p = new Hidden(); };\nexport class Cart {"},
	{"declaration emit beside an error", "src/cart.ts", "export class Cart {", "export const make = () => class { private p = 1; };\nexport const n: number = '';\nexport class Cart {"},
	{"duplicate identifier", "src/cart.ts", "let sum = 0;", "let sum = 0; let sum = 1;"},
	{"missing brace", "src/cart.ts", "  }\n  return eur(sum);", "  return eur(sum);"},
	{"missing parenthesis", "src/cart.ts", "eur(sum);", "eur(sum;"},
	{"syntax error hides type errors", "src/cart.ts", "let sum = 0;", "let sum: string = 0; const = 1;"},
	{"misspelt keyword", "src/cart.ts", "export class Cart", "export clas Cart"},
	{"unterminated string", "src/cart.ts", "'😀';", "'😀;"},
	{"unterminated template", "src/cart.ts", "'😀';", "`😀;"},
	{"grammar error of the checker", "src/cart.ts", "add(line: Line): this {", "add(line: Line): this { await 1;"},
	{"grammar and type errors", "src/cart.ts", "add(line: Line): this {", "add(line: Line): this { await 1; const s: string = 2; s;"},
	{"abstract in a plain class", "src/cart.ts", "  add(line", "  abstract nope(): void;\n  add(line"},
	{"hash-bang and syntax error", "src/cart.ts", "import { eur, type Money } from '@/money';\n", "#!/usr/bin/env node\nimport { eur, type Money } from '@/money';\nconst = 1;\n"},
	{"ts-check and syntax error", "src/cart.ts", "import { eur, type Money }", "// @ts-check\nconst s: string = 1; const = 1;\nimport { eur, type Money }"},
	{"ts-check last and syntax error", "src/cart.ts", "import { eur, type Money }", "// @ts-nocheck\n/* 😀 */ // @ts-check\nconst s: string = 1; const = 1;\nimport { eur, type Money }"},
	{"ts-nocheck and syntax error", "src/cart.ts", "import { eur, type Money }", "// @ts-nocheck\nconst s: string = 1; const = 1;\nimport { eur, type Money }"},
	{"ts-nocheck last and syntax error", "src/cart.ts", "import { eur, type Money }", "// @ts-check\n// @ts-nocheck\nconst s: string = 1; const = 1;\nimport { eur, type Money }"},
	{"ts-nocheck", "src/cart.ts", "import { eur, type Money }", "// @ts-nocheck\nconst s: string = 1;\nimport { eur, type Money }"},
	{"comment before a syntax error in its line", "src/cart.ts", "import { eur, type Money }", "// @ts-check\n/* 😀\n 😀 */ const = 1; const s: string = 1;\nimport { eur, type Money }"},
	{"hash-bang, ts-check and syntax error", "src/cart.ts", "import { eur, type Money }", "#!/usr/bin/env node\n// @ts-check\nconst s: string = 1; const = 1;\nimport { eur, type Money }"},
	{"checked javascript and syntax error", "src/script.js", "export const four = twice(2)", "const = 1; export const four = twice('2')"},
	{"unterminated comment", "src/cart.ts", "import { eur, type Money }", "// @ts-check\n/* import { eur, type Money }"},
	{"only comments, unterminated", "src/script.js", shopScript, "// @ts-check\n/* /"},
	{"unterminated hash-bang", "src/script.js", shopScript, "#!"},
	{"JavaScript with types and type errors", "src/script.js", "export const four = twice(2)", "export const four: number = twice('2'); four.nope"},
	{"JSDoc error and type error", "src/script.js", "@param {number} n */", "@param {number} m */\nexport const s = 1; s.nope;"},
	{"syntax error in the first line", "src/cart.ts", "import { eur, type Money }", "import { eur, , type Money }"},
	{"ts-expect-error unused", "src/cart.ts", "let sum = 0;", "// @ts-expect-error\n  let sum = 0;"},
	{"CRLF", "src/cart.ts", "  let sum = 0;\n", "  let sum = 0;\r\n  const crlf: string = 1;\r\n  crlf;\r\n"},
	{"jsx attribute", "src/view.tsx", "title={String(", "title={Number("},
	{"unclosed jsx", "src/view.tsx", "</b>", ""},
	{"unknown jsx element", "src/view.tsx", "<b title={String(total(props.lines).amount)}>sum</b>", "<i/>"},
	{"checked javascript", "src/script.js", "twice(2)", "twice('2')"},
	{"typescript in javascript", "src/script.js", "export const four =", "export const four: number ="},
	{"no change", "src/cart.ts", "label", "label"},
}

// TestEqualsTsc makes each mutation once as hypothetical content and once on
// disk, and compares with what `tsc --noEmit` prints for the file.
func TestEqualsTsc(t *testing.T) {
	root := project(t, shop)
	b := newBackend(t, root)
	defer func() { require.NoError(t, b.Close()) }()
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			path := filepath.Join(root, m.file)
			require.Contains(t, shop[m.file], m.old)
			text := strings.Replace(shop[m.file], m.old, m.new, 1)

			require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: path, Text: text}}))
			v, err := b.Validate(t.Context(), oracle.Document{Path: path, Text: text}, oracle.Check{})
			require.NoError(t, err)
			require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlayClear, Path: path}}))
			require.Empty(t, v.Unknown)
			got := []string{}
			for _, d := range v.Diagnostics {
				got = append(got, fmt.Sprintf("%d:%d TS%s %s", d.Line, d.Character, d.Code, d.Message))
			}

			write(t, path, text)
			defer write(t, path, shop[m.file])
			assert.Equal(t, tsc(t, root, m.file), got)
		})
	}
}

// TestIsolatedDeclarationsBesideGrammar compares errors that a text keeps when
// nothing in it is checked and that are no syntax.
func TestIsolatedDeclarationsBesideGrammar(t *testing.T) {
	const text = "export const f = () => g();\nfunction g() { return 1 }\nenum E { A }\n"
	root := project(t, map[string]string{
		"tsconfig.json": `{"compilerOptions": {"isolatedDeclarations": true, "declaration": true, "erasableSyntaxOnly": true, "strict": true, "module": "esnext", "moduleResolution": "bundler", "types": []}}`,
		"a.ts":          text,
	})
	b := newBackend(t, root)
	defer func() { require.NoError(t, b.Close()) }()
	got := []string{}
	for _, d := range validate(t, b, filepath.Join(root, "a.ts"), text).Diagnostics {
		got = append(got, fmt.Sprintf("%d:%d TS%s %s", d.Line, d.Character, d.Code, d.Message))
	}
	want := tsc(t, root, "a.ts")
	assert.Len(t, want, 2)
	assert.Equal(t, want, got)
}

var tscLine = regexp.MustCompile(`^([^( ][^(]*)\((\d+),(\d+)\): error (TS\d+): (.*)$`)

// tsc runs the compiler as a person does and lists what it prints about a file,
// columns 0-based. It prints about every file of the project, so errors that a
// change causes elsewhere are left out here.
func tsc(t *testing.T, root, file string) []string {
	t.Helper()
	out, err := child.Run(t.Context(), child.Spec{Path: executable(root), Args: []string{"--noEmit", "--pretty", "false", "-p", "tsconfig.json"}, Dir: root}, nil)
	var exit *child.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
	}
	found := []string{}
	ours := false
	for line := range bytes.Lines(out) {
		text := strings.TrimRight(string(line), "\r\n")
		if m := tscLine.FindStringSubmatch(text); m != nil {
			if ours = m[1] == file; ours {
				column, err := strconv.Atoi(m[3])
				require.NoError(t, err)
				found = append(found, fmt.Sprintf("%s:%d %s %s", m[2], column-1, m[4], m[5]))
			}
		} else if ours && strings.HasPrefix(text, " ") {
			found[len(found)-1] += "\n" + text
		}
	}
	if os.Getenv("TCG_TEST_VERBOSE") != "" {
		t.Logf("%s", out)
	}
	return found
}
