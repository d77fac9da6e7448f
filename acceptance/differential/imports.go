package differential

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// graph over-approximates who imports whom: a relative specifier leads to every
// file that it could mean, any other one to every file that its last segment
// could name. A wrong edge costs a run of the compiler, a missing one would
// cost the truth.
type graph struct {
	byPath map[string][]string // path without extension → files
	byName map[string][]string // stem or folder name → files
	edges  map[string][]string
}

// newGraph reads the imports of the files of a project.
func newGraph(texts map[string]string) *graph {
	g := &graph{byPath: map[string][]string{}, byName: map[string][]string{}, edges: map[string][]string{}}
	for file := range texts {
		g.add(file)
	}
	for file, text := range texts {
		g.edges[file] = g.importsOf(file, text)
	}
	return g
}

// add makes a file known to specifiers.
func (g *graph) add(file string) {
	name := func(in map[string][]string, name string) {
		if !slices.Contains(in[name], file) {
			in[name] = append(in[name], file)
		}
	}
	name(g.byPath, extension.ReplaceAllString(file, ""))
	for _, n := range namesOf(file) {
		name(g.byName, n)
	}
}

var extension = regexp.MustCompile(`(\.d)?\.[cm]?[jt]sx?$|\.json$`)

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

func (g *graph) importsOf(file, text string) []string {
	var found []string
	for _, match := range specifier.FindAllStringSubmatch(text, -1) {
		found = append(found, g.meant(file, match[1])...)
	}
	return found
}

// meant is what a specifier in a file can lead to.
func (g *graph) meant(file, specifier string) []string {
	if strings.HasPrefix(specifier, ".") {
		at := path.Join(path.Dir(file), specifier)
		exact := slices.Concat(g.byPath[at], g.byPath[extension.ReplaceAllString(at, "")], g.byPath[path.Join(at, "index")])
		if len(exact) > 0 {
			return exact
		}
	}
	name := stem(specifier)
	if name == "" { // "." and ".."
		name = "index"
	}
	return g.byName[name]
}

// reach is everything that a text of a file imports, directly or not, the file
// itself included.
func (g *graph) reach(edit Edit) map[string]bool {
	seen := map[string]bool{edit.File: true}
	for todo := slices.Concat(g.edges[edit.File], g.importsOf(edit.File, edit.Text)); len(todo) > 0; {
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
