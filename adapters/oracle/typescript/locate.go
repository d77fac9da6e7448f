package typescript

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"vibevm.org/tcgfamily/oracleproto"
)

// compiler is an installed TypeScript.
type compiler struct {
	version string
	major   int
	entry   string // of 7 the native executable, before it lib/typescript.js
	built   stamp  // of entry, so that an upgrade in place is another compiler
}

// key identifies an installation, whatever version it has by now.
func (c compiler) key() string { return c.entry }

// stamp tells whether a file was replaced.
type stamp struct {
	size    int64
	modTime time.Time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }

// locator finds compilers. A question costs a few stats: what was read is kept
// as long as its file is unchanged.
type locator struct {
	mu       sync.Mutex
	packages map[string]located // by package.json path
}

type located struct {
	manifest stamp
	compiler compiler
	err      error
}

// locate finds the compiler for files in dir the way node resolves
// "typescript" from there: the nearest node_modules wins, up to the file
// system's root. Errors are *oracleproto.Error.
func (l *locator) locate(dir string) (compiler, error) {
	for d := dir; ; d = filepath.Dir(d) {
		manifest := filepath.Join(d, "node_modules", "typescript", "package.json")
		if info, err := os.Stat(manifest); err == nil && info.Mode().IsRegular() {
			return l.read(manifest, stampOf(info), d)
		}
		if err := plugAndPlay(d); err != nil {
			return compiler{}, err
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return compiler{}, &oracleproto.Error{
		Kind:   oracleproto.KindTypeScriptMissing,
		Detail: "no typescript package is installed in " + dir + " or any directory above it",
		Recipe: "run npm install -D typescript in " + packageRoot(dir),
	}
}

// read examines the package whose manifest this is. owner is the directory
// whose node_modules holds it.
func (l *locator) read(manifest string, s stamp, owner string) (compiler, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, ok := l.packages[manifest]
	if ok && found.manifest == s && found.err == nil {
		if info, err := os.Stat(found.compiler.entry); err == nil && stampOf(info) == found.compiler.built {
			return found.compiler, nil
		}
	}
	found = located{manifest: s}
	found.compiler, found.err = examine(manifest, owner)
	if l.packages == nil {
		l.packages = map[string]located{}
	}
	l.packages[manifest] = found
	return found.compiler, found.err
}

// examine reads the version of a package and finds what runs.
func examine(manifest, owner string) (compiler, error) {
	version, err := packageVersion(manifest)
	if err != nil {
		return compiler{}, &oracleproto.Error{
			Kind:   oracleproto.KindTypeScriptMissing,
			Detail: fmt.Sprintf("%s is broken: %v", manifest, err),
			Recipe: "reinstall it: run npm install -D typescript in " + owner,
		}
	}
	major, _, _ := strings.Cut(version, ".")
	switch major {
	case "5", "6":
		return examineLibrary(version, int(major[0]-'0'), filepath.Dir(manifest), owner)
	case "7":
		return examineExecutable(version, filepath.Dir(manifest), owner)
	}
	detail, driven := "is too old; this program drives typescript 5.0 to 7", "5"
	if n, err := strconv.Atoi(major); err == nil && n > 7 {
		detail, driven = "is newer than this program knows, which drives typescript 5.0 to 7", "7"
	}
	return compiler{}, &oracleproto.Error{
		Kind:   oracleproto.KindTypeScriptUnsupported,
		Detail: fmt.Sprintf("typescript %s in %s %s", version, owner, detail),
		Recipe: "run npm install -D typescript@" + driven + " in " + owner,
	}
}

// examineLibrary finds what node loads of TypeScript 5 and 6.
func examineLibrary(version string, major int, dir, owner string) (compiler, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	entry := filepath.Join(dir, "lib", "typescript.js")
	info, err := os.Stat(entry)
	if err != nil || !info.Mode().IsRegular() {
		return compiler{}, &oracleproto.Error{
			Kind:   oracleproto.KindTypeScriptMissing,
			Detail: fmt.Sprintf("typescript %s in %s is installed without lib/typescript.js", version, owner),
			Recipe: "reinstall it: run npm install -D typescript@" + version + " in " + owner,
		}
	}
	return compiler{version: version, major: major, entry: entry, built: stampOf(info)}, nil
}

// examineExecutable finds the native compiler of TypeScript 7.
func examineExecutable(version, dir, owner string) (compiler, error) {
	exe, info := findExecutable(dir)
	if info == nil {
		return compiler{}, &oracleproto.Error{
			Kind:   oracleproto.KindTypeScriptPlatformMissing,
			Detail: fmt.Sprintf("typescript %s in %s is installed without its executable for this platform (@typescript/%s)", version, owner, platformPackage()),
			Recipe: "run npm install --include=optional in " + owner + ", on this platform and without --no-optional",
		}
	}
	return compiler{version: version, major: 7, entry: longPath(exe), built: stampOf(info)}, nil
}

func packageVersion(manifest string) (string, error) {
	b, err := os.ReadFile(manifest)
	if err != nil {
		return "", err
	}
	var p struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return "", err
	}
	if p.Version == "" {
		return "", errors.New("it has no version")
	}
	return p.Version, nil
}

// findExecutable looks for the platform package where package managers put it:
// nested inside typescript, beside it, or in any node_modules above. The real
// path is what counts, since pnpm links packages into a store.
func findExecutable(dir string) (string, fs.FileInfo) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	name := "tsc"
	if runtime.GOOS == "windows" {
		name = "tsc.exe"
	}
	tail := filepath.Join("@typescript", platformPackage(), "lib", name)
	for d := dir; ; d = filepath.Dir(d) {
		candidates := []string{filepath.Join(d, "node_modules", tail)}
		if filepath.Base(d) == "node_modules" {
			candidates = append(candidates, filepath.Join(d, tail))
		}
		for _, exe := range candidates {
			if info, err := os.Stat(exe); err == nil && info.Mode().IsRegular() {
				return exe, info
			}
		}
		if d == filepath.Dir(d) {
			return "", nil
		}
	}
}

// platformPackage is the package's name in node's spelling of this platform.
func platformPackage() string {
	system, arch := runtime.GOOS, runtime.GOARCH
	if system == "windows" {
		system = "win32"
	}
	if arch == "amd64" {
		arch = "x64"
	}
	return "typescript-" + system + "-" + arch
}

// longPath lets Windows start an executable whose path is near its limit of
// 260 characters.
func longPath(path string) string {
	if runtime.GOOS == "windows" && len(path) >= 248 && !strings.HasPrefix(path, `\\`) {
		return `\\?\` + path
	}
	return path
}

// packageRoot is where a package would be installed for files in dir: the
// nearest directory with a package.json, else with a tsconfig.json, else dir.
func packageRoot(dir string) string {
	for _, name := range []string{"package.json", "tsconfig.json"} {
		for d := dir; ; d = filepath.Dir(d) {
			if _, err := os.Stat(filepath.Join(d, name)); err == nil {
				return d
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return dir
}
