package acceptance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
)

// alternation is one of four texts for vatFile, in turn: what it must be
// answered with, and which depth answers it. Between them each depth sees each
// kind of change. The marker is part of the text and of every error message,
// which catches an answer that is late.
func alternation(i int) (text, depth string, want []string, marker string) {
	marker = fmt.Sprintf("n%d", i)
	switch i % 4 {
	case 0: // seen by rust-analyzer
		return strings.Replace(vatFixed, "goods.times(rate)", "goods."+marker+"(rate)", 1), "auto", []string{"E0599"}, marker
	case 1:
		return vatFixed + "// " + marker + "\n", "auto", []string{}, marker
	case 2: // seen by rustc alone
		moved := strings.Replace(vatFixed, "    goods.times(rate)", "    let "+marker+" = String::new();\n    drop("+marker+");\n    drop("+marker+");\n    goods.times(rate)", 1)
		return moved, "full", []string{"E0382"}, marker
	default:
		return vatFixed + "// " + marker + "\n", "native", []string{}, marker
	}
}

// assertAlternation requires the answer to one of them.
func assertAlternation(t *testing.T, session *mcppipe.Session, i int, arguments object) {
	t.Helper()
	_, depth, want, marker := alternation(i)
	arguments["file"], arguments["depth"] = vatFile, depth
	result, v := judge(t, session, arguments)
	require.Equal(t, want, v.codes(), "question %d: %s", i, result.Text)
	if len(want) > 0 {
		require.Equal(t, "errors", v.Verdict, "question %d", i)
		require.Contains(t, result.Text, "`"+marker+"`", "question %d", i)
		return
	}
	require.Equal(t, "clean", v.Verdict, "question %d: %s", i, result.Text)
}

func TestAlternatingRustContentsAreNeverMixedUp(t *testing.T) {
	t.Parallel()
	session := rust.serve(t, newRustShop(t))
	rust.load(t, session)
	for i := range 200 {
		text, _, _, _ := alternation(i)
		assertAlternation(t, session, i, object{"content": text})
	}
}

// The same by an editor that saves: nothing is said to the server.
func TestAlternatingRustFilesOnDiskAreNeverMixedUp(t *testing.T) {
	t.Parallel()
	project := newRustShop(t)
	session := rust.serve(t, project)
	rust.load(t, session)
	for i := range 200 {
		text, _, _, _ := alternation(i)
		require.NoError(t, project.Write(vatFile, text))
		assertAlternation(t, session, i, object{})
	}
}

func TestHypotheticalRustContentIsForgottenAfterTheAnswer(t *testing.T) {
	t.Parallel()
	project := newRustShop(t)
	session := rust.serve(t, project)
	money, err := project.Read(moneyFile)
	require.NoError(t, err)
	for _, depth := range []string{"native", "full", "auto"} {
		renamed := strings.Replace(money, "pub fn times(", "pub fn multiplied(", 1)
		result, v := judge(t, session, object{"file": moneyFile, "content": renamed, "depth": depth})
		assert.Equal(t, "clean", v.Verdict, "%s: %s", depth, result.Text)
		for _, file := range []string{vatFile, moneyFile} {
			result, v = judge(t, session, object{"file": file, "depth": depth})
			assert.Equal(t, "clean", v.Verdict, "%s: %s", depth, result.Text)
			assert.Equal(t, "disk", v.Source)
		}
	}
}

// An edit made on disk by anybody is seen by the very next call.
func TestRustEditsOnDiskAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	project := newRustShop(t)
	session := rust.serve(t, project)
	rust.load(t, session)
	requireCodes := func(why string, want ...string) {
		t.Helper()
		for _, depth := range []string{"native", "full"} {
			result, v := judge(t, session, object{"file": vatFile, "depth": depth})
			require.Equal(t, append([]string{}, want...), v.codes(), "%s, %s: %s", why, depth, result.Text)
			if len(want) == 0 {
				require.Equal(t, "clean", v.Verdict, "%s, %s: %s", why, depth, result.Text)
			}
		}
	}
	edit := func(file, from, to string) {
		t.Helper()
		text, err := project.Read(file)
		require.NoError(t, err)
		require.Contains(t, text, from)
		require.NoError(t, project.Write(file, strings.Replace(text, from, to, 1)))
	}
	requireCodes("the project as it is")
	edit(moneyFile, "pub fn times(", "pub fn multiplied(")
	requireCodes("a method of another crate was renamed", "E0599")
	edit(moneyFile, "pub fn multiplied(", "pub fn times(")
	requireCodes("and renamed back")

	require.NoError(t, project.Write("crates/checkout/src/rate.rs", "pub const REDUCED: f64 = 0.07;\n"))
	edit("crates/checkout/src/lib.rs", "pub mod tax;", "pub mod rate;\npub mod tax;")
	edit(vatFile, "goods.times(STANDARD)", "goods.times(crate::rate::REDUCED)")
	requireCodes("a module was made")
	edit("crates/checkout/src/rate.rs", "f64 = 0.07", "u8 = 7")
	requireCodes("its constant is another", "E0308")
	edit("crates/checkout/src/rate.rs", "u8 = 7", "f64 = 0.07")

	edit("crates/checkout/Cargo.toml", "[dependencies]", "[features]\nzero = []\ndefault = [\"zero\"]\n\n[dependencies]")
	edit(vatFile, "/// The value added tax", "#[cfg(feature = \"zero\")]\npub const ZERO: u8 = \"\";\n\n/// The value added tax")
	requireCodes("a feature was made", "E0308")
	edit("crates/checkout/Cargo.toml", "default = [\"zero\"]", "default = []")
	requireCodes("and is off by default")
}

func TestRustPositionsCountUTF16Units(t *testing.T) {
	t.Parallel()
	session := rust.serve(t, newRustShop(t))
	// 💡 is two units, é one; the error is on the name after them.
	line := "pub const ALL: [&str; 3] = [\"💡\", \"é\", missing];\n"
	for _, depth := range []string{"native", "full"} {
		result, v := judge(t, session, object{"file": vatFile, "content": vatFixed + line, "depth": depth})
		require.Equal(t, []string{"E0425"}, v.codes(), "%s: %s", depth, result.Text)
		assert.Equal(t, 39, v.Diagnostics[0].Character, depth)
	}
	last := strings.Count(vatFixed, "\n") + 1
	result := callTool(t, session, "tcg_type", object{
		"file": vatFile, "content": vatFixed + "pub fn two() -> usize { let a = \"💡\"; let b = 12usize; a.len() + b }\n",
		"position": object{"line": last, "character": 42},
	})
	assert.Contains(t, result.Text, "let b: usize")
}
