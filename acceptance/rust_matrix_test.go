package acceptance_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/rsproject"
)

// The promise of a full check, against cargo itself: what tcg_validate says
// about content is what `cargo check` says once the content is on disk. The
// analyzer's answer is compared too: how much it finds, and that it never
// complains about what compiles.
func TestFullValidateEqualsCargoCheck(t *testing.T) {
	t.Parallel()
	served, compiled := newRustShop(t), newRustShop(t)
	untouched, err := served.Checksum()
	require.NoError(t, err)
	session := serveRust(t, served)
	loaded(t, session)
	var kinds, equal, native int
	codes := map[string]bool{}
	var cargoTook, fullTook, nativeTook time.Duration
	for _, m := range slices.Concat(mistakes, soundChanges) {
		content := m.content(t, served)
		said, took := cargoSays(t, compiled.Dir, m, content, compiled.Write)
		cargoTook += took
		full, took := rustValidate(t, session, object{"file": m.file, "content": content, "depth": "full"})
		fullTook += took
		quick, took := rustValidate(t, session, object{"file": m.file, "content": content, "depth": "native"})
		nativeTook += took
		t.Run(m.name, func(t *testing.T) {
			want := "clean"
			if slices.ContainsFunc(said, isRustError) {
				want = "errors"
				kinds++
				if slices.ContainsFunc(quick.diagnostics, isRustError) {
					native++
				}
			}
			for _, d := range said {
				codes[d.Code] = true
			}
			assert.True(t, slices.ContainsFunc(said, func(d rsproject.Diagnostic) bool { return d.Code == m.code }) || want == "clean" && m.code == "",
				"not an example of %q: %v", m.code, said)
			if assert.Equal(t, renderRust(said), renderRust(full.diagnostics), "%s", full.text) &&
				assert.Equal(t, want, full.verdict, "%s", full.text) {
				equal++
			}
			assert.Equal(t, "rustc", full.coverage)
			assert.Equal(t, "native", quick.coverage)
			if want == "clean" {
				assert.Equal(t, "clean", quick.verdict, "rust-analyzer complains about what compiles: %s", quick.text)
			}
		})
	}
	after, err := served.Checksum()
	require.NoError(t, err)
	assert.Equal(t, untouched, after, "the project's tree changed")
	assert.GreaterOrEqual(t, kinds, 60)
	t.Logf("%d kinds of errors with %d codes, %d sound changes; full equals cargo check in %d of %d; rust-analyzer sees an error in %d of %d (%d %%); per question: cargo check %d ms, full %d ms, native %d ms",
		kinds, len(codes), len(soundChanges), equal, len(mistakes)+len(soundChanges), native, kinds, 100*native/kinds,
		perQuestion(cargoTook), perQuestion(fullTook), perQuestion(nativeTook))
}

func perQuestion(total time.Duration) int64 {
	return total.Milliseconds() / int64(len(mistakes)+len(soundChanges))
}

// cargoSays puts a content on disk, asks cargo, and takes it back.
func cargoSays(t *testing.T, dir string, m mistake, content string, write func(file, text string) error) ([]rsproject.Diagnostic, time.Duration) {
	t.Helper()
	before := readFile(t, filepath.Join(dir, filepath.FromSlash(m.file)))
	require.NoError(t, write(m.file, content))
	began := time.Now()
	all, err := rsproject.Check(within60s(t), dir)
	took := time.Since(began)
	require.NoError(t, err, m.name)
	require.NoError(t, write(m.file, before))
	return slices.DeleteFunc(all, func(d rsproject.Diagnostic) bool { return d.File != m.file }), took
}

func isRustError(d rsproject.Diagnostic) bool { return d.Level == "error" }

// renderRust makes one line per diagnostic, so that a difference reads as one.
func renderRust(list []rsproject.Diagnostic) string {
	var lines []string
	for _, d := range list {
		lines = append(lines, d.String())
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// rustAnswer is what tcg_validate says about a Rust file.
type rustAnswer struct {
	verdict, reason, coverage, source, text string
	diagnostics                             []rsproject.Diagnostic
	advice                                  []string
}

func (a rustAnswer) codes() []string {
	codes := []string{}
	for _, d := range a.diagnostics {
		codes = append(codes, d.Code)
	}
	return codes
}

// rustValidate asks for the verdict on a file, and how long it took.
func rustValidate(t *testing.T, session *mcppipe.Session, arguments object) (rustAnswer, time.Duration) {
	t.Helper()
	began := time.Now()
	result := callTool(t, session, "tcg_validate", arguments)
	took := time.Since(began)
	var said struct {
		File, Verdict, Reason, Coverage, Source string
		Diagnostics                             []struct {
			Line, Character         int
			Code, Category, Message string
		}
		Advice []string
	}
	require.NoError(t, result.Decode(&said), "%s", result.Text)
	assert.Equal(t, said.Verdict == "errors", result.IsError, "%s", result.Text)
	answer := rustAnswer{verdict: said.Verdict, reason: said.Reason, coverage: said.Coverage, source: said.Source, text: result.Text, advice: said.Advice}
	for _, d := range said.Diagnostics {
		first, _, _ := strings.Cut(d.Message, "\n")
		answer.diagnostics = append(answer.diagnostics, rsproject.Diagnostic{
			File: said.File, Line: d.Line, Character: d.Character, Code: d.Code, Level: d.Category, Message: first,
		})
	}
	return answer, took
}

// loaded waits until rust-analyzer has loaded the project, for what asks it
// afterwards expects an answer within the deadline of a call.
func loaded(t *testing.T, session *mcppipe.Session) {
	t.Helper()
	deadline := time.Now().Add(5 * patience)
	for {
		answer, _ := rustValidate(t, session, object{"file": vatFile, "depth": "native"})
		if answer.verdict == "clean" {
			return
		}
		require.Equal(t, "unknown", answer.verdict, "%s", answer.text)
		require.Contains(t, []string{"warming", "timeout"}, answer.reason, "%s", answer.text)
		require.True(t, time.Now().Before(deadline), "rust-analyzer has not loaded: %s", answer.text)
	}
}
