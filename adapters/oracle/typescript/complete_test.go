package typescript

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

// answering are the versions that are held to the same answers.
var answering = []string{"5.0.4", "5.9.3", "6.0.3", "7.0.2"}

// openAnswering opens a project of a version, with a module to import.
func openAnswering(t *testing.T, version string) (*Backend, string) {
	t.Helper()
	return openProject(t, version, map[string]string{"tsconfig.json": answersConfig, "src/lib.ts": libText})
}

const answersConfig = `{"compilerOptions": {"strict": true, "noEmit": true, "jsx": "preserve", "module": "esnext", "target": "es2022", "moduleResolution": "bundler"}, "include": ["src"]}`

const libText = `/**
 * Says *hello* to {@link User}.
 *
 * More.
 * @param who the one
 * @param times - how often
 * @returns nothing much
 * @throws when bad
 * @example
 * hello("x", 1)
 * @deprecated use other
 */
export function hello<T>(who: T, times: number): void {}
export interface User { name: string; age?: number; greet(other: User): void; 'odd-name': 1; bag: any }
export function over(a: string): string;
export function over(a: number): number;
export function over(a: any): any { return a }
export class Box<T> { constructor(public value: T) {} static make<U>(u: U): Box<U> { return new Box(u) } }
export type Method = 'get' | 'post' | 'put-it';
export const user: User = null!;
export const maybe: User | undefined = undefined;
`

const jsxText = `declare namespace JSX { interface Element { e: 1 } interface ElementAttributesProperty { props: {} } interface IntrinsicElements { div: { id?: string; title: 'long' | 'short' } } }
function Comp(props: { size: number; label?: string }): JSX.Element { return null! }
`

const (
	greet = "(method) User.greet(other: User): void"
	age   = "(property) User.age?: number | undefined"
)

