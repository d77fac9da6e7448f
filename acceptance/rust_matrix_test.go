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
	rust.load(t, session)

	list := slices.Concat(mistakes, changesThatBreakOthers, soundChanges)
	var kinds, equal, native int
	var cargoTook, fullTook, nativeTook time.Duration
	codes := map[string]bool{}
	for _, m := range list {
		content := m.content(t, served)
		said, took := cargoSays(t, compiled, m.file, content)
		cargoTook += took
		full, took := timed(t, session, object{"file": m.file, "content": content, "depth": "full"})
		fullTook += took
		quick, took := timed(t, session, object{"file": m.file, "content": content, "depth": "native"})
		nativeTook += took
		here := slices.DeleteFunc(slices.Clone(said), func(d rsproject.Diagnostic) bool { return d.File != m.file })
		t.Run(m.name, func(t *testing.T) {
			verdict := "clean"
			switch {
			case slices.ContainsFunc(here, isRustError):
				verdict = "errors"
				kinds++
				if quick.Verdict == "errors" {
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
			if assert.Equal(t, renderRust(here), renderRust(full.rustc()), "%s", full.text) &&
				assert.Equal(t, verdict, full.Verdict, "%s", full.text) {
				equal++
			}
			assert.Equal(t, "rustc", full.Coverage)
			assert.Equal(t, "native", quick.Coverage)
			switch verdict {
			case "clean":
				assert.Equal(t, "clean", quick.Verdict, "rust-analyzer complains about what compiles: %s", quick.text)
			case "unknown":
				assert.Equal(t, "not-reached", full.Reason)
				assert.NotEmpty(t, full.Advice, "which errors they are")
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
	rust.load(t, session)
	files := 0
	for _, file := range sources(t, project) {
		if filepath.Ext(file) != ".rs" {
			continue
		}
		files++
		for _, depth := range []string{"native", "full", "auto"} {
			result, v := judge(t, session, object{"file": file, "depth": depth, "tests": true})
			assert.Equal(t, "clean", v.Verdict, "%s: %s", depth, result.Text)
			assert.Empty(t, v.Diagnostics, "%s: %s", depth, result.Text)
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

// rustc are the diagnostics as cargo has them.
func (v judgement) rustc() []rsproject.Diagnostic {
	var list []rsproject.Diagnostic
	for _, d := range v.Diagnostics {
		first, _, _ := strings.Cut(d.Message, "\n")
		list = append(list, rsproject.Diagnostic{File: v.File, Line: d.Line, Character: d.Character, Code: string(d.Code), Level: d.Category, Message: first})
	}
	return list
}

// timedAnswer is a judgement with its text.
type timedAnswer struct {
	judgement
	text string
}

// timed judges and measures how long it took.
func timed(t *testing.T, session *mcppipe.Session, arguments object) (timedAnswer, time.Duration) {
	t.Helper()
	began := time.Now()
	result, v := judge(t, session, arguments)
	return timedAnswer{v, result.Text}, time.Since(began)
}
