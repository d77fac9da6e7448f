package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Group is a package group such as "org.vibevm.ai-native": dot-separated
// labels of a-z, 0-9 and inner hyphens.
type Group string

func (g Group) problem() string {
	for label := range strings.SplitSeq(string(g), ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' || strings.Trim(label, lower+digit+"-") != "" {
			return fmt.Sprintf("%s is no group; write dot-separated labels of a-z, 0-9 and -", quoted(string(g)))
		}
	}
	return ""
}

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit = "0123456789"
)

// Name is a package name in kebab-case.
type Name string

func (n Name) problem() string {
	if !isKebab(string(n)) {
		return fmt.Sprintf("%s is no package name; write it in kebab-case", quoted(string(n)))
	}
	return ""
}

// Word is a word in kebab-case of which newer ones may exist.
type Word string

func (w Word) problem() string {
	if !isKebab(string(w)) {
		return fmt.Sprintf("%s is no word in kebab-case", quoted(string(w)))
	}
	return ""
}

// isKebab takes words of a-z and 0-9 joined by single hyphens.
func isKebab(s string) bool {
	for word := range strings.SplitSeq(s, "-") {
		if word == "" || strings.Trim(word, lower+digit) != "" {
			return false
		}
	}
	return true
}

// Kind is what a package is for.
type Kind string

// kinds are the package kinds; lang was split out of stack later than some
// lock files were written.
var kinds = []string{"flow", "feat", "stack", "tool", "mcp", "lang"}

func (k Kind) problem() string { return oneOf(string(k), kinds) }

func oneOf(word string, words []string) string {
	if slices.Contains(words, word) {
		return ""
	}
	text := fmt.Sprintf("is %s, but has to be one of %s", quoted(word), strings.Join(words, ", "))
	if near := nearest(word, words); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return text
}

// Version is a semantic version, three numbers with an optional prerelease and
// build.
type Version string

func (v Version) problem() string {
	if !isVersion(string(v)) {
		return fmt.Sprintf("%s is no semantic version; write it like 1.2.3", quoted(string(v)))
	}
	return ""
}

func isVersion(v string) bool {
	rest, build, hasBuild := strings.Cut(v, "+")
	core, pre, hasPre := strings.Cut(rest, "-")
	numbers := strings.Split(core, ".")
	if len(numbers) != 3 || hasBuild && !identifiers(build) || hasPre && !identifiers(pre) {
		return false
	}
	return !slices.ContainsFunc(numbers, func(n string) bool { return !isNumber(n) })
}

func isNumber(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, digit) == "" && (s == "0" || s[0] != '0')
}

// identifiers takes the dot-separated parts of a prerelease or a build.
func identifiers(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.Trim(part, lower+upper+digit+"-") != "" {
			return false
		}
	}
	return true
}

// Constraint is a version requirement: comparators joined by commas, a bare
// version meaning caret. Empty is any version.
type Constraint string

func (c Constraint) problem() string {
	if strings.TrimSpace(string(c)) == "" {
		return ""
	}
	for part := range strings.SplitSeq(string(c), ",") {
		if !isComparator(strings.TrimSpace(part)) {
			return fmt.Sprintf("%s is no version constraint; write it like ^1.2.3, =1.2.3 or >=1.2, <2", quoted(string(c)))
		}
	}
	return ""
}

func isComparator(s string) bool {
	if s == "*" {
		return true
	}
	for _, op := range []string{">=", "<=", "=", "^", "~", ">", "<"} {
		if rest, ok := strings.CutPrefix(s, op); ok {
			s = strings.TrimSpace(rest)
			break
		}
	}
	if isVersion(s) {
		return true
	}
	numbers := strings.Split(s, ".")
	for i, n := range numbers {
		if !isNumber(n) && (i == 0 || n != "*" && n != "x" && n != "X") {
			return false
		}
	}
	return len(numbers) <= 3
}

