package native

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// place finds the mark ‸ of a text and takes it out.
func place(t *testing.T, text string) (string, oracleproto.Position) {
	t.Helper()
	before, after, ok := strings.Cut(text, "‸")
	require.True(t, ok)
	line := before[strings.LastIndexByte(before, '\n')+1:]
	units := 0
	for _, r := range line {
		if units++; r > 0xffff {
			units++
		}
	}
	return before + after, oracleproto.Position{Line: 1 + strings.Count(before, "\n"), Character: units}
}

func TestComplete(t *testing.T) {
	b, root := open(t, map[string]string{
		"tsconfig.json": strictConfig,
		"src/lib.ts":    "export const shared = 1;\nexport function helper(n: number): string { return '' + n; }\n",
	})
	const types = "interface User { name: string; age?: number; greet(other: User): void; 'odd-name': 1; bag: any }\ndeclare const user: User | undefined;\ndeclare const sure: User;\n"
	for name, tc := range map[string]struct {
		text, prefix string
		want         []oracleproto.Entry
		exact        bool // want is all there is
	}{
		"member": {types + "sure.‸", "", []oracleproto.Entry{
			{Name: "age", Kind: "property", TypeText: "(property) User.age?: number | undefined"},
			{Name: "bag", Kind: "property", TypeText: "(property) User.bag: any", Unsafe: true},
			{Name: "greet", Kind: "method", TypeText: "(method) User.greet(other: User): void"},
			{Name: "name", Kind: "property", TypeText: "(property) User.name: string"},
			{Name: "odd-name", Kind: "property", TypeText: "(property) User['odd-name']: 1"},
		}, true},
		"optional chain":       {types + "user?.gr‸", "gr", []oracleproto.Entry{{Name: "greet", Kind: "method", TypeText: "(method) User.greet(other: User): void"}}, true},
		"behind an emoji":      {types + "const s = '😀'; sure.na‸", "na", []oracleproto.Entry{{Name: "name", Kind: "property", TypeText: "(property) User.name: string"}}, true},
		"half-typed statement": {types + "function f(arg: User) {\n  if (arg.na‸\n", "na", []oracleproto.Entry{{Name: "name", Kind: "property", TypeText: "(property) User.name: string"}}, true},
		"exported here":        {"export class Klass<T> {}\nexport function klassy(): void {}\nKl‸", "Kl", []oracleproto.Entry{{Name: "Klass", Kind: "class", TypeText: "class Klass<T>"}}, true},
		"case-sensitive":       {"const abc = 1, Abd = 2;\n‸", "Ab", []oracleproto.Entry{{Name: "Abd", Kind: "variable", TypeText: "const Abd: 2"}, {Name: "AbortController", Kind: "variable"}}, false},
		"parameter":            {"function f(argument: number) { return arg‸ }", "argumen", []oracleproto.Entry{{Name: "argument", Kind: "parameter", TypeText: "(parameter) argument: number"}, {Name: "arguments", Kind: "variable", TypeText: "(property) arguments: IArguments"}}, false},
		"import specifier":     {"const helper = 1;\nimport { hel‸ } from './lib';\n", "hel", []oracleproto.Entry{{Name: "helper", Kind: "function", TypeText: "function helper(n: number): string"}}, true},
		"object literal":       {types + "declare const nam: 1;\nconst u: User = { na‸ };\n", "nam", []oracleproto.Entry{{Name: "name", Kind: "property", TypeText: "(property) User.name: string"}}, false},
		"type position":        {types + "let u: Use‸", "User", []oracleproto.Entry{{Name: "User", Kind: "interface", TypeText: "interface User"}}, false},
		"keyword":              {"ret‸", "retur", []oracleproto.Entry{{Name: "return", Kind: "keyword"}}, false},
		"comment":              {"// he‸", "", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			text, at := place(t, tc.text)
			doc := oracle.Document{Path: filepath.Join(root, "src/c.ts"), Text: text}
			require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: doc.Path, Text: text}}))
			got, err := b.Complete(t.Context(), doc, at, tc.prefix, 100)
			require.NoError(t, err)
			if tc.exact {
				assert.Len(t, got.Entries, len(tc.want))
				assert.Equal(t, len(tc.want), got.Total)
			}
			for _, want := range tc.want {
				i := slices.IndexFunc(got.Entries, func(e oracleproto.Entry) bool { return e.Name == want.Name })
				if !assert.GreaterOrEqual(t, i, 0, "%s in %v", want.Name, got.Entries) {
					continue
				}
				if want.TypeText == "" {
					want.TypeText = got.Entries[i].TypeText
				}
				assert.Equal(t, want, got.Entries[i])
			}
		})
	}
}

