package differential

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// graph over-approximates who imports whom: a specifier leads to every file
// that its last segment could name. A wrong edge costs a run of the compiler, a
// missing one would cost the truth.
type graph struct {
	byName map[string][]string // stem or folder name → files
	edges  map[string][]string
}

// newGraph reads the imports of the files of a project.
func newGraph(texts map[string]string) *graph {
	g := &graph{byName: map[string][]string{}, edges: map[string][]string{}}
	for file := range texts {
		g.add(file)
	}
	for file, text := range texts {
		g.edges[file] = g.importsOf(text)
	}
	return g
}

// add makes a file known to specifiers.
func (g *graph) add(file string) {
	for _, name := range namesOf(file) {
		if !slices.Contains(g.byName[name], file) {
			g.byName[name] = append(g.byName[name], file)
		}
	}
}

// namesOf are the last segments of specifiers that can lead to a file: its
// stem, and its folder for an index.
func namesOf(file string) []string {
	names := []string{stem(file)}
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		switch path.Base(dir) {
		case "src", "lib", "dist", "source":
			names = append(names, path.Base(path.Dir(dir))) // a package's main folder
			continue
		}
		if stem(file) == "index" || stem(file) == "mod" {
			names = append(names, path.Base(dir))
		}
		break
	}
	return names
}

func stem(file string) string {
	name, _, _ := strings.Cut(path.Base(file), ".")
	return name
}

var specifier = regexp.MustCompile("(?:\\bfrom|\\bimport|\\brequire|\\bmodule|\\bpath\\s*=|\\btypes\\s*=)\\s*\\(?\\s*[\"'`]([^\"'`\\n]+)[\"'`]")

func (g *graph) importsOf(text string) []string {
	var found []string
	for _, match := range specifier.FindAllStringSubmatch(text, -1) {
		name := stem(match[1])
		if name == "" { // "." and ".."
			name = "index"
		}
		found = append(found, g.byName[name]...)
	}
	return found
}

// reach is everything that a text of a file imports, directly or not, the file
// itself included.
func (g *graph) reach(edit Edit) map[string]bool {
	seen := map[string]bool{edit.File: true}
	for todo := slices.Concat(g.edges[edit.File], g.importsOf(edit.Text)); len(todo) > 0; {
		file := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[file] {
			seen[file] = true
			todo = append(todo, g.edges[file]...)
		}
	}
	return seen
}

var (
	moduleSyntax = regexp.MustCompile(`(?m)^\s*(import|export)\b|\brequire\(|\bmodule\.exports\b|^exports\.`)
	globalSyntax = regexp.MustCompile(`\bdeclare\s+(global|module)\b|\bmodule\s+["']|///\s*<reference|\bnamespace\s+JSX\b`)
)

// everywhere reports a text that is felt in files which do not import it: a
// script, whose names are global, or one that adds to global types or to
// another module.
func everywhere(text string) bool {
	return !moduleSyntax.MatchString(text) || globalSyntax.MatchString(text)
}
