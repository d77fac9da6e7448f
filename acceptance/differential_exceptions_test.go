package acceptance_test

import (
	"slices"
	"strings"

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
