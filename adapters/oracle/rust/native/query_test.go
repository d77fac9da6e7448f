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

// marked sets a text with a position, for which the mark ‸ stands.
func marked(t testing.TB, b *Backend, path, text string) (oracle.Document, oracleproto.Position) {
	t.Helper()
	before, after, ok := strings.Cut(text, "‸")
	require.True(t, ok, "the text has no mark")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return set(t, b, path, before+after), oracleproto.Position{Line: 1 + strings.Count(before, "\n"), Character: len(line)}
}

func TestQuestionsAboutPlaces(t *testing.T) {
	root, b := started(t, map[string]string{"Cargo.toml": manifest, "src/lib.rs": "", "src/a.rs": ""})
	lib := filepath.Join(root, "src", "lib.rs")
	names := func(text string) (symbols []oracleproto.Symbol, list []string) {
		t.Helper()
		doc, at := marked(t, b, lib, text)
		s, err := b.Scope(t.Context(), doc, at, false)
		require.NoError(t, err)
		for _, symbol := range s.Symbols {
			list = append(list, symbol.Name)
		}
		return s.Symbols, list
	}

	t.Run("scope", func(t *testing.T) {
		const frame = "mod a;\ntype Result<T> = std::result::Result<T, String>;\nmacro_rules! mine { () => {} }\nstruct S<T>(T);\nimpl<T> S<T> {\n    fn m<U>(&self, arg: U) -> u8 {\n        let before = 1;\n        %s\n        let after = 2;\n        0\n    }\n}\n"
		for _, line := range []string{"‸", "‸\n", "bef‸", "let x = ‸;", "self.‸", "self.0.‸clone()", "Self::‸", "foo(before, ‸)", "// a comment ‸", "let s = \"in a string ‸\";", "if before == ‸ {}", "let y: ‸ = 1;", "match before { 1 => ‸, _ => {} }"} {
			_, list := names(strings.Replace(frame, "%s", line, 1))
			assert.Subset(t, list, []string{"before", "self", "arg", "U", "T", "Self", "S", "a", "mine!", "Result"}, line)
			for _, hidden := range []string{"after", "Vec", "u8", "println!", "std", probe, probeFunction} {
				assert.NotContains(t, list, hidden, line)
			}
		}
		symbols, _ := names(strings.Replace(frame, "%s", "‸", 1))
		i := slices.IndexFunc(symbols, func(s oracleproto.Symbol) bool { return s.Name == "arg" })
		assert.Equal(t, oracleproto.Symbol{Name: "arg", Kind: "variable", TypeText: "U"}, symbols[i])
	})

	t.Run("scope among items", func(t *testing.T) {
		for _, text := range []string{"pub struct S;\npub fn f() {}\n‸", "pub struct S;\n‸\npub fn f() {}\n", "pub struct S { a: u8, ‸ }\npub fn f() {}\n", "pub fn f(a: ‸) {}\npub struct S;\n", "#![allow(unused)]\n‸use std::fmt;\npub struct S;\nfn f() {}\n"} {
			_, list := names(text)
			assert.Subset(t, list, []string{"S", "f"}, text)
			assert.NotContains(t, list, probeFunction, text)
		}
		doc, at := marked(t, b, lib, "fn f() {}\n‸")
		s, err := b.Scope(t.Context(), doc, at, true)
		require.NoError(t, err)
		assert.Subset(t, s.Globals, []string{"Vec", "u8", "println!", "std", "Some"})
	})

	complete := func(text, prefix string, limit int) oracle.Completions {
		t.Helper()
		doc, at := marked(t, b, lib, text)
		c, err := b.Complete(t.Context(), doc, at, prefix, limit)
		require.NoError(t, err)
		return c
	}
	find := func(c oracle.Completions, name string) oracleproto.Entry {
		t.Helper()
		i := slices.IndexFunc(c.Entries, func(e oracleproto.Entry) bool { return e.Name == name })
		require.GreaterOrEqual(t, i, 0, "%s is not among %d entries", name, len(c.Entries))
		return c.Entries[i]
	}

	t.Run("complete", func(t *testing.T) {
		c := complete("pub fn f(v: Vec<u8>) { v.‸ }\n", "", 1000)
		assert.Equal(t, oracleproto.Entry{Name: "push", Kind: "method", TypeText: "pub fn push(&mut self, value: T)"}, find(c, "push"))
		assert.True(t, find(c, "get_unchecked").Unsafe)
		assert.False(t, find(c, "len").Unsafe)
		c = complete("pub fn f(v: Vec<u8>) { v.‸ }\n", "pu", 1)
		require.Len(t, c.Entries, 1)
		assert.Equal(t, "push", c.Entries[0].Name)
		assert.GreaterOrEqual(t, c.Total, 1)
		assert.True(t, find(complete("pub fn f(v: Option<u8>) { v.‸ }\n", "", 1000), "unwrap").Unsafe)

		c = complete("pub fn f(v: Vec<u8>) {\n    let n = v.len();\n    ‸\n}\n", "", 1000)
		assert.Equal(t, "usize", find(c, "n").TypeText)
		assert.Equal(t, "Vec<u8>", find(c, "v").TypeText)
		c = complete("pub fn f() { std::collections::‸ }\n", "Hash", 10)
		find(c, "HashMap")
	})

	t.Run("type", func(t *testing.T) {
		at := func(text string) oracle.TypeInfo {
			t.Helper()
			doc, place := marked(t, b, lib, text)
			info, err := b.Type(t.Context(), doc, place)
			require.NoError(t, err)
			return info
		}
		info := at("pub fn f(v: &mut Vec<u8>) { v.pu‸sh(1); }\n")
		assert.Contains(t, info.Display, "pub fn push(&mut self, value: T)")
		assert.Contains(t, info.Display, "T = u8")
		assert.Contains(t, info.Documentation, "Appends an element")
		assert.NotContains(t, info.Documentation, "Global")
		assert.Equal(t, "let n: usize", at("pub fn f(v: Vec<u8>) { let n‸ = v.len(); }\n").Display)
		assert.Equal(t, "let n: usize", at("pub fn f(v: Vec<u8>) { let \u00e9 = 1; let ‸n = v.len(); }\n").Display)
		assert.Empty(t, at("pub fn f() {\n\n‸\n\n}\n").Display)
	})
}
