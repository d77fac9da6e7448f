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

// places is a text full of constructs that a scan for statements can trip over.
// At each mark ‹names› the scope holds these names (and not those behind !)
// besides the module's own.
const places = `#!/usr/bin/env node
import { a } from "./a";
import type * as NS from "./a";
/** doc { */
export class Box<T> extends Array<{ x: T }> {
  private priv = 1; ‹T !loc›
  handler = (ev: T) => { const inHandler = ev; ‹T,ev,inHandler !p› };
  get acc(): number { const inGet = 1; ‹T,inGet› return inGet }
  static { const inStatic = 1; ‹inStatic !inGet› }
  meth<M>(p: number): { a: T } {
    const loc = p
    if (loc > 2) { let deep = 1; ‹T,M,p,loc,deep,arguments›
    } else {
      ‹T,M,p,loc !deep›
    }
    return null!;
  }
}
const re = /[}{` + "`" + `"]/g, half = 4 / 2 / 1;
const tpl = ` + "`a ${ [1].map(q => `x${ q ‹q› }`) } } {`" + `;
export async function outer<U extends { k: 1 }>(arg: U, { other, ...rest }: { other?: string; rest: 1 }): Promise<{ r: U } | undefined> {
  const inner = { k: 1, m(z: number): string { ‹U,arg,other,rest,inner,z› return "" } };
  if (!other) return
  ‹U,arg,other,rest,inner !z›
  switch (inner.k) {
    case 1: { const inCase = 1; ‹inCase› break }
    default:
      const inDefault = 2; ‹inDefault !inCase›
  }
  for (const [i, e] of [1].entries()) ([1, 2]).map(el => el.toFixed(‹el,i,e›));
  ([1, 2]).map((el2, ix) => ({ el2, ix, sum: el2 + ix ‹el2,ix› }));
  try { ‹U› } catch (err) { ‹err› }
  label: for (;;) { const inLoop = 1; ‹inLoop›; break label }
  return undefined;
}
type Al<P> = { [K in keyof P]: P[K] };
type Fn<F> = (cb: (x: F) => void) => F
interface Iface<Q> { a: Q; m(): { b: Q } }
enum E { A, B }
namespace Sp { export const nsv = 1; ‹nsv› }
function Comp(props: { title: string }) {
  const items = ["don't", "{"];
  return <div class="x" onClick={() => { const inJsx = 1; ‹props,items,inJsx› }}>
    it's text with } and {items.map(item => <b key={item}>{item ‹props,items,item›}</b>)} {"}"} isn't <br/>
  </div>;
}
const generic = <G,>(g: G) => { ‹G,g› return g };
const after = 1;
‹ !loc,props,nsv,arg›
`

func TestScopeAtEveryPlace(t *testing.T) {
	root := project(t, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "export const a = 1;\n"})
	b := newBackend(t, root)
	defer func() { require.NoError(t, b.Close()) }()
	module := []string{"a", "NS", "Box", "re", "half", "tpl", "outer", "Al", "Fn", "Iface", "E", "Sp", "Comp", "generic", "after"}

	type mark struct {
		offset  int
		visible []string
		hidden  []string
	}
	var marks []mark
	var text strings.Builder
	for rest := places; ; {
		before, tail, ok := strings.Cut(rest, "‹")
		text.WriteString(before)
		if !ok {
			break
		}
		names, after, _ := strings.Cut(tail, "›")
		visible, hidden, _ := strings.Cut(names, "!")
		marks = append(marks, mark{text.Len(), split(visible), split(hidden)})
		rest = after
	}
	doc := oracle.Document{Path: filepath.Join(root, "src/places.tsx"), Text: text.String()}
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: doc.Path, Text: doc.Text}}))
	require.NotEmpty(t, marks)
	for _, m := range marks {
		line := 1 + strings.Count(doc.Text[:m.offset], "\n")
		at := oracleproto.Position{Line: line, Character: m.offset - 1 - strings.LastIndexByte(doc.Text[:m.offset], '\n')}
		scope, err := b.Scope(t.Context(), doc, at, false)
		require.NoError(t, err)
		var names []string
		for _, s := range scope.Symbols {
			names = append(names, s.Name)
			assert.NotEmpty(t, s.TypeText, "line %d: %s", line, s.Name)
		}
		assert.Subset(t, names, module, "line %d", line)
		assert.Subset(t, names, m.visible, "line %d", line)
		for _, hidden := range m.hidden {
			assert.NotContains(t, names, hidden, "line %d", line)
		}
		assert.True(t, slices.IsSorted(names), "line %d", line)
	}
}

func split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