// completions are texts with the place to complete at, and what is offered.
var completions = map[string]struct {
	file, text, prefix string
	want               []oracleproto.Entry
	exact              bool // want is all there is
}{
	"behind a dot": {"a.ts", "import { user } from './lib';\nuser.‸", "", []oracleproto.Entry{
		{Name: "age", Kind: "property", TypeText: age},
		{Name: "bag", Kind: "property", TypeText: "(property) User.bag: any", Unsafe: true},
		{Name: "greet", Kind: "method", TypeText: greet},
		{Name: "name", Kind: "property", TypeText: "(property) User.name: string"},
		{Name: "odd-name", Kind: "property", TypeText: "(property) User['odd-name']: 1"},
	}, true},
	"behind a question mark and dot":        {"a.ts", "import { maybe } from './lib';\nmaybe?.gr‸", "gr", []oracleproto.Entry{{Name: "greet", Kind: "method", TypeText: greet}}, true},
	"behind a dot that needs the mark":      {"a.ts", "import { maybe } from './lib';\nmaybe.ag‸", "ag", []oracleproto.Entry{{Name: "age", Kind: "property", TypeText: age}}, true},
	"generic instantiated":                  {"a.ts", "const m = new Map<string, number[]>();\nm.ge‸", "ge", []oracleproto.Entry{{Name: "get", Kind: "method", TypeText: "(method) Map<string, number[]>.get(key: string): number[] | undefined"}}, true},
	"private member":                        {"a.ts", "class P { #secret = 1; m() { this.#s‸ } }", "#s", []oracleproto.Entry{{Name: "#secret", Kind: "property", TypeText: "(property) P.#secret: number"}}, true},
	"enum member":                           {"a.ts", "enum E { A, B = 'x' }\nE.‸", "", []oracleproto.Entry{{Name: "A", Kind: "enum-member", TypeText: "(enum member) E.A = 0"}, {Name: "B", Kind: "enum-member", TypeText: `(enum member) E.B = "x"`}}, true},
	"import braces":                         {"a.ts", "import { Me‸ } from './lib';\n", "Me", []oracleproto.Entry{{Name: "Method", Kind: "type", TypeText: `type Method = "get" | "post" | "put-it"`}}, true},
	"import braces that are open":           {"a.ts", "import { user, he‸ from './lib';\n", "he", []oracleproto.Entry{{Name: "hello", Kind: "function", TypeText: "function hello<T>(who: T, times: number): void"}}, true},
	"import braces of types":                {"a.ts", "import type { Us‸ } from './lib';\n", "Us", []oracleproto.Entry{{Name: "User", Kind: "interface", TypeText: "interface User"}}, true},
	"export braces":                         {"a.ts", "export { Bo‸ } from './lib';\n", "Bo", []oracleproto.Entry{{Name: "Box", Kind: "class", TypeText: "class Box<T>"}}, true},
	"object literal key":                    {"a.ts", "import type { User } from './lib';\nconst u: User = { name: '', ag‸ };", "ag", []oracleproto.Entry{{Name: "age", Kind: "property", TypeText: age}}, true},
	"object literal key in an open call":    {"a.ts", "import type { User } from './lib';\nfunction f(u: User) {}\nfunction g() {\n  f({ gr‸\n}\nconst z = 1;\n", "gr", []oracleproto.Entry{{Name: "greet", Kind: "method", TypeText: greet}}, true},
	"destructuring":                         {"a.ts", "import { user } from './lib';\nconst { na‸ } = user;", "na", []oracleproto.Entry{{Name: "name", Kind: "property", TypeText: "(property) User.name: string"}}, true},
	"attribute of an element":               {"x.tsx", jsxText + "const x = <div ti‸ />;", "ti", []oracleproto.Entry{{Name: "title", Kind: "property", TypeText: `(property) title: "long" | "short"`}}, true},
	"attribute of a component":              {"x.tsx", jsxText + "const x = <Comp ‸ />;", "", []oracleproto.Entry{{Name: "size", Kind: "property", TypeText: "(property) size: number"}, {Name: "label", Kind: "property", TypeText: "(property) label?: string | undefined"}}, true},
	"attribute of an open element":          {"x.tsx", jsxText + "function C() {\n  return <Comp la‸\n}\nconst z = 1;\n", "la", []oracleproto.Entry{{Name: "label", Kind: "property", TypeText: "(property) label?: string | undefined"}}, true},
	"attribute's string":                    {"x.tsx", jsxText + "const x = <div title=\"‸\" />;", "", literals("long", "short"), true},
	"string literal":                        {"a.ts", "import type { Method } from './lib';\nfunction f(m: Method) {}\nf('p‸');", "p", literals("post", "put-it"), true},
	"string literal that is open":           {"a.ts", "import type { Method } from './lib';\nfunction f(m: Method) {}\nfunction g() {\n  f('‸\n}\n", "", literals("get", "post", "put-it"), true},
	"string literal that is compared":       {"a.ts", "import type { Method } from './lib';\ndeclare const m: Method;\nif (m === \"g‸\") {}", "g", literals("get"), true},
	"string literal of a case":              {"a.ts", "import type { Method } from './lib';\ndeclare const m: Method;\nswitch (m) { case 'g‸' }", "g", literals("get"), true},
	"key in brackets":                       {"a.ts", "import { user } from './lib';\nuser['od‸']", "od", []oracleproto.Entry{{Name: "odd-name", Kind: "property", TypeText: "(property) User['odd-name']: 1"}}, true},
	"half-typed condition":                  {"a.ts", "import { user } from './lib';\nfunction f() {\n  if (user.na‸\n", "na", []oracleproto.Entry{{Name: "name", Kind: "property", TypeText: "(property) User.name: string"}}, true},
	"half-typed call":                       {"a.ts", "import { user } from './lib';\nfunction f() {\n  console.log(user.na‸\n}\nconst z = 1;\n", "na", []oracleproto.Entry{{Name: "name", Kind: "property", TypeText: "(property) User.name: string"}}, true},
	"half-typed template":                   {"a.ts", "import { user } from './lib';\nconst s = `${user.na‸", "na", []oracleproto.Entry{{Name: "name", Kind: "property", TypeText: "(property) User.name: string"}}, true},
	"type":                                  {"a.ts", "import type { User } from './lib';\nlet u: Array<Use‸", "User", []oracleproto.Entry{{Name: "User", Kind: "interface", TypeText: "(alias) interface User"}}, false},
	"parameter":                             {"a.ts", "function f(argument: number) { return argume‸ }", "argum", []oracleproto.Entry{{Name: "argument", Kind: "parameter", TypeText: "(parameter) argument: number"}, {Name: "arguments", Kind: "variable"}}, true},
	"keyword":                               {"a.ts", "retu‸", "retu", []oracleproto.Entry{{Name: "return", Kind: "keyword"}}, true},
	"behind an emoji":                       {"a.ts", "import { user } from './lib';\nconst s = '😀'; user.na‸", "na", []oracleproto.Entry{{Name: "name", Kind: "property", TypeText: "(property) User.name: string"}}, true},
	"nothing is imported to complete":       {"a.ts", "Metho‸", "Metho", nil, true},
	"the prefix minds upper and lower case": {"a.ts", "const abcde = 1, Abcdf = 2;\n‸", "Abc", []oracleproto.Entry{{Name: "Abcdf", Kind: "variable", TypeText: "const Abcdf: 2"}}, true},
	"comment":                               {"a.ts", "// he‸", "", nil, true},
}

