package differential

import (
	"cmp"
	"slices"
	"strings"

	"vibevm.org/acceptance/tsproject"
)

// Edit is a text for one file of a project, on disk or new.
type Edit struct {
	// Name says what was done, for people.
	Name string
	// File is relative to the project, with slashes.
	File string
	// Text is the whole text.
	Text string
}

// about keeps the diagnostics of one file, sorted and free of the directory
// that the project happens to be in.
func about(file, dir string, all []tsproject.Diagnostic) []tsproject.Diagnostic {
	found := []tsproject.Diagnostic{}
	for _, d := range all {
		if d.File == file {
			d.Message = strings.ReplaceAll(d.Message, dir, "")
			found = append(found, d)
		}
	}
	slices.SortFunc(found, Compare)
	return found
}

// Compare orders diagnostics by place, code and message.
func Compare(a, b tsproject.Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character), cmp.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
}

// Render makes one line per diagnostic and level of its message, so that a
// difference reads as one.
func Render(list []tsproject.Diagnostic) string {
	var lines []string
	for _, d := range list {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}
