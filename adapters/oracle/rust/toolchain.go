package rust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"vibevm.org/adapters/oracle/rust/native"
	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// toolchain is what a workspace is analysed with.
type toolchain struct {
	analyzer native.Analyzer
	built    stamp // of the analyzer's executable, so that an update in place is another one
	advice   []string
}

// stamp tells whether a file was replaced.
type stamp struct {
	size    int64
	modTime time.Time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }

// current reports that the analyzer is still the one that was found.
func (t toolchain) current() bool {
	info, err := os.Stat(t.analyzer.Exe)
	return err == nil && stampOf(info) == t.built
}

// toolLimit bounds a question to a tool about itself; none takes a second.
const toolLimit = 20 * time.Second

// resolve finds the rust-analyzer for a workspace: the one of its toolchain,
// else the first on PATH that runs. rustup puts a program of that name on PATH
// whether the component is installed or not. Errors are *oracleproto.Error or
// the context's.
func resolve(ctx context.Context, dir string) (toolchain, error) {
	var failures []string
	try := func(exe string) (toolchain, bool) {
		out, err := run(ctx, dir, exe, "--version")
		version, ok := strings.CutPrefix(strings.TrimSpace(out), "rust-analyzer ")
		if err == nil && ok {
			version, _, _ = strings.Cut(version, " ")
			t := toolchain{analyzer: native.Analyzer{Exe: exe, Version: version}}
			if info, err := os.Stat(exe); err == nil {
				t.built = stampOf(info)
			}
			return t, true
		}
		failures = append(failures, exe+": "+reason(err, out))
		return toolchain{}, false
	}
	if rustup := lookTool("rustup"); rustup != "" {
		out, err := run(ctx, dir, rustup, "which", "rust-analyzer")
		if exe := strings.TrimSpace(out); err == nil && filepath.IsAbs(exe) {
			if t, ok := try(exe); ok {
				return t.advised(ctx, dir), nil
			}
		} else {
			failures = append(failures, "rustup which: "+reason(err, out))
		}
	}
	for _, exe := range candidates("rust-analyzer") {
		if t, ok := try(exe); ok {
			return t.advised(ctx, dir), nil
		}
	}
	if err := ctx.Err(); err != nil {
		return toolchain{}, err
	}
	detail := "no rust-analyzer is installed for " + dir
	if len(failures) > 0 {
		detail += " (" + strings.Join(failures, "; ") + ")"
	}
	return toolchain{}, &oracleproto.Error{
		Kind:   oracleproto.KindRustAnalyzerMissing,
		Detail: detail + "; depth full needs none",
		Recipe: "run rustup component add rust-analyzer in " + dir,
	}
}

// olderBy is by how many releases an analyzer may be older than the compiler:
// it reads the compiler's formats, which change.
const olderBy = 3

// advised adds what a person should know about the combination.
func (t toolchain) advised(ctx context.Context, dir string) toolchain {
	rustc := lookTool("rustc")
	if rustc == "" {
		return t
	}
	out, err := run(ctx, dir, rustc, "--version")
	if err != nil {
		return t
	}
	compiler, _, _ := strings.Cut(strings.TrimPrefix(out, "rustc "), " ")
	theirs, ok1 := minor(compiler)
	ours, ok2 := minor(t.analyzer.Version)
	if ok1 && ok2 && theirs-ours > olderBy {
		t.advice = append(t.advice, fmt.Sprintf("rust-analyzer %s is much older than rustc %s and may misunderstand it: run rustup component add rust-analyzer, or rustup update", t.analyzer.Version, compiler))
	}
	return t
}

// minor is N of a version 1.N.P.
func minor(version string) (int, bool) {
	rest, ok := strings.CutPrefix(version, "1.")
	if !ok {
		return 0, false
	}
	digits, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// sysroot is the toolchain's directory and the standard library's sources,
// empty when not found.
func sysroot(ctx context.Context, dir string) (root, source string) {
	if rustc := lookTool("rustc"); rustc != "" {
		if out, err := run(ctx, dir, rustc, "--print", "sysroot"); err == nil {
			root = strings.TrimSpace(out)
		}
	}
	for _, candidate := range []string{os.Getenv("RUST_SRC_PATH"), filepath.Join(root, "lib", "rustlib", "src", "rust", "library")} {
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return root, candidate
		}
	}
	return root, ""
}

// run runs a tool in a directory, whose toolchain it is to use.
func run(ctx context.Context, dir, exe string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, toolLimit)
	defer cancel()
	out, err := child.Run(ctx, child.Spec{Path: exe, Args: args, Dir: dir, Env: environment()}, nil)
	return string(out), err
}

// environment is ours, with what keeps tools from downloading anything.
func environment() []string {
	return append(os.Environ(), "CARGO_NET_OFFLINE=true", "RUSTUP_AUTO_INSTALL=0")
}

// reason is why a tool was of no use, in one line: what follows the first is a
// backtrace.
func reason(err error, out string) string {
	text := strings.TrimSpace(out)
	var exit *child.ExitError
	switch {
	case errors.As(err, &exit):
		if text = strings.TrimSpace(exit.Stderr); text == "" {
			text = exit.Status
		}
	case err != nil:
		text = err.Error()
	case text == "":
		text = "it says nothing"
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

// lookTool is the first program of a name, empty if there is none.
func lookTool(name string) string {
	if found := candidates(name); len(found) > 0 {
		return found[0]
	}
	return ""
}

// candidates are the programs of a name on PATH, then where rustup puts them:
// a server that a desktop started has a short PATH.
func candidates(name string) []string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	dirs := filepath.SplitList(os.Getenv("PATH"))
	if home := os.Getenv("CARGO_HOME"); home != "" {
		dirs = append(dirs, filepath.Join(home, "bin"))
	} else if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".cargo", "bin"))
	}
	var found []string
	seen := map[string]bool{}
	for _, dir := range dirs {
		exe := filepath.Join(dir, name)
		info, err := os.Stat(exe)
		// A relative entry would run a program of the project's.
		if !filepath.IsAbs(dir) || seen[exe] || err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			continue
		}
		seen[exe] = true
		found = append(found, exe)
	}
	return found
}
