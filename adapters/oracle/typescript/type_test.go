package typescript

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const helloDocumentation = "Says *hello* to User.\n\nMore.\n\n*@param* `who` — the one\n\n*@param* `times` - how often\n\n*@returns* — nothing much\n\n*@throws* — when bad\n\n*@example*\n```tsx\nhello(\"x\", 1)\n```\n\n*@deprecated* — use other"

// types are texts with the place to ask about. Where the versions use words of
// their own, the display has what all say, between dots.
var types = map[string]struct{ text, display, documentation string }{
	"documentation with tags": {"import { hello } from './lib';\nhel‸lo;", "(alias) function hello<T>(who: T, times: number): void", helloDocumentation},
	"behind a name":           {"const marked = 1;\nmarked‸", "const marked: 1", ""},
	"behind a name and a dot": {"const half = { x: 1 };\nhalf‸.", "const half: {\n    x: number;\n}", ""},
	"before a name":           {"const marked = 1;\n‸marked", "const marked: 1", ""},
	"behind an emoji":         {"const s = '😀', mark‸ed = 1;", "const marked: 1", ""},
	"member":                  {"import { user } from './lib';\nuser.na‸me", "(property) User.name: string", ""},
	"optional member":         {"import { maybe } from './lib';\nmaybe?.ag‸e", "(property) User.age?: number | undefined", ""},
	"narrowed":                {"function f(x: string | undefined) { if (x) { ‸x } }", "(parameter) x: string", ""},
	"generic call":            {"import { hello } from './lib';\nhel‸lo(true, 1);", "(alias) …hello<boolean>(who: boolean, times: number): void", helloDocumentation},
	"generic method":          {"import { Box } from './lib';\nBox.ma‸ke(1);", "(method) Box<T>.make<number>(u: number): Box<number>", ""},
	"generic member":          {"const m = new Map<string, number[]>();\nm.ge‸t('');", "(method) Map<string, number[]>.get(key: string): number[] | undefined", "Returns a specified element from the Map object.…"},
	"constructor":             {"import { Box } from './lib';\nnew Bo‸x('');", "(alias) …Box<string>(value: string): Box<string>", ""},
	"overload that is called": {"import { over } from './lib';\nov‸er(1);", "(alias) …over(a: number): number (+1 overload)", ""},
	"overload of here":        {"function f(a: 1): 1;\nfunction f(a: 2): 2;\nfunction f(a: 3): 3;\nfunction f(a: any): any {}\nf‸(2);", "function f(a: 2): 2 (+2 overloads)", ""},
	"alias of a type":         {"import type { User as Person } from './lib';\nlet p: Per‸son;", "(alias) interface …", ""},
	"type":                    {"type Pair<A> = [A, A];\nlet p: Pa‸ir<1>;", "type Pair<A> = [A, A]", ""},
	"type parameter":          {"function f<T extends string>(x: ‸T) {}", "(type parameter) T…in f<T extends string>(x: T): void", ""},
	"code fence":              {"/** Use\n * ```ts\n * f()\n * ```\n * so. */\nfunction f() {}\n‸f;", "function f(): void", "Use\n```ts\nf()\n```\nso."},
	"half-typed":              {"const half = { x: 1 };\nfunction g() {\n  if (ha‸lf.", "const half: {\n    x: number;\n}", ""},
	"blank line":              {"const a = 1;\n‸\n", "", ""},
	"between operators":       {"const a = 1 + ‸ + 2;", "", ""},
	"comment":                 {"// he‸llo\nconst hello = 1;", "", ""},
	"keyword":                 {"ret‸urn 1;", "", ""},
	"empty text":              {"‸", "", ""},
}

func TestTypes(t *testing.T) {
	for _, version := range answering {
		t.Run(version, func(t *testing.T) {
			b, root := openAnswering(t, version)
			for name, tc := range types {
				t.Run(name, func(t *testing.T) {
					text, at := marked(tc.text)
					doc := overlay(t, b, filepath.Join(root, "src/a.ts"), text)
					got, err := b.Type(t.Context(), doc, at[0])
					require.NoError(t, err)
					assertShows(t, tc.display, got.Display)
					assertShows(t, tc.documentation, got.Documentation)
					if tc.display == "" {
						assert.Equal(t, []string{nothingThere}, got.Advice)
					} else {
						assert.Empty(t, got.Advice)
					}
				})
			}
		})
	}
}

// assertShows compares a text with what is wanted, in which … stands for any.
func assertShows(t *testing.T, want, got string) {
	t.Helper()
	head, tail, open := strings.Cut(want, "…")
	if !open {
		assert.Equal(t, want, got)
		return
	}
	assert.True(t, strings.HasPrefix(got, head) && strings.HasSuffix(got, tail), "%q, not %q", got, want)
}
