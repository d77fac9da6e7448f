package shadow

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
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
		Args: slices.Concat(
			[]string{"check", "--offline", "--color", "never", "--message-format", "json", "--target-dir", s.target},
			s.outsideConfiguration(), p.selection(pkg, request)),
		Dir: v.cwd,
		Env: s.environment(p),
	}, v, r)
	if e := s.tree.clock.tick(); err == nil && e != nil {
		err = unavailable(e)
	}
	if err != nil {
		return Result{}, err
	}
	if full := v.diskFull(stderr); full != "" {
		// What is there is of no use and takes the user's space.
		return Result{}, errors.Join(diskFull(full), s.renew())
	}
	if !v.finished {
		return Result{}, cargoError(stderr, status, v.cwd)
	}
	result := v.result(request, pkg, stderr)
	result.Engine = oracleproto.Engine{Name: "rustc", Version: p.version}
	result.ConfigFile = filepath.Join(pkg.dir, "Cargo.toml")
	if v.success {
		s.state.Watched, s.state.WatchedDirs = v.watched()
	}
	return result, nil
}

// environment is that of cargo in the shadow.
func (s *shadow) environment(p *project) []string {
	// A build directory of the user's configuration is not for us.
	env := append(environment(), "CARGO_BUILD_BUILD_DIR="+s.target)
	if p.toolchain != "" {
		// rustup chooses by the directory, and the shadow's may be elsewhere.
		env = append(env, "RUSTUP_TOOLCHAIN="+p.toolchain)
	}
	return env
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

// diskFull is what a compiler or cargo said about a full disk; empty when none
// did. Their messages about that have no place.
func (v *verdict) diskFull(stderr string) string {
	if v.success {
		return ""
	}
	for _, m := range v.messages {
		if len(m.Message.Spans) == 0 && saysDiskFull(m.Message.Message) {
			return m.Message.Message
		}
	}
	if saysDiskFull(stderr) {
		return plainError(stderr)
	}
	return ""
}