// exact reports whether the constraint admits a single version.
func (c Constraint) exact() bool {
	version, pinned := strings.CutPrefix(strings.TrimSpace(string(c)), "=")
	return pinned && isVersion(strings.TrimSpace(version))
}

// PackageRef is a reference to a package: [kind:][group/]name[@constraint].
type PackageRef string

func (r PackageRef) problem() string {
	if !r.valid(false) {
		return fmt.Sprintf("%s is no package; write it like flow:org.vibevm.world/wal@^1.0.0", quoted(string(r)))
	}
	return ""
}

func (r PackageRef) valid(needGroup bool) bool {
	id, constraint, _ := strings.Cut(strings.TrimSpace(string(r)), "@")
	kind, rest, hasKind := strings.Cut(id, ":")
	if !hasKind {
		rest = id
	}
	group, name, hasGroup := strings.Cut(rest, "/")
	if !hasGroup {
		name = rest
	}
	return (!hasKind || slices.Contains(kinds, kind)) &&
		(hasGroup && Group(group).problem() == "" || !hasGroup && !needGroup) &&
		Name(name).problem() == "" && Constraint(constraint).problem() == ""
}

// PackageKey is a key of [requires.packages]: [kind:]group/name.
type PackageKey string

func (k PackageKey) problem() string {
	if strings.Contains(string(k), "@") || !PackageRef(k).valid(true) {
		return "is no package; write it like \"flow:org.vibevm.world/wal\" and the version as its value"
	}
	return ""
}

// Capability is a reference to a capability: namespace:name[@constraint].
type Capability string

func (c Capability) problem() string {
	id, constraint, _ := strings.Cut(strings.TrimSpace(string(c)), "@")
	namespace, name, found := strings.Cut(id, ":")
	if !found || !isKebab(namespace) || !isKebab(name) || Constraint(constraint).problem() != "" {
		return fmt.Sprintf("%s is no capability; write it like interface:build-system@^1.0", quoted(string(c)))
	}
	return ""
}

// PackagePath is a path inside a package: relative, with forward slashes, and
// not leading out of it. "." is the package itself.
type PackagePath string

func (p PackagePath) problem() string {
	if !isInside(string(p)) {
		return fmt.Sprintf("%s leads out of the package; write a relative path with forward slashes", quoted(string(p)))
	}
	return ""
}

// isInside takes relative paths that stay where they start on every system:
// a backslash or a colon means a separator or a drive on some.
func isInside(p string) bool {
	if p == "" || strings.ContainsAny(p, "\\:\x00") || path.IsAbs(p) {
		return false
	}
	clean := path.Clean(p)
	return clean != ".." && !strings.HasPrefix(clean, "../")
}

// BinaryName is the name of an executable, which is also its file name.
type BinaryName string

func (n BinaryName) problem() string {
	s := string(n)
	if s == "" || len(s) > 100 || strings.Trim(s, lower+upper+digit+"-_.") != "" || strings.ContainsAny(s[:1], "-_.") || strings.HasSuffix(s, ".") {
		return fmt.Sprintf("%s is no name of an executable; write letters, digits, - and _", quoted(s))
	}
	return ""
}

// Link is how a dependency's texts reach the project.
type Link string

func (l Link) problem() string {
	return oneOf(string(l), []string{"dynamic", "static", "static-transitive", "static-hard"})
}

// Auth is how a source is authenticated to.
type Auth string

func (a Auth) problem() string {
	return oneOf(string(a), []string{"none", "token-env", "credential-helper", "ssh"})
}

// Materialization is how a package comes into the project.
type Materialization string

// The materializations; the empty one is a copy.
const (
	MaterializedCopy    Materialization = "copy"
	MaterializedInPlace Materialization = "in-place"
)

func (m Materialization) problem() string {
	if m == "snapshot" {
		return "is \"snapshot\", which is now called copy"
	}
	return oneOf(string(m), []string{"copy", "hardlink", "in-place"})
}

// Text is a string that must not be empty.
type Text string

func (t Text) problem() string {
	if t == "" {
		return "is empty"
	}
	return ""
}
