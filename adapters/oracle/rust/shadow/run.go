package shadow

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// run runs cargo check in the shadow.
func (c *Checker) run(ctx context.Context, s *shadow, p *project, pkg *cargoPackage, request Request, r *run) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if err := s.makeTarget(ctx, c.options.MaxBytes/2, p, r); err != nil {
		return Result{}, err
	}
	cargo, err := c.cargo()
	if err != nil {
		return Result{}, err
	}
	v := &verdict{tree: s.tree, cwd: s.tree.mirror(p.root), file: request.File}
	stderr, status, err := check(ctx, child.Spec{
		Path: cargo,
		Args: append([]string{
			"check", "--offline", "--color", "never", "--message-format", "json",
			"--target-dir", s.target,
		}, c.selection(s, p, pkg, request)...),
		Dir: v.cwd,
		// A build directory of the user's configuration is not for us.
		Env: append(environment(), "CARGO_BUILD_BUILD_DIR="+s.target),
	}, v, r)
	if e := s.tree.clock.tick(); err == nil && e != nil {
		err = unavailable(e)
	}
	switch {
	case err != nil:
		return Result{}, err
	case v.diskFull(stderr):
		// What is there is of no use and takes the user's space.
		detail := plainError(stderr)
		return Result{}, errors.Join(diskFull(detail), s.renew())
	case !v.finished:
		return Result{}, cargoError(stderr, status, v.cwd)
	}
	result := v.result(request, pkg, stderr)
	result.Engine = oracleproto.Engine{Name: "rustc", Version: p.version}
	result.ConfigFile = filepath.Join(pkg.dir, "Cargo.toml")
	if result.Unlinked {
		result.Advice = append(result.Advice, unlinkedAdvice(request, pkg))
	}
	if v.success {
		s.state.Watched, s.state.WatchedDirs = v.watched()
	}
	return result, nil
}

// check runs a command and feeds its messages to the verdict. When ctx ends
// the command is killed with all it started.
func check(ctx context.Context, spec child.Spec, v *verdict, r *run) (stderr, status string, err error) {
	process, err := child.Start(spec)
	if err != nil {
		return "", "", startError(err)
	}
	defer func() { _ = process.Close() }()
	r.enter(func() string { return busyWith(process.StderrTail()) })
	stop := context.AfterFunc(ctx, process.Kill)
	defer stop()
	_ = process.Stdin().Close()

	lines := bufio.NewReaderSize(process.Stdout(), 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 && line[0] == '{' {
			var m cargoMessage
			// What is not a message of cargo's is printed by macros.
			if json.Unmarshal(line, &m) == nil {
				v.take(m)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			process.Kill()
			<-process.Done()
			return "", "", fmt.Errorf("read the messages of cargo check: %w", err)
		}
	}
	<-process.Done()
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	return process.StderrTail(), process.Exit(), nil
}

// busyWith is the last step that cargo announced.
func busyWith(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return "cargo check has started"
	}
	return "cargo check is at: " + last
}

// selection is the part of the command that says what to check: the package
// of the file, and the kinds of targets the file can be in.
func (c *Checker) selection(s *shadow, p *project, pkg *cargoPackage, request Request) []string {
	args := []string{"-p", pkg.name + "@" + pkg.version}
	if atLeast(p.version, 1, 74) {
		// An error in one target must not hide another.
		args = append(args, "--keep-going")
	}
	kinds := map[string]bool{}
	for _, kind := range []struct{ kind, dir string }{{"test", "tests"}, {"example", "examples"}, {"bench", "benches"}} {
		_, below := within(filepath.Join(pkg.dir, kind.dir), request.File)
		if below {
			kinds[kind.kind] = true
		}
	}
	for _, t := range pkg.targets {
		for _, kind := range []string{"test", "example", "bench"} {
			dir := filepath.Dir(t.src)
			_, below := within(dir, request.File)
			if t.is(kind) && (t.src == request.File || below && dir != pkg.dir && dir != filepath.Join(pkg.dir, "src")) {
				kinds[kind] = true
			}
		}
	}
	flags := map[string]string{"test": "--tests", "example": "--examples", "bench": "--benches"}
	if request.Tests {
		kinds["test"] = true
	}
	if len(kinds) == 0 {
		return args // library and binaries
	}
	for _, kind := range []string{"test", "example", "bench"} {
		if kinds[kind] {
			args = append(args, flags[kind])
		}
	}
	if request.Tests {
		args = append(args, "--bins")
		for _, t := range pkg.targets {
			if t.isLib() {
				args = append(args, "--lib")
				break
			}
		}
	}
	return args
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

// diskFull reports that a compiler or cargo could not write. Their messages
// about that have no place.
func (v *verdict) diskFull(stderr string) bool {
	if v.success {
		return false
	}
	full := func(text string) bool {
		return strings.Contains(text, "No space left on device") || strings.Contains(text, "(os error 28)") ||
			strings.Contains(text, "(os error 122)") || strings.Contains(text, "not enough space on the disk")
	}
	for _, m := range v.messages {
		if len(m.Message.Spans) == 0 && full(m.Message.Message) {
			return true
		}
	}
	return full(stderr)
}

// unlinkedAdvice says how a file gets into a crate.
func unlinkedAdvice(request Request, pkg *cargoPackage) string {
	name := strings.TrimSuffix(filepath.Base(request.File), ".rs")
	dir := filepath.Dir(request.File)
	if name == "mod" {
		name, dir = filepath.Base(dir), filepath.Dir(dir)
	}
	candidates := []string{filepath.Join(dir, "mod.rs"), dir + ".rs", filepath.Join(dir, "lib.rs"), filepath.Join(dir, "main.rs")}
	for _, parent := range candidates {
		text, known := request.Overlays[parent]
		if !known {
			onDisk, err := os.ReadFile(parent)
			if err != nil {
				continue
			}
			text = string(onDisk)
		}
		if strings.Contains(text, "mod "+name+";") {
			return fmt.Sprintf("no crate of package %s was compiled with this file, although %s has `mod %s;`: a cfg attribute or a feature leaves it out", pkg.name, parent, name)
		}
		return fmt.Sprintf("no crate of package %s contains this file: add `mod %s;` to %s", pkg.name, name, parent)
	}
	return fmt.Sprintf("no crate of package %s contains this file: no `mod` item leads to it", pkg.name)
}