func TestCompleteRanksLocalsBeforeGlobalsAndCutsAfterwards(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": strictConfig})
	text, at := place(t, "const zebra = 1; const yak = 2;\n‸")
	doc := oracle.Document{Path: filepath.Join(root, "src/c.ts"), Text: text}
	got, err := b.Complete(t.Context(), doc, at, "", 3)
	require.NoError(t, err)
	require.Len(t, got.Entries, 3)
	assert.Equal(t, "yak", got.Entries[0].Name)
	assert.Equal(t, "zebra", got.Entries[1].Name)
	assert.Greater(t, got.Total, 500)
	assert.NotEmpty(t, got.Entries[2].TypeText, "a global has a type as well")
}

func TestType(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": strictConfig})
	const head = "/** Says *hello*.\n * @param who the one */\nexport function hello(who: string): void {}\n"
	for name, tc := range map[string]struct{ text, display, documentation string }{
		"start of a name":     {head + "‸hello('');", "function hello(who: string): void", "Says *hello*."},
		"end of a name":       {head + "hello‸('');", "function hello(who: string): void", "Says *hello*."},
		"end of the text":     {head + "hello‸", "function hello(who: string): void", "@param"},
		"name behind emoji":   {"const s = '😀', mark‸ed = 1;", "const marked: 1", ""},
		"member":              {"const o = { deep: { er: 1 } }; o.deep.e‸r;", "(property) er: number", ""},
		"blank":               {"const a = 1;\n‸\n", "", ""},
		"between operators":   {"const a = 1 + ‸ + 2;", "", ""},
		"half-typed":          {"const half = { x: 1 }; ha‸lf.", "const half: {\n    x: number;\n}", ""},
		"multi-line":          {"interface P { a: 1; b: 2 }\ndeclare const p: { x: P; y: P };\n‸p;", "const p: {\n    x: P;\n    y: P;\n}", ""},
		"code fence in a doc": {"/** Use\n * ```ts\n * f()\n * ```\n * so. */\nfunction f() {}\n‸f();", "function f(): void", "```ts\nf()\n```"},
	} {
		t.Run(name, func(t *testing.T) {
			text, at := place(t, tc.text)
			doc := oracle.Document{Path: filepath.Join(root, "src/t.ts"), Text: text}
			require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: doc.Path, Text: text}}))
			got, err := b.Type(t.Context(), doc, at)
			require.NoError(t, err)
			assert.Equal(t, tc.display, got.Display)
			assert.Contains(t, got.Documentation, tc.documentation)
			if tc.display == "" {
				assert.Empty(t, got.Documentation)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	for display, want := range map[string]string{
		"(alias) function f(): void\nimport f": "function",
		"(parameter) x: 1":                     "parameter",
		"(local var) x":                        "variable",
		"(type parameter) T in f<T>(): void":   "type-parameter",
		"(enum member) E.A = 0":                "enum-member",
		"abstract class A":                     "class",
		"const x: 1":                           "variable",
		"namespace N":                          "module",
		"(unheard of) x":                       "",
		"(":                                    "",
		"":                                     "",
	} {
		assert.Equal(t, want, kindOf(display), display)
	}
}
