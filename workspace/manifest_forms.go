package workspace

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"vibevm.org/workspace/internal/tomltree"
)

// Dependency is the value of a key of [requires.packages]: a constraint, or a
// table that says where the package comes from.
type Dependency struct {
	// Version is the constraint; empty is any version.
	Version Constraint
	// VersionVar names an entry of [workspace.versions] that holds the
	// constraint instead.
	VersionVar string
	// Path is a directory, Git a repository with exactly one of Tag, Branch
	// and Rev.
	Path             string
	Git              string
	Tag, Branch, Rev string
	Auth             Auth
	TokenEnv         string
	// Link is empty for the default.
	Link Link
}

// dependencyTable is the table form.
type dependencyTable struct {
	Version  versionField `toml:"version"`
	Path     Text         `toml:"path"`
	Git      Text         `toml:"git"`
	Tag      Text         `toml:"tag"`
	Branch   Text         `toml:"branch"`
	Rev      Text         `toml:"rev"`
	Auth     Auth         `toml:"auth"`
	TokenEnv string       `toml:"token_env"`
	Link     Link         `toml:"link"`
}

func (dep *Dependency) decode(d *decoder, n *tomltree.Node) {
	if n.Kind == tomltree.String {
		d.value(valueOf(&dep.Version), n)
		return
	}
	if n.Kind != tomltree.Table {
		d.fail(n, "is %s where a version constraint or a table belongs", n.Kind)
		return
	}
	var t dependencyTable
	d.structure(valueOf(&t), n)
	*dep = Dependency{
		Version: t.Version.constraint, VersionVar: t.Version.name, Path: string(t.Path), Git: string(t.Git),
		Tag: string(t.Tag), Branch: string(t.Branch), Rev: string(t.Rev), Auth: t.Auth, TokenEnv: t.TokenEnv, Link: t.Link,
	}
	refs := 0
	for _, ref := range []string{dep.Tag, dep.Branch, dep.Rev} {
		if ref != "" {
			refs++
		}
	}
	switch {
	case dep.Git != "" && dep.Path != "":
		d.fail(n, "has both git and path")
	case dep.Git != "" && refs != 1:
		d.fail(n, "needs exactly one of tag, branch and rev beside git")
	case dep.Git == "" && refs > 0:
		d.fail(n, "has a tag, branch or rev without git")
	case dep.Git == "" && dep.Path == "" && n.Get("version") == nil:
		d.fail(n, "has none of version, path and git")
	}
}

// versionField is a constraint, or { var = NAME }.
type versionField struct {
	constraint Constraint
	name       string
}

func (v *versionField) decode(d *decoder, n *tomltree.Node) {
	if n.Kind == tomltree.Table {
		var t struct {
			Var Text `toml:"var,required"`
		}
		d.structure(valueOf(&t), n)
		v.name = string(t.Var)
		return
	}
	d.value(valueOf(&v.constraint), n)
}

// Features is [features]: names with what they turn on, and in
// [features.exclusive] sets of which one may be on.
type Features struct {
	Features  map[string][]string
	Exclusive map[string][]string
}

func (f *Features) decode(d *decoder, n *tomltree.Node) {
	if n.Kind != tomltree.Table {
		d.fail(n, "is %s where a table belongs", n.Kind)
		return
	}
	f.Features = map[string][]string{}
	for _, m := range n.Members {
		if m.Key == "exclusive" && m.Value.Kind == tomltree.Table {
			d.member(valueOf(&f.Exclusive), m.Key, m.Value)
			continue
		}
		var list []string
		d.member(valueOf(&list), m.Key, m.Value)
		f.Features[m.Key] = list
	}
}

// Publish says where a package may be published: everywhere (the default),
// nowhere, or in the registries listed.
type Publish struct {
	Never      bool
	Registries []string
}

func (p *Publish) decode(d *decoder, n *tomltree.Node) {
	if n.Kind == tomltree.Bool {
		p.Never = !n.Bool
		return
	}
	if n.Kind != tomltree.Array {
		d.fail(n, "is %s where true, false or a list of registries belongs", n.Kind)
		return
	}
	d.value(valueOf(&p.Registries), n)
}

// SpecFormat is the form of a project's specifications; empty is mixed.
type SpecFormat string

func (s SpecFormat) problem() string {
	if !isKebab(string(s)) {
		return fmt.Sprintf("%s is no format; write a word such as mixed or xml", quoted(string(s)))
	}
	return ""
}

// PackageFormat is the layout of a package; empty is simple.
type PackageFormat string

func (f PackageFormat) problem() string { return oneOf(string(f), []string{"simple", "normal"}) }

// BootCategory orders boot snippets.
type BootCategory string

func (c BootCategory) problem() string {
	return oneOf(string(c), []string{"foundation", "flow", "stack", "tool", "app", "user-override"})
}

// When is the condition of a boot snippet: os:windows, os:macos or os:linux.
type When string

func (w When) problem() string {
	return oneOf(string(w), []string{"os:windows", "os:macos", "os:linux"})
}

// Naming is how a registry names its repositories.
type Naming string

func (n Naming) problem() string {
	return oneOf(string(n), []string{"fqdn", "kind-name", "name", "kind/name"})
}

// PURL is a package URL.
type PURL string

func (p PURL) problem() string {
	if !strings.HasPrefix(string(p), "pkg:") {
		return fmt.Sprintf("%s is no package URL; write it like pkg:cargo/serde", quoted(string(p)))
	}
	return ""
}

// parseTOML parses a document; a syntax error becomes an *Error.
func parseTOML(path, text string, code Code, recipe string) (*tomltree.Node, error) {
	tree, err := tomltree.Parse(text)
	if syntax := (*tomltree.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, &Error{Code: code, Path: path, Line: syntax.Line, Detail: syntax.Detail, Recipe: recipe}
	}
	return tree, err
}

func valueOf[T any](p *T) reflect.Value { return reflect.ValueOf(p).Elem() }

// failure is the first problem of the document as an error.
func (d *decoder) failure(path string, code Code, recipe string) *Error {
	p, more := first(d.problems)
	if more > 0 {
		p.detail += fmt.Sprintf(" (and %d more)", more)
	}
	return &Error{Code: code, Path: path, Line: p.line, Detail: p.detail, Recipe: recipe}
}
