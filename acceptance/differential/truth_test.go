package differential

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/tsproject"
)

// fakeTsc has tsc's gates: SYNTAX in a file hides every TYPE, any error hides
// every DECLARATION, and a TYPE is felt by the files that import it.
func fakeTsc(files []string, runs *[][]string) Compiler {
	var mu sync.Mutex
	return func(_ context.Context, project *tsproject.Project) ([]tsproject.Diagnostic, error) {
		var edited []string
		for _, gate := range []string{"SYNTAX", "TYPE", "DECLARATION"} {
			var found []tsproject.Diagnostic
			for _, file := range files {
				text, _ := project.Read(file)
				if gate == "SYNTAX" && strings.Contains(text, "edited") {
					edited = append(edited, file)
				}
				for n, line := range strings.Split(text, "\n") {
					if strings.Contains(line, gate) {
						found = append(found, tsproject.Diagnostic{File: file, Line: n + 1, Code: len(gate), Message: line + " in " + project.Dir})
					}
				}
			}
			if len(found) > 0 || gate == "DECLARATION" {
				mu.Lock()
				*runs = append(*runs, edited)
				mu.Unlock()
				return found, nil
			}
		}
		panic("unreachable")
	}
}

func newFake(t *testing.T, texts map[string]string, copies int) (*Truth, *[][]string) {
	t.Helper()
	var files []string
	for file := range texts {
		files = append(files, file)
	}
	var projects []*tsproject.Project
	for range copies {
		project := &tsproject.Project{Dir: t.TempDir()}
		for file, text := range texts {
			require.NoError(t, project.Write(file, text))
		}
		projects = append(projects, project)
	}
	runs := &[][]string{}
	truth, err := NewTruth(t.Context(), projects, fakeTsc(append(files, "new.ts"), runs), 10, files)
	require.NoError(t, err)
	*runs = nil
	return truth, runs
}

// Whatever is guessed, the result is that of one run per edit.
func TestRunsThatAreSharedChangeNothing(t *testing.T) {
	texts := map[string]string{"base.ts": "export {};\n"}
	for n := range 6 {
		texts[fmt.Sprintf("leaf%d.ts", n)] = "import \"./base\";\nexport {};\n"
	}
	what := []string{"SYNTAX", "TYPE", "DECLARATION", "nothing", "TYPE\nDECLARATION", "SYNTAX\nTYPE"}
	var edits []Edit
	for n := range 24 {
		file := fmt.Sprintf("leaf%d.ts", (n*5+n/6)%6)
		if n%11 == 3 {
			file = "base.ts"
		}
		edits = append(edits, Edit{Name: fmt.Sprint(n), File: file, Text: "export {}; // edited\n" + what[n%6]})
	}
	edits = append(edits, Edit{File: "new.ts", Text: "export {}; // edited\nTYPE"})
	for name, guess := range map[string]func(int) Kind{
		"all semantic": func(int) Kind { return Semantic },
		"all silent":   func(int) Kind { return Silent },
		"random":       func(i int) Kind { return Kind(i * 7 % 4) },
	} {
		t.Run(name, func(t *testing.T) {
			truth, runs := newFake(t, texts, 2)
			said, err := truth.Of(t.Context(), edits, guess)
			require.NoError(t, err)
			for i, edit := range edits {
				want := strings.TrimPrefix(edit.Text, "export {}; // edited\n")
				switch want {
				case "nothing":
					want = ""
				case "TYPE\nDECLARATION":
					want = "TYPE"
				case "SYNTAX\nTYPE":
					want = "SYNTAX"
				}
				var got []string
				for _, d := range said[i] {
					got = append(got, strings.TrimSuffix(d.Message, " in "))
				}
				assert.Equal(t, want, strings.Join(got, "\n"), "edit %d", i)
			}
			for _, together := range *runs {
				if len(together) > 1 {
					assert.NotContains(t, together, "base.ts", "an edit that others import shares no run")
				}
			}
			for _, project := range truth.Projects {
				for file, text := range texts {
					now, err := project.Read(file)
					require.NoError(t, err)
					assert.Equal(t, text, now, "%s is restored", file)
				}
				assert.NoFileExists(t, project.Path("new.ts"))
			}
		})
	}
}

func TestGoodGuessesSaveRuns(t *testing.T) {
	texts := map[string]string{}
	var edits []Edit
	for n := range 10 {
		file := path.Join("src", fmt.Sprintf("leaf%d.ts", n))
		texts[file] = "export {};\n"
		edits = append(edits, Edit{File: file, Text: "export {}; // edited\nTYPE"}, Edit{File: file, Text: "export {}; // edited\n"})
	}
	truth, runs := newFake(t, texts, 1)
	_, err := truth.Of(t.Context(), edits, func(i int) Kind { return Kind(i % 2) })
	require.NoError(t, err)
	assert.Len(t, *runs, 2)
}

// Errors that a project has anyway prove that types were checked.
func TestSilenceBesideAnErrorOfTheProject(t *testing.T) {
	texts := map[string]string{"old.ts": "export {};\nTYPE", "a.ts": "export {};\n", "b.ts": "export {};\n"}
	truth, runs := newFake(t, texts, 1)
	require.Len(t, truth.Baseline(), 1)
	assert.Len(t, truth.About("old.ts"), 1)
	edits := []Edit{{File: "a.ts", Text: "export {}; // edited\n"}, {File: "b.ts", Text: "export {}; // edited\nTYPE"}}
	said, err := truth.Of(t.Context(), edits, func(int) Kind { return Semantic })
	require.NoError(t, err)
	assert.Empty(t, said[0])
	assert.Len(t, said[1], 1)
	assert.Len(t, *runs, 1)
}

func TestImportsAreOverApproximated(t *testing.T) {
	texts := map[string]string{
		"src/a.ts":                   "import { x } from './b.js';\nconst y = await import(\"./lazy\");",
		"src/b.ts":                   "export * from '@scope/pkg';",
		"src/lazy.ts":                "/** @type {import('../types/shape').Shape} */",
		"types/shape.d.ts":           "",
		"packages/pkg/src/index.ts":  "import x = require('.');",
		"packages/old/b.ts":          "",
		"packages/old/lazy/index.ts": "",
		"src/other.ts":               "const text = 'b';",
	}
	g := newGraph(texts)
	reach := g.reach(Edit{File: "src/a.ts", Text: texts["src/a.ts"]})
	assert.Equal(t, map[string]bool{"src/a.ts": true, "src/b.ts": true, "src/lazy.ts": true, "types/shape.d.ts": true, "packages/pkg/src/index.ts": true}, reach)
	assert.True(t, g.reach(Edit{File: "src/other.ts", Text: "import './a'"})["types/shape.d.ts"], "the edit's own imports count")

	for text, felt := range map[string]bool{
		"export {};": false, "import 'x';": false, "const x = require('x');": false, "let global = 1;": true,
		"export {};\ndeclare global {}": true, "export {};\ndeclare module './x' {}": true, "/// <reference path='x' />\nexport {};": true,
	} {
		assert.Equal(t, felt, everywhere(text), text)
	}
}
