package acceptance_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/differential"
	"vibevm.org/acceptance/tsproject"
)

// exception is a mutation about which the server says something else than tsc,
// and must say exactly that. docs/accuracy.md lists every reason.
type exception struct {
	project, mutation string
	// releases are prefixes of versions, such as "6."; none for all.
	releases []string
	reason   string
	verdict  string
	answer   []tsproject.Diagnostic
}

var exceptions = []exception{}

// exceptionOf is the exception that a mutation is, nil for none.
func exceptionOf(project string, release tsproject.Release, m mutation) *exception {
	at := slices.IndexFunc(exceptions, func(e exception) bool {
		return e.project == project && e.mutation == m.Name && (len(e.releases) == 0 || slices.ContainsFunc(e.releases, func(prefix string) bool {
			return strings.HasPrefix(release.Version, prefix)
		}))
	})
	if at < 0 {
		return nil
	}
	return &exceptions[at]
}

// tsc is silent about a file while another one has errors that end its work
// early. An answer says what tsc says once the other file is mended.
func TestErrorsElsewhereHideNothing(t *testing.T) {
	t.Parallel()
	private := "export const make = () => class { private hidden = 1; get() { return this.hidden; } };\n"
	for _, c := range []struct{ what, version, elsewhere, text string }{
		{"types behind syntax", "7.0.2", "export const = 1;\n", "export const n: number = '';\n"},
		{"types behind syntax", "5.9.3", "export const = 1;\n", "export const n: number = '';\n"},
		{"declaration emit behind types", "5.9.3", "export const n: number = '';\n", private},
		{"declaration emit behind types", "6.0.3", "export const n: number = '';\n", private},
	} {
		t.Run(c.version+"/"+c.what, func(t *testing.T) {
			t.Parallel()
			release := releaseNamed(t, c.version)
			mended, broken := sampleProject(t, "js-atlas", filepath.Join(t.TempDir(), "1"), release), sampleProject(t, "js-atlas", filepath.Join(t.TempDir(), "2"), release)
			edits := []differential.Edit{{Name: c.what, File: "src/asked.ts", Text: c.text}}
			alone := func(int) differential.Kind { return differential.Semantic }
			said, err := truthOf(t, mended, release).Of(t.Context(), edits, alone)
			require.NoError(t, err)
			require.NotEmpty(t, said[0])
			hidden := truthOf(t, broken, release)
			require.NoError(t, broken.Write("src/elsewhere.ts", c.elsewhere))
			silent, err := hidden.Of(t.Context(), edits, alone)
			require.NoError(t, err)
			require.Empty(t, silent[0], "tsc hides nothing any more: strike the exception from docs/accuracy.md")

			answer, err := differential.Ask(within60s(t), serveRelease(t, broken.Dir), broken.Dir, edits[0])
			require.NoError(t, err)
			assert.Equal(t, render(said[0]), render(answer.Diagnostics))
			assert.Equal(t, "errors", answer.Verdict)
		})
	}
}