func TestScopeNarrowsAndNamesGlobalsOnRequest(t *testing.T) {
	root := project(t, map[string]string{"tsconfig.json": strictConfig})
	b := newBackend(t, root)
	defer func() { require.NoError(t, b.Close()) }()
	doc := oracle.Document{
		Path: filepath.Join(root, "src/n.ts"),
		Text: "export function f(x: string | undefined) {\n  if (!x) return;\n  \n}\n",
	}
	scope, err := b.Scope(t.Context(), doc, oracleproto.Position{Line: 3, Character: 2}, true)
	require.NoError(t, err)
	i := slices.IndexFunc(scope.Symbols, func(s oracleproto.Symbol) bool { return s.Name == "x" })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, oracleproto.Symbol{Name: "x", Kind: "parameter", TypeText: "(parameter) x: string"}, scope.Symbols[i])
	assert.Contains(t, scope.Globals, "Promise")
	assert.Contains(t, scope.Globals, "Partial", "global types")
	assert.NotContains(t, scope.Globals, "const", "keywords are no names")
	assert.Greater(t, len(scope.Globals), 500)
	assert.Equal(t, filepath.Join(root, "tsconfig.json"), scope.ConfigFile)
}

// TestScopeIsAskedAgain holds that what was in scope the last time is no more
// than a guess of what is.
func TestScopeIsAskedAgain(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": strictConfig, "src/c.ts": "export {};\n"})
	for _, tc := range []struct{ text, file, typed string }{
		{"export const a = 1, gone = 2;\n‸", "a.ts", "const a: 1|const gone: 2"},
		{"export const a = 'x', name = 2;\n‸", "a.ts", `const a: "x"|const name: 2`},
		{"export const a = 'x';\n{ const a = 3; ‸ }", "a.ts", "const a: 3"},
		{"export type a = 1;\n‸", "a.ts", "type a = 1"},
		{"const b = 1;\nexport { b };\n‸", "b.ts", "const b: 1"},
		{"import { b as a } from './b';\n‸", "a.ts", "(alias) const b: 1"},
	} {
		text, at := place(t, tc.text)
		doc := oracle.Document{Path: filepath.Join(root, "src", tc.file), Text: text}
		require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: doc.Path, Text: text}}))
		scope, err := b.Scope(t.Context(), doc, at, false)
		require.NoError(t, err)
		var typed []string
		for _, s := range scope.Symbols {
			typed = append(typed, s.TypeText)
		}
		assert.Equal(t, tc.typed, strings.Join(typed, "|"), tc.text)
	}
}

// TestScopeInUnfinishedText asks in text as it is while being typed.
func TestScopeInUnfinishedText(t *testing.T) {
	root := project(t, map[string]string{"tsconfig.json": strictConfig})
	b := newBackend(t, root)
	defer func() { require.NoError(t, b.Close()) }()
	for _, text := range []string{
		"function f(arg: number) {\n  const local = arg;\n  local.",
		"function f(arg: number) {\n  const local = arg;\n  if (local",
		"function f(arg: number) {\n  const local = arg;\n  return { local, ",
		"function f(arg: number) {\n  const local = arg;\n  const s = `${",
		"function f(arg: number) {\n  const local = arg;\n  const s = 'x",
		"function f(arg: number) {\n  const local = arg;\n  // comment",
	} {
		lines := strings.Split(text, "\n")
		doc := oracle.Document{Path: filepath.Join(root, "src/u.ts"), Text: text}
		scope, err := b.Scope(t.Context(), doc, oracleproto.Position{Line: len(lines), Character: len(lines[len(lines)-1])}, false)
		require.NoError(t, err, text)
		var names []string
		for _, s := range scope.Symbols {
			names = append(names, s.Name)
		}
		assert.Subset(t, names, []string{"f", "arg", "local"}, text)
	}
}

// TestScopeWithoutAPlace has a compiler that confirms no place.
func TestScopeWithoutAPlace(t *testing.T) {
	s, peer := question(t)
	go func() {
		for {
			m, err := peer.ReceiveError()
			switch {
			case err != nil:
				return
			case m.Method == "textDocument/hover": // completions are given up
				peer.Reply(m, nil)
			}
		}
	}()
	places, _, _, err := s.visible(t.Context(), oracleproto.Position{Line: 1}, nil)
	require.NoError(t, err)
	assert.Empty(t, places)
	assert.Empty(t, s.sent)
}

// FuzzAnchors holds that any text, finished or not, gives places inside it and
// never an endless loop.
func FuzzAnchors(f *testing.F) {
	f.Add(places, 100)
	f.Add("`${", 3)
	f.Add("<a>{", 4)
	f.Add("#!", 0)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		offset = min(max(offset, 0), len(text))
		for _, path := range []string{"a.ts", "a.tsx"} {
			for _, a := range anchors(path, text, offset) {
				if a.offset < 0 || a.offset > len(text) {
					t.Fatalf("place %d outside the text of %d bytes", a.offset, len(text))
				}
			}
			namesScope(path, text, offset)
		}
	})
}
