package shadow_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// mistakes are texts of src/lib.rs with the code that they are about.
var mistakes = []struct{ name, code, text string }{
	{"clean", "", "pub fn f() -> u32 { 1 }\n"},
	{"mismatched types", "E0308", "pub fn f() -> u32 {\n    \"x\"\n}\n"},
	{"mismatch in a call", "E0308", "fn g(n: u8) -> u8 { n }\npub fn f() -> u8 { g(\"é😀\") }\n"},
	{"use after move", "E0382", "pub fn f() {\n    let s = String::new();\n    drop(s);\n    println!(\"{}\", s);\n}\n"},
	{"two mutable borrows", "E0499", "pub fn f() {\n    let mut s = String::new();\n    let a = &mut s;\n    let b = &mut s;\n    a.push('x');\n    b.push('y');\n}\n"},
	{"shared and mutable borrow", "E0502", "pub fn f() {\n    let mut v = vec![1];\n    let first = &v[0];\n    v.push(2);\n    println!(\"{first}\");\n}\n"},
	{"move out while borrowed", "E0505", "pub fn f() {\n    let s = String::new();\n    let r = &s;\n    drop(s);\n    println!(\"{r}\");\n}\n"},
	{"assign while borrowed", "E0506", "pub fn f() {\n    let mut n = 1;\n    let r = &n;\n    n = 2;\n    println!(\"{r}\");\n}\n"},
	{"move out of a reference", "E0507", "pub struct S(String);\npub fn f(s: &S) -> String { s.0 }\n"},
	{"does not live long enough", "E0597", "pub fn f() {\n    let r;\n    {\n        let s = String::new();\n        r = &s;\n    }\n    println!(\"{r}\");\n}\n"},
	{"return a reference to a local", "E0515", "pub fn f() -> &'static str {\n    let s = String::new();\n    &s\n}\n"},
	{"missing lifetime", "E0106", "pub fn f(a: &str, b: &str) -> &str { if a > b { a } else { b } }\n"},
	{"closure outlives", "E0373", "use std::thread;\npub fn f() {\n    let n = 1;\n    thread::spawn(|| println!(\"{n}\"));\n}\n"},
	{"not Send", "E0277", "use std::rc::Rc;\npub fn f() {\n    let r = Rc::new(1);\n    std::thread::spawn(move || println!(\"{r}\"));\n}\n"},
	{"trait bound", "E0277", "fn show(_: impl std::fmt::Display) {}\npub struct S;\npub fn f() { show(S) }\n"},
	{"assign twice", "E0384", "pub fn f() -> u8 {\n    let n = 1;\n    n += 1;\n    n\n}\n"},
	{"uninitialised", "E0381", "pub fn f() -> u8 {\n    let n: u8;\n    n\n}\n"},
	{"borrow of immutable", "E0596", "pub fn f() {\n    let s = String::new();\n    s.push('x');\n}\n"},
	{"unknown type", "", "pub fn f(_: Nowhere) {}\n"},
	{"unknown path", "E0433", "pub fn f() { nowhere::g() }\n"},
	{"unknown import", "E0432", "use crate::nowhere;\npub fn f() { nowhere() }\n"},
	{"unknown value", "E0425", "pub fn f() -> u8 { nowhere }\n"},
	{"unknown method", "E0599", "pub fn f() { 1u8.nowhere() }\n"},
	{"unknown field", "E0609", "pub struct S { a: u8 }\npub fn f(s: S) -> u8 { s.b + s.a }\n"},
	{"wrong number of arguments", "E0061", "fn g(a: u8) -> u8 { a }\npub fn f() -> u8 { g() }\n"},
	{"non-exhaustive match", "E0004", "pub fn f(o: Option<u8>) -> u8 {\n    match o {\n        Some(n) => n,\n    }\n}\n"},
	{"missing trait item", "E0046", "pub struct S;\nimpl Iterator for S {\n    type Item = u8;\n}\n"},
	{"missing field", "E0063", "pub struct S { pub a: u8, pub b: u8 }\npub fn f() -> S { S { a: 1 } }\n"},
	{"duplicate definition", "E0428", "pub struct S;\npub struct S;\n"},
	{"conflicting impls", "E0119", "pub trait T {}\nimpl<X> T for X {}\nimpl T for u8 {}\n"},
	{"private function", "E0603", "mod m { fn g() {} }\npub fn f() { m::g() }\n"},
	{"type annotations needed", "E0282", "pub fn f() { let v = Vec::new(); }\n"},
	{"operator", "E0369", "pub struct S;\npub fn f(a: S, b: S) { let _ = a + b; }\n"},
	{"question mark", "E0277", "pub fn f() -> u8 { \"1\".parse::<u8>()? }\n"},
	{"unsafe call", "E0133", "unsafe fn g() {}\npub fn f() { g() }\n"},
	{"syntax", "", "pub fn f( { }\n"},
	{"unclosed", "", "pub fn f() {\n    let a = [1;\n"},
	{"missing module file", "E0583", "mod nowhere;\n"},
	{"format arguments", "", "pub fn f() { println!(\"{} {}\", 1); }\n"},
	{"own macro with a bad argument", "E0308", "macro_rules! byte {\n    ($e:expr) => {{\n        let b: u8 = $e;\n        b\n    }};\n}\npub fn f() -> u8 {\n    byte!(\"😀\")\n}\n"},
	{"own macro with a bad body", "E0308", "macro_rules! byte {\n    () => {{\n        let b: u8 = \"x\";\n        b\n    }};\n}\npub fn f() -> u8 {\n    byte!()\n}\n"},
	{"macro of std", "E0277", "pub struct S;\npub fn f(s: S) {\n    println!(\"é {}\", s);\n}\n"},
	{"compile_error", "", "compile_error!(\"not today\");\n"},
	{"overflowing literal", "overflowing_literals", "pub fn f() -> u8 { 256 }\n"},
	{"unused variable", "unused_variables", "pub fn f() { let n = 1; }\n"},
	{"unused import", "unused_imports", "use std::fmt;\npub fn f() {}\n"},
	{"dead code", "dead_code", "fn f() {}\n"},
	{"unused must_use", "unused_must_use", "pub fn f() { \"1\".parse::<u8>(); }\n"},
	{"emoji before the place", "E0308", "pub fn f() -> u8 { /* 😀é */ \"x\" }\n"},
	{"crlf", "E0308", "pub fn f() -> u8 {\r\n    // é\r\n    \"x\"\r\n}\r\n"},
	{"several", "E0425", "pub fn f() -> u8 { a }\npub fn g() -> u8 { b }\npub fn h() -> u8 { 'c' }\n"},
}

