package slotbinary

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/workspace"
)

// lockName is the file that is locked during a build. It is in target, which
// is no part of the package's content, and stays empty.
const lockName = ".vibe-build.lock"

// Builder builds binaries in their slots. Builds of one slot take turns, also
// between processes. The zero Builder is ready for use.
type Builder struct {
	// Progress, when not nil, is told what a build is doing, about once a
	// second.
	Progress func(message string)
}

// Ensure builds the plan's binary unless its release build is there.
func (b Builder) Ensure(ctx context.Context, plan workspace.BuildPlan) error {
	return b.run(ctx, plan, false)
}

// Build builds the plan's binary anew, unless another process did so while
// this one waited for it.
//
// The error is that of ctx when it ended, in which case the tool was killed
// with all it started, or a *workspace.Error with CodeToolMissing or
// CodeBuildFailed and the last lines of the tool. A build that fails leaves
// the artifact as it was.
func (b Builder) Build(ctx context.Context, plan workspace.BuildPlan) error {
	return b.run(ctx, plan, true)
}

func (b Builder) run(ctx context.Context, plan workspace.BuildPlan, again bool) error {
	tool, err := child.LookPath(plan.Tool)
	if err != nil {
		return &workspace.Error{
			Code:   workspace.CodeToolMissing,
			Detail: fmt.Sprintf("building %s takes %s, which is not on PATH", plan.Binary.Name, plan.Tool),
			Recipe: toolRecipes[plan.Tool],
		}
	}
	if err := os.MkdirAll(filepath.Dir(plan.Artifact), 0o755); err != nil {
		return failed(plan, err.Error())
	}
	waited := false
	unlock, err := lockFile(ctx, filepath.Join(plan.Binary.Slot, "target", lockName), func() {
		waited = true
		b.report("waiting for another build of " + plan.Binary.Package.String())
	})
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return failed(plan, err.Error())
	}
	defer unlock()
	if (waited || !again) && isFile(plan.Artifact) {
		return nil
	}
	return b.build(ctx, plan, tool)
}

// toolRecipes say how to get a build tool.
var toolRecipes = map[string]string{
	"cargo": "install Rust from https://rustup.rs, or add the directory of cargo to PATH",
	"go":    "install Go from https://go.dev/dl, or add the directory of go to PATH",
}

func (b Builder) report(message string) {
	if b.Progress != nil {
		b.Progress(message)
	}
}

func (b Builder) build(ctx context.Context, plan workspace.BuildPlan, tool string) (err error) {
	if plan.Output != plan.Artifact {
		// Also what a build left that was killed.
		_ = os.Remove(plan.Output)
		defer func() {
			if err != nil {
				_ = os.Remove(plan.Output)
			}
		}()
	}
	if err := b.runTool(ctx, plan, tool); err != nil {
		return err
	}
	if !isFile(plan.Output) {
		return failed(plan, fmt.Sprintf("%s succeeded, but %s is not there: the name in [[binary]] has to be that of the program", plan.Tool, plan.Output))
	}
	if plan.Output == plan.Artifact {
		return nil
	}
	if err := os.Rename(plan.Output, plan.Artifact); err != nil {
		return failed(plan, err.Error())
	}
	return nil
}

// progressEvery is the pace of progress reports.
const progressEvery = time.Second

// runTool runs the build tool to its end.
func (b Builder) runTool(ctx context.Context, plan workspace.BuildPlan, tool string) error {
	doing := fmt.Sprintf("building %s with %s", plan.Binary.Name, plan.Tool)
	b.report(doing)
	p, err := child.Start(child.Spec{Path: tool, Args: plan.Args, Dir: plan.Dir, Env: environment(os.Environ(), plan.Env)})
	if err != nil {
		return failed(plan, err.Error())
	}
	defer func() { _ = p.Close() }()
	_ = p.Stdin().Close()
	// Both tools write to stderr; a full stdout must not stop them.
	go func() { _, _ = io.Copy(io.Discard, p.Stdout()) }()

	started := time.Now()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.Done():
			if p.ExitCode() != 0 {
				return failed(plan, fmt.Sprintf("%s: %s\n%s", plan.Tool, p.Exit(), lastLines(p.StderrTail(), 12)))
			}
			return nil
		case <-ctx.Done():
			p.Kill()
			return ctx.Err()
		case <-ticker.C:
			b.report(fmt.Sprintf("%s (%.0f s) %s", doing, time.Since(started).Seconds(), strings.TrimSpace(lastLines(p.StderrTail(), 1))))
		}
	}
}

// environment is base with changes: values that are set, and, where empty,
// variables that are taken out.
func environment(base []string, changes map[string]string) []string {
	var env []string
	for _, entry := range base {
		key, _, _ := strings.Cut(entry, "=")
		// Windows does not tell GOWORK from gowork.
		if _, changed := changes[strings.ToUpper(key)]; !changed {
			env = append(env, entry)
		}
	}
	for key, value := range changes {
		if value != "" {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// failed is the failure of a build, with the command that shows all of it.
func failed(plan workspace.BuildPlan, detail string) *workspace.Error {
	return &workspace.Error{
		Code: workspace.CodeBuildFailed, Path: plan.Binary.Slot,
		Detail: fmt.Sprintf("building %s failed: %s", plan.Binary.Name, strings.TrimSpace(detail)),
		Recipe: "mend what the build tool names, then run " + plan.Binary.BuildCommand(),
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
