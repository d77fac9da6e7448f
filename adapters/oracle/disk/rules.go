package disk

import (
	"path/filepath"
	"slices"
	"strings"
)

// Rules say which files matter to a language's compiler.
type Rules struct {
	// Relevant reports a file that the compiler may read, by its name; logs
	// and the output of builds would only cost time.
	Relevant func(name string) bool
	// ProjectFiles are the names of files that are also watched in the
	// directories above a tree.
	ProjectFiles []string
	// Packages says how packages are installed; the zero value for languages
	// that install none among the sources.
	Packages Packages
}

// Packages describes directories of installed packages, which are much larger
// than the sources around them and change seldom.
type Packages struct {
	// Dir is the name of such a directory, for example node_modules.
	Dir string
	// Markers are files in it that package managers rewrite with everything
	// they install, update or remove.
	Markers []string
	// Skip are the names of directories in it that are no packages: caches.
	Skip []string
	// Relevant reports a file of a package that the compiler may read.
	Relevant func(name string) bool
}

// level is where a directory is: among sources, or how far below the
// directory of a package.
type level int

const (
	sources level = iota - 1
	shelf         // holds packages: node_modules, node_modules/@scope
	pack          // a package's own directory; what is deeper has higher levels
)

// installed reports a directory of or with installed packages.
func (l level) installed() bool { return l >= shelf }

// below is the level of a directory's subdirectory.
func (r *Rules) below(l level, name string) level {
	switch {
	case r.Packages.Dir != "" && name == r.Packages.Dir:
		return shelf
	case l == sources:
		return sources
	case l == shelf && strings.HasPrefix(name, "@"):
		return shelf
	}
	return l + 1
}

// levelOf is the level of a directory that nothing else is known of.
func (r *Rules) levelOf(path string) level {
	l := sources
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		l = r.below(l, name)
	}
	return l
}

// versionControl are directories whose contents are not compared.
var versionControl = []string{".git", ".hg", ".svn"}

// skips reports a subdirectory that is not looked into.
func (r *Rules) skips(l level, name string) bool {
	return slices.Contains(versionControl, name) || l == shelf && slices.Contains(r.Packages.Skip, name)
}

// takes reports a file that is watched, by its name.
func (r *Rules) takes(l level, name string) bool {
	if !l.installed() {
		return r.Relevant(name) || slices.Contains(r.ProjectFiles, name)
	}
	return r.Packages.Relevant(name) || l == shelf && slices.Contains(r.Packages.Markers, name)
}