// place is what an answer has in common with cargo's: where, and what.
type place struct {
	Code, Level                            string
	Line, Character, EndLine, EndCharacter int
	Message                                string
}

// TestAnswersEqualCargosOwn holds every answer against cargo check on a
// project that has the same text on disk.
func TestAnswersEqualCargosOwn(t *testing.T) {
	reference := crate(t)
	c := newChecker(t, crate(t))
	before := checksum(t, c.root)
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			result := c.check("src/lib.rs", files{"src/lib.rs": m.text})
			require.True(t, result.Reached, "%+v", result)
			var got []place
			for _, d := range result.Diagnostics {
				message, _, _ := strings.Cut(d.Message, "\n")
				got = append(got, place{d.Code.String(), d.Category, d.Line, d.Character, d.EndLine, d.EndCharacter, message})
			}
			want := cargoCheck(t, reference, m.text)
			require.Equal(t, want, got)
			if m.code != "" {
				require.True(t, slices.ContainsFunc(got, func(p place) bool { return p.Code == m.code }), "no %s in %+v", m.code, got)
			}
		})
	}
	require.Equal(t, before, checksum(t, c.root), "the user's files were touched")
}

// cargoCheck writes src/lib.rs and asks cargo. Columns are counted from byte
// offsets, which is not how the shadow does it.
func cargoCheck(t *testing.T, root, text string) []place {
	t.Helper()
	file := filepath.Join(root, "src", "lib.rs")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	cargo, err := child.LookPath("cargo")
	require.NoError(t, err)
	out, err := child.Run(t.Context(), child.Spec{Path: cargo, Args: []string{"check", "--offline", "-q", "--message-format", "json"}, Dir: root}, nil)
	if exit := (*child.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	var places []place
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m struct {
			Message struct {
				Message, Level string
				Code           *struct{ Code string }
				Spans          []struct {
					FileName  string `json:"file_name"`
					ByteStart int    `json:"byte_start"`
					ByteEnd   int    `json:"byte_end"`
					LineStart int    `json:"line_start"`
					LineEnd   int    `json:"line_end"`
					IsPrimary bool   `json:"is_primary"`
				}
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		for _, s := range m.Message.Spans {
			if !s.IsPrimary || s.FileName != filepath.Join("src", "lib.rs") {
				continue
			}
			message, _, _ := strings.Cut(m.Message.Message, "\n")
			p := place{Level: m.Message.Level, Line: s.LineStart, EndLine: s.LineEnd, Message: message}
			if m.Message.Code != nil {
				p.Code = m.Message.Code.Code
			}
			p.Character, p.EndCharacter = column(text, s.ByteStart), column(text, s.ByteEnd)
			places = append(places, p)
			break
		}
	}
	require.NoError(t, lines.Err())
	return places
}

// column is the length in UTF-16 of what precedes a byte on its line. rustc
// counts the place behind the last line break to the line before it.
func column(text string, offset int) int {
	if offset == len(text) {
		offset = len(strings.TrimSuffix(text, "\n"))
	}
	line := text[strings.LastIndexByte(text[:offset], '\n')+1 : offset]
	return len(utf16.Encode([]rune(line)))
}

func TestTheMacroCallIsNamed(t *testing.T) {
	text := "macro_rules! byte {\n    () => {{\n        let b: u8 = \"x\";\n        b\n    }};\n}\npub fn f() -> u8 {\n    byte!()\n}\n"
	c := newChecker(t, crate(t))
	result := c.check("src/lib.rs", files{"src/lib.rs": text})
	require.Len(t, result.Diagnostics, 1)
	d := result.Diagnostics[0]
	require.Equal(t, 3, d.Line)
	i := slices.IndexFunc(d.Related, func(r related) bool { return r.Message == "in this macro invocation" })
	require.GreaterOrEqual(t, i, 0, "%+v", d)
	require.Equal(t, related{File: filepath.Join(c.root, "src", "lib.rs"), Line: 8, Character: 4, Message: "in this macro invocation"}, d.Related[i])
}

// A macro of another file is reported where the asked file calls it.
func TestAMacroOfAnotherFileIsReportedAtItsCall(t *testing.T) {
	c := newChecker(t, project(t, files{
		"Cargo.toml":    manifest("one"),
		"src/lib.rs":    "#[macro_use]\nmod macros;\nmod caller;\npub use caller::f;\n",
		"src/macros.rs": "macro_rules! byte {\n    () => {{\n        let b: u8 = \"x\";\n        b\n    }};\n}\n",
		"src/caller.rs": "pub fn f() -> u8 { 1 }\n",
	}))
	result := c.check("src/caller.rs", files{"src/caller.rs": "pub fn f() -> u8 {\n    /* 😀 */ byte!()\n}\n"})
	require.Len(t, result.Diagnostics, 1, "%+v", result)
	d := result.Diagnostics[0]
	require.Equal(t, "E0308", d.Code.String())
	require.Equal(t, [4]int{2, 13, 2, 20}, [4]int{d.Line, d.Character, d.EndLine, d.EndCharacter})
	require.Contains(t, d.Related, related{File: filepath.Join(c.root, "src", "macros.rs"), Line: 3, Character: 20, Message: "in the text of the macro"})
}

func TestTheLabelAndTheFirstHelpAreKept(t *testing.T) {
	c := newChecker(t, crate(t))
	result := c.check("src/lib.rs", files{"src/lib.rs": "pub fn f() {\n    let s = String::new();\n    drop(s);\n    drop(s);\n}\n"})
	require.Len(t, result.Diagnostics, 1)
	d := result.Diagnostics[0]
	require.Contains(t, d.Message, "use of moved value: `s`\n  value used here after move\n  help: ")
	require.Contains(t, d.Message, "clone")
	require.Contains(t, d.Related, related{File: filepath.Join(c.root, "src", "lib.rs"), Line: 3, Character: 9, Message: "value moved here"})
	require.Equal(t, "rustc", result.Engine.Name)
	require.NotEmpty(t, result.Engine.Version)
	require.Equal(t, filepath.Join(c.root, "Cargo.toml"), result.ConfigFile)
}

type related = oracleproto.Related