// literals are the entries of a string's values.
func literals(values ...string) []oracleproto.Entry {
	var out []oracleproto.Entry
	for _, v := range values {
		out = append(out, oracleproto.Entry{Name: v, Kind: "constant", TypeText: v})
	}
	return out
}

func TestCompletions(t *testing.T) {
	for _, version := range answering {
		t.Run(version, func(t *testing.T) {
			b, root := openAnswering(t, version)
			for name, tc := range completions {
				t.Run(name, func(t *testing.T) {
					text, at := marked(tc.text)
					doc := overlay(t, b, filepath.Join(root, "src", tc.file), text)
					got, err := b.Complete(t.Context(), doc, at[0], tc.prefix, 100)
					require.NoError(t, err)
					byName := map[string]oracleproto.Entry{}
					for _, e := range got.Entries {
						byName[e.Name] = e
					}
					if tc.exact {
						assert.Len(t, byName, len(tc.want), "%v", got.Entries)
						assert.Equal(t, len(tc.want), got.Total)
					}
					for _, want := range tc.want {
						if want.TypeText == "" {
							want.TypeText = byName[want.Name].TypeText
						}
						assert.Equal(t, want, byName[want.Name])
					}
					if len(tc.want) == 0 {
						assert.NotEmpty(t, got.Advice)
					} else {
						assert.Empty(t, got.Advice)
					}
				})
			}
		})
	}
}

// TestCompletionsAreCut holds that the best are kept, and that what matched is
// counted before.
func TestCompletionsAreCut(t *testing.T) {
	for _, version := range answering {
		t.Run(version, func(t *testing.T) {
			b, root := openAnswering(t, version)
			text, at := marked("const zebra = 1; const yak = 2;\n‸")
			doc := overlay(t, b, filepath.Join(root, "src/a.ts"), text)
			got, err := b.Complete(t.Context(), doc, at[0], "", 3)
			require.NoError(t, err)
			require.Len(t, got.Entries, 3)
			assert.Equal(t, "yak", got.Entries[0].Name)
			assert.Equal(t, "zebra", got.Entries[1].Name)
			assert.NotEmpty(t, got.Entries[2].TypeText, "a global has a type as well")
			assert.Greater(t, got.Total, 500)
		})
	}
}
