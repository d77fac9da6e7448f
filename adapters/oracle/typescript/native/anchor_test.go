package native

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// TestAnchors holds what room is made for a statement at a place, best first.
func TestAnchors(t *testing.T) {
	const (
		statement, member, expression, typ, element = ";", ";" + probeMember, "((" + probeMember, "(new (" + probeMember, probeMember
	)
	for text, want := range map[string]string{
		"const a = ‸1":                              statement,
		"function f(p: ‸T) {}":                      typ,
		"function f(‸p) {}":                         element,
		"function f(p = ‸1) {}":                     expression,
		"function f(p): ‸T {}":                      typ,
		"function f(p) { ‸ }":                       statement,
		"const f = (p: ‸T) => p":                    typ,
		"const f = p => ‸p":                         expression,
		"f(‸p)":                                     statement,
		"type A<P> = ‸P":                            typ,
		"type A<P> = { [K in keyof P]: ‸P }":        typ,
		"interface A<P> { m<Q>(q: ‸Q): P }":         typ,
		"interface A<P> { ‸m(): P }":                element,
		"enum E { A, ‸B }":                          element,
		"enum E { A = ‸1 }":                         expression,
		"for (let i = 0; i < ‸n; i++) {}":           expression,
		"for (const x of y) ‸x":                     expression,
		"switch (x) { case ‸1: }":                   expression,
		"switch (x) { case 1: ‸ }":                  statement,
		"class A<P> { f = ‸1 }":                     member,
		"class A<P> { ‸ }":                          member,
		"class A<P> { static f = ‸1 }":              ";static " + probeMember,
		"class A<P> { m(p: ‸P) {} }":                typ,
		"class A<P> { @dec(‸) m() {} }":             member,
		"const o = { m(p = ‸1) {} }":                expression,
		"import { ‸a } from 'a'":                    statement,
		"const f = (a) => (b) => ‸b":                expression,
		"const s = `${‸a}`":                         statement,
		"a ? x => y : ‸z":                           statement,
		"const a: (x: X) => void = ‸y":              statement,
		"x.map(y => z = ‸y)":                        expression,
		"const f = <P>(p: ‸P) => p":                 typ,
		"function f<A, B extends ‸A>() {}":          typ,
		"class A<P> extends B<‸P> {}":               typ,
		"class A { constructor(a, private b = ‸a)}": expression,
	} {
		t.Run(text, func(t *testing.T) {
			before, after, ok := strings.Cut(text, "‸")
			require.True(t, ok)
			got := anchors("a.ts", before+after, len(before))
			require.NotEmpty(t, got)
			assert.True(t, strings.HasPrefix(got[0].before, want), "%q, not %q", got[0].before, want)
			assert.Equal(t, want == statement, got[0].before == statement)
		})
	}
}

func TestCallBehind(t *testing.T) {
	for text, want := range map[string]bool{
		"‸f(1)": true, "f‸(1)": true, "‸f<A>(1)": true, "‸f<A<B>>(1)": true, "‸f?.(1)": true,
		"‸f": false, "‸f.g(1)": false, "‸f < 1": false, "if ‸(x)": false, "‸": false, "‸f<(": false,
	} {
		before, after, _ := strings.Cut(text, "‸")
		open, ok := callBehind(before+after, len(before))
		assert.Equal(t, want, ok, text)
		if ok {
			assert.Equal(t, byte('('), (before + after)[open], text)
		}
	}
}

func TestImports(t *testing.T) {
	got := imports("import a, { b as c, type D } from './e';\nimport * as f from 'g';\nimport H = I.J;\nconst k = import('l');\nimport 'm';")
	for _, name := range []string{"a", "c", "D", "f", "H"} {
		assert.True(t, got[name], name)
	}
	for _, name := range []string{"k", "l", "m", "e", "g"} {
		assert.False(t, got[name], name)
	}
}

func TestMentions(t *testing.T) {
	assert.Equal(t, []int{0, 13, 19}, mentions("a.b ab .a ba(a) ...a; a", "a", 0)[:3:3])
	assert.Equal(t, []int{22}, mentions("a.b ab .a ba(a) ...a; a", "a", 20))
	assert.Empty(t, mentions("ab", "a", 0))
}

func TestSplitMarkdown(t *testing.T) {
	display, documentation := splitMarkdown("```typescript\nfunction f(): void\n```\nSee [g](file:///a.ts#1,2-3,4), [here](https://x.y).\n\n*@example*\n```ts\nf()\n```\n\n\n*@see* — [`h`](file:///a.ts#1)")
	assert.Equal(t, "function f(): void", display)
	assert.Equal(t, "See g, [here](https://x.y).\n\n*@example*\n```ts\nf()\n```\n\n*@see* — `h`", documentation)
}

// TestScopeInASignature holds that what makes room for statements shows in no
// signature, and that names are described where they mean something.
func TestScopeInASignature(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": strictConfig})
	text, at := place(t, "const shadowed = 1, outside = 2;\nexport function f<U extends string>(a: U, shadowed: Date, b: ‸U[]): U { return a }\nfunction g(outside: RegExp) {}\n")
	doc := oracle.Document{Path: filepath.Join(root, "src/s.ts"), Text: text}
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: doc.Path, Text: text}}))
	scope, err := b.Scope(t.Context(), doc, at, false)
	require.NoError(t, err)
	got := map[string]oracleproto.Symbol{}
	for _, s := range scope.Symbols {
		got[s.Name] = s
	}
	signature := "f<U extends string>(a: U, shadowed: Date, b: U[]): U"
	assert.Equal(t, "function "+signature, got["f"].TypeText)
	assert.Equal(t, "(type parameter) U extends string in "+signature, got["U"].TypeText)
	assert.Equal(t, "(parameter) a: U", got["a"].TypeText)
	assert.Equal(t, "(parameter) shadowed: Date", got["shadowed"].TypeText)
	assert.Equal(t, "const outside: 2", got["outside"].TypeText)
	assert.Equal(t, "(parameter) b: U[]", got["b"].TypeText)
}
