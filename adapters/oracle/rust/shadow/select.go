package shadow

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// kindsOfTargets are the kinds that cargo check leaves out unless told, with
// the directory where cargo finds them by itself.
var kindsOfTargets = []struct{ kind, dir, flag string }{
	{"test", "tests", "--tests"},
	{"example", "examples", "--examples"},
	{"bench", "benches", "--benches"},
}

// selection is the part of the command that says what to check: the package
// of the file, and the kinds of targets that the file can be in.
func (p *project) selection(pkg *cargoPackage, request Request) []string {
	args := []string{"-p", pkg.name + "@" + pkg.version}
	if atLeast(p.version, 1, 74) {
		// An error in one target must not hide another.
		args = append(args, "--keep-going")
	}
	for _, k := range kindsOfTargets {
		if request.Tests && k.kind == "test" || pkg.mayHold(request.File, k.kind, k.dir) {
			args = append(args, k.flag)
		}
	}
	if request.Tests {
		// Naming a kind leaves out the usual ones.
		args = append(args, "--bins")
		if slices.ContainsFunc(pkg.targets, cargoTarget.isLib) {
			args = append(args, "--lib")
		}
	}
	return args
}

// mayHold reports that targets of a kind can contain a file: it lies where
// cargo looks for them, or next to the source of one.
func (pkg *cargoPackage) mayHold(file, kind, dir string) bool {
	if _, below := within(filepath.Join(pkg.dir, dir), file); below {
		return true
	}
	return slices.ContainsFunc(pkg.targets, func(t cargoTarget) bool {
		home := filepath.Dir(t.src)
		_, below := within(home, file)
		shared := home == pkg.dir || home == filepath.Join(pkg.dir, "src")
		return t.is(kind) && (t.src == file || below && !shared)
	})
}

// atLeast compares a version; an unknown one is taken for new.
func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return true
	}
	ma, errMajor := strconv.Atoi(parts[0])
	mi, errMinor := strconv.Atoi(parts[1])
	if errMajor != nil || errMinor != nil {
		return true
	}
	return ma > major || ma == major && mi >= minor
}
