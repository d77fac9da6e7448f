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
	"vibevm.org/acceptance/tsproject"
)

// The promise of a full check, against cargo itself: what tcg_validate says
// about content is what `cargo check` says once the content is on disk. The
// analyzer's answer is looked at too: how much it finds, and that it never
// complains about what compiles.
func TestFullValidateEqualsCargoCheck(t *testing.T) {
	t.Parallel()
	served, compiled := newRustShop(t), newRustShop(t)
	untouched, err := served.Checksum()
	require.NoError(t, err)
	session := serveRust(t, served)
	awaitAnalyzer(t, session)

	list := slices.Concat(mistakes, changesThatBreakOthers, soundChanges)
	var kinds, equal, native int
	var cargoTook, fullTook, nativeTook time.Duration
	codes := map[string]bool{}
	for _, m := range list {
		content := m.content(t, served)
		said, took := cargoSays(t, compiled, m.file, content)
		cargoTook += took
		full, took := rustValidate(t, session, object{"file": m.file, "content": content, "depth": "full"})
		fullTook += took
		quick, took := rustValidate(t, session, object{"file": m.file, "content": content, "depth": "native"})
		nativeTook += took
		here := slices.DeleteFunc(slices.Clone(said), func(d rsproject.Diagnostic) bool { return d.File != m.file })
		t.Run(m.name, func(t *testing.T) {
			verdict := "clean"
			switch {
			case slices.ContainsFunc(here, isRustError):
				verdict = "errors"
				kinds++
				if quick.verdict == "errors" {
					native++
				}
			case slices.ContainsFunc(said, isRustError):
				verdict = "unknown"
			}
			for _, d := range here {
				codes[d.Code] = true
			}
			if m.code != "" {
				assert.True(t, codes[m.code], "not an example of %s: %v", m.code, said)
			}
			if assert.Equal(t, renderRust(here), renderRust(full.diagnostics), "%s", full.text) &&
				assert.Equal(t, verdict, full.verdict, "%s", full.text) {
				equal++
			}
			assert.Equal(t, "rustc", full.coverage)
			assert.Equal(t, "native", quick.coverage)
			switch verdict {
			case "clean":
				assert.Equal(t, "clean", quick.verdict, "rust-analyzer complains about what compiles: %s", quick.text)
			case "unknown":
				assert.Equal(t, "not-reached", full.reason)
				assert.NotEmpty(t, full.advice, "which errors they are")
			}
		})
	}
	after, err := served.Checksum()
	require.NoError(t, err)
	assert.Equal(t, untouched, after, "the project's tree changed")
	assert.Equal(t, len(mistakes), kinds, "every mistake is an error in its file")
	assert.GreaterOrEqual(t, kinds, 60)
	t.Logf("%d kinds of errors with %d codes, %d changes that break other files, %d sound ones; full equals cargo check in %d of %d; rust-analyzer sees %d of the %d kinds (%d %%); a question takes cargo check %d ms, full %d ms, native %d ms",
		kinds, len(codes), len(changesThatBreakOthers), len(soundChanges), equal, len(list), native, kinds, 100*native/kinds,
		average(cargoTook, len(list)), average(fullTook, len(list)), average(nativeTook, len(list)))
}

func average(total time.Duration, n int) int64 { return total.Milliseconds() / int64(n) }

// The project compiles, so there is nothing to say about any file of it.
func TestSoundRustFilesAreCleanAtEveryDepth(t *testing.T) {
	t.Parallel()
	project := newRustShop(t)
	session := serveRust(t, project)
	awaitAnalyzer(t, session)
	files := 0
	for _, file := range sources(t, project) {
		if filepath.Ext(file) != ".rs" {
			continue
		}
		files++
		for _, depth := range []string{"native", "full", "auto"} {
			answer, _ := rustValidate(t, session, object{"file": file, "depth": depth, "tests": true})
			assert.Equal(t, "clean", answer.verdict, "%s: %s", depth, answer.text)
			assert.Empty(t, answer.diagnostics, "%s: %s", depth, answer.text)
		}
	}
	assert.GreaterOrEqual(t, files, 10)
}

// cargoSays puts a content on disk, asks cargo, and takes it back.
func cargoSays(t *testing.T, project *tsproject.Project, file, content string) ([]rsproject.Diagnostic, time.Duration) {
	t.Helper()
	before, err := project.Read(file)
	require.NoError(t, err)
	require.NoError(t, project.Write(file, content))
	began := time.Now()
	said, err := rsproject.Check(within60s(t), project.Dir)
	took := time.Since(began)
	require.NoError(t, err)
	require.NoError(t, project.Write(file, before))
	return said, took
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

// codes are the codes of the errors.
func (a rustAnswer) codes() []string {
	codes := []string{}
	for _, d := range a.diagnostics {
		if isRustError(d) {
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// rustValidate asks for the verdict on a file, and says how long it took.
func rustValidate(t *testing.T, session *mcppipe.Session, arguments object) (rustAnswer, time.Duration) {
	t.Helper()
	began := time.Now()
	result := callTool(t, session, "tcg_validate", arguments)
	took := time.Since(began)
	return parseRustAnswer(t, result), took
}

func parseRustAnswer(t *testing.T, result mcppipe.ToolResult) rustAnswer {
	t.Helper()
	var said struct {
		File, Verdict, Reason, Coverage, Source string
		Diagnostics                             []struct {
			Line, Character         int
			Code, Category, Message string
		}
		Advice []string
	}
	require.NoError(t, result.Decode(&said), "%s", result.Text)
	answer := rustAnswer{verdict: said.Verdict, reason: said.Reason, coverage: said.Coverage, source: said.Source, text: result.Text, advice: said.Advice}
	for _, d := range said.Diagnostics {
		first, _, _ := strings.Cut(d.Message, "\n")
		answer.diagnostics = append(answer.diagnostics, rsproject.Diagnostic{
			File: said.File, Line: d.Line, Character: d.Character, Code: d.Code, Level: d.Category, Message: first,
		})
	}
	return answer
}

// awaitAnalyzer waits until rust-analyzer has loaded a project. On a busy
// machine that can take longer than a call may.
func awaitAnalyzer(t *testing.T, session *mcppipe.Session) {
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
