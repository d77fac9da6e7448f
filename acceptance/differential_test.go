package acceptance_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/differential"
	"vibevm.org/acceptance/tsproject"
)

// mutation is one change to a sample project: a replacement in a file, or a
// new file.
type mutation struct {
	Name, File    string
	Find, Replace string
	// CRLF turns the file's line ends into CRLF.
	CRLF bool
	// Content is the text of a new file.
	Content *string
	// Native is for TypeScript 7 alone, whose runs cost next to nothing.
	Native bool
}

func (m mutation) edit(t *testing.T, project *tsproject.Project) differential.Edit {
	t.Helper()
	if m.Content != nil {
		require.NoFileExists(t, project.Path(m.File), m.Name)
		return differential.Edit{Name: m.Name, File: m.File, Text: *m.Content}
	}
	text, err := project.Read(m.File)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(text, m.Find), "%s: the text to replace occurs once", m.Name)
	text = strings.Replace(text, m.Find, m.Replace, 1)
	if m.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return differential.Edit{Name: m.Name, File: m.File, Text: text}
}

// sampleProjects are the ones whose mutations are in testdata/mutations.
var sampleProjects = []string{"ts-shop", "tsx-board", "js-atlas"}

// TypeScript 5.0 does not have the type that the shop uses.
const noInfer = "type NoInfer<T> = [T][T extends any ? 0 : never];\n"

// sampleProject makes a copy of a sample project with a release installed. The
// names of all copies are equally long, since types in messages are cut to a
// length that counts the directory.
func sampleProject(t *testing.T, name, dir string, release tsproject.Release) *tsproject.Project {
	t.Helper()
	project, err := tsproject.CopyNamed(name, dir)
	require.NoError(t, err)
	require.NoError(t, release.LinkInto(project.Dir))
	require.NoError(t, project.LinkWorkspaces())
	if name == "ts-shop" && strings.HasPrefix(release.Version, "5.0.") {
		require.NoError(t, project.Write("src/no-infer.d.ts", noInfer))
	}
	return project
}

// everyRelease are the compilers that the promise is held for.
func everyRelease(t *testing.T) []tsproject.Release {
	t.Helper()
	var all []tsproject.Release
	for _, version := range []string{"7.0.2", "6.0.3", "5.9.3", "5.4.5", "5.0.4"} {
		all = append(all, releaseNamed(t, version))
	}
	return all
}

func releaseNamed(t *testing.T, version string) tsproject.Release {
	t.Helper()
	find := tsproject.ReleaseOnNode
	if strings.HasPrefix(version, "7.") {
		find = func(string) (tsproject.Release, error) { return tsproject.Release7() }
	}
	release, err := find(version)
	require.NoError(t, err)
	require.Equal(t, version, release.Version)
	return release
}

// mutations are those of a sample project that a release is tried with.
func mutations(t *testing.T, name string, release tsproject.Release) []mutation {
	t.Helper()
	var list []mutation
	require.NoError(t, json.Unmarshal([]byte(readFile(t, filepath.Join("testdata", "mutations", name+".json"))), &list))
	list = slices.DeleteFunc(list, func(m mutation) bool { return m.Native && !release.Native() })
	require.GreaterOrEqual(t, len(list), 40)
	return list
}

// The oracle's promise, against the compilers themselves: what tcg_validate
// says about content is what `tsc --noEmit` says once the content is on disk.
func TestValidateEqualsTsc(t *testing.T) {
	t.Parallel()
	for _, release := range everyRelease(t) {
		for _, name := range sampleProjects {
			t.Run(name+"/"+release.Version, func(t *testing.T) {
				t.Parallel()
				compareWithTsc(t, name, release)
			})
		}
	}
}

func compareWithTsc(t *testing.T, name string, release tsproject.Release) {
	t.Helper()
	list := mutations(t, name, release)
	served, compiled := sampleProject(t, name, filepath.Join(t.TempDir(), "1"), release), sampleProject(t, name, filepath.Join(t.TempDir(), "2"), release)
	began := time.Now()
	session := serveRelease(t, served.Dir)
	edits, answers := make([]differential.Edit, len(list)), make([]differential.Answer, len(list))
	for i, m := range list {
		edits[i] = m.edit(t, served)
		answer, err := differential.Ask(within60s(t), session, served.Dir, edits[i])
		require.NoError(t, err, m.Name)
		require.Equal(t, release.Version, answer.Version)
		answers[i] = answer
	}
	asked := time.Since(began)

	began = time.Now()
	truth := truthOf(t, compiled, release)
	said, err := truth.Of(t.Context(), edits, func(i int) differential.Kind { return answers[i].Guess() })
	require.NoError(t, err)
	equal, clean := 0, 0
	for i, m := range list {
		t.Run(m.Name, func(t *testing.T) {
			if assertEqualsTsc(t, exceptionOf(name, release, m), said[i], answers[i]) {
				equal++
			}
			if len(said[i]) == 0 {
				clean++
			}
		})
	}
	assert.GreaterOrEqual(t, clean, 8, "mutations that tsc has nothing to say about")
	t.Logf("%d of %d mutations equal tsc in line, character, code and message, %d of them clean; asked in %.1f s, compiled in %.1f s by %d runs of tsc",
		equal, len(list), clean, asked.Seconds(), time.Since(began).Seconds(), truth.Runs.Load())
}

// truthOf is the compiler on a copy of a project that compiles as it is.
func truthOf(t *testing.T, project *tsproject.Project, release tsproject.Release) *differential.Truth {
	t.Helper()
	compile := func(ctx context.Context, project *tsproject.Project) ([]tsproject.Diagnostic, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return release.Tsc(ctx, project.Dir, "--noEmit", "-p", "tsconfig.json")
	}
	together := 20
	if release.Native() {
		together = 1
	}
	truth, err := differential.NewTruth(t.Context(), []*tsproject.Project{project}, compile, together, sources(t, project))
	require.NoError(t, err)
	require.Empty(t, truth.Baseline(), "the project compiles")
	return truth
}

// sources are the files of a project that imports can lead to.
func sources(t *testing.T, project *tsproject.Project) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(project.Dir, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == "node_modules":
			return filepath.SkipDir
		}
		if entry.Type().IsRegular() {
			file, err := filepath.Rel(project.Dir, path)
			files = append(files, filepath.ToSlash(file))
			return err
		}
		return nil
	}))
	return files
}

// assertEqualsTsc requires the compiler's words, or what the exception says is
// answered instead.
func assertEqualsTsc(t *testing.T, e *exception, said []tsproject.Diagnostic, answer differential.Answer) bool {
	t.Helper()
	want, verdict := said, "errors"
	if len(said) == 0 {
		verdict = "clean"
	}
	if e != nil {
		require.NotEqual(t, differential.Render(e.answer), differential.Render(said), "no exception any more: %s", e.reason)
		want, verdict = e.answer, e.verdict
	}
	return assert.Equal(t, differential.Render(want), differential.Render(answer.Diagnostics), "%s", answer.Text) &&
		assert.Equal(t, verdict, answer.Verdict, "%s", answer.Text) && e == nil
}

// render makes one line per diagnostic, so that a difference reads as one.
func render(list []tsproject.Diagnostic) string { return differential.Render(list) }

func sortDiagnostics(list []tsproject.Diagnostic) { slices.SortFunc(list, differential.Compare) }
