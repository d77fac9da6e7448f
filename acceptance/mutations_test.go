package acceptance_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/tsproject"
)

// mutation is one change to the sample project: a replacement in a file, or a
// new file.
type mutation struct {
	Name, File    string
	Find, Replace string
	// CRLF turns the file's line ends into CRLF.
	CRLF bool
	// Content is the text of a new file.
	Content *string
}

func (m mutation) apply(t *testing.T, project *tsproject.Project) string {
	t.Helper()
	if m.Content != nil {
		require.NoFileExists(t, project.Path(m.File), m.Name)
		return *m.Content
	}
	text, err := project.Read(m.File)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(text, m.Find), "%s: the text to replace occurs once", m.Name)
	text = strings.Replace(text, m.Find, m.Replace, 1)
	if m.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func mutations(t *testing.T) []mutation {
	t.Helper()
	var list []mutation
	require.NoError(t, json.Unmarshal([]byte(readFile(t, filepath.Join("testdata", "mutations.json"))), &list))
	require.GreaterOrEqual(t, len(list), 60)
	return list
}

// The oracle's promise, against the compiler itself: what tcg_validate says
// about content is what `tsc --noEmit` says once the content is on disk.
func TestValidateEqualsTscOnEveryMutation(t *testing.T) {
	t.Parallel()
	list := mutations(t)
	project := newShop(t)
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.apply(t, project)
	}
	truth := compileMutations(t, list, texts)
	session := serveShop(t, project)
	equal := 0
	for i, m := range list {
		t.Run(m.Name, func(t *testing.T) {
			result, v := validate(t, session, object{"file": m.File, "content": texts[i], "budget": 100000})
			got := []tsproject.Diagnostic{}
			for _, d := range v.Diagnostics {
				message := strings.ReplaceAll(d.Message, project.Dir, "")
				got = append(got, tsproject.Diagnostic{File: v.File, Line: d.Line, Character: d.Character, Code: d.Code, Message: message})
			}
			sortDiagnostics(got)
			if assert.Equal(t, render(truth[i]), render(got)) {
				equal++
			}
			want := "errors"
			if len(truth[i]) == 0 {
				want = "clean"
			}
			assert.Equal(t, want, v.Verdict, "%s", result.Text)
			assert.Equal(t, want == "errors", result.IsError)
		})
	}
	t.Logf("%d of %d mutations equal tsc in line, character, code and message", equal, len(list))
}

// compileMutations writes each mutation to disk, one at a time in each of two
// copies of the project, and returns what tsc says about the file.
func compileMutations(t *testing.T, list []mutation, texts []string) [][]tsproject.Diagnostic {
	t.Helper()
	truth := make([][]tsproject.Diagnostic, len(list))
	failures := make([]error, 2)
	var wg sync.WaitGroup
	for worker := range failures {
		project := newShop(t)
		wg.Go(func() {
			for i := worker; i < len(list); i += len(failures) {
				diagnostics, err := compileMutation(t, project, list[i], texts[i])
				if err != nil {
					failures[worker] = fmt.Errorf("%s: %w", list[i].Name, err)
					return
				}
				truth[i] = diagnostics
			}
		})
	}
	wg.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
	return truth
}

func compileMutation(t *testing.T, project *tsproject.Project, m mutation, text string) ([]tsproject.Diagnostic, error) {
	t.Helper()
	before, missing := project.Read(m.File)
	if err := project.Write(m.File, text); err != nil {
		return nil, err
	}
	all, err := tsproject.Check(within60s(t), tsproject.Compiler(project.Path("node_modules")), project.Dir, "tsconfig.json")
	if err != nil {
		return nil, err
	}
	about := []tsproject.Diagnostic{}
	for _, d := range all {
		if d.File == m.File {
			d.Message = strings.ReplaceAll(d.Message, project.Dir, "")
			about = append(about, d)
		}
	}
	sortDiagnostics(about)
	if missing != nil {
		return about, os.Remove(project.Path(m.File))
	}
	return about, project.Write(m.File, before)
}

func sortDiagnostics(list []tsproject.Diagnostic) {
	slices.SortFunc(list, func(a, b tsproject.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character), cmp.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
}

// render makes one line per diagnostic, so that a difference reads as one.
func render(list []tsproject.Diagnostic) string {
	var lines []string
	for _, d := range list {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}
