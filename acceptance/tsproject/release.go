package tsproject

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Release is a TypeScript that `make tools` has installed.
type Release struct {
	// Version is its version in full.
	Version string
	// Dir is its package.
	Dir string
}

// Release7 is the release that runs natively.
func Release7() (Release, error) {
	dir, err := Installed("typescript")
	return Release{Version: "7.0.2", Dir: filepath.Join(dir, "node_modules", "typescript")}, err
}

// ReleaseOnNode is one of the releases that node runs: 5.0.4, 5.4.5, 5.9.3 or
// 6.0.3.
func ReleaseOnNode(version string) (Release, error) {
	dir, err := Installed("typescripts")
	if err != nil {
		return Release{}, err
	}
	major, minor, _ := strings.Cut(version, ".")
	minor, _, _ = strings.Cut(minor, ".")
	r := Release{Version: version, Dir: filepath.Join(dir, "node_modules", "ts"+major+minor)}
	if _, err := os.Stat(r.Dir); err != nil {
		return Release{}, fmt.Errorf("typescript %s is not among the installed ones: %w", version, err)
	}
	return r, nil
}

// Native reports a release that needs no node.
func (r Release) Native() bool { return strings.HasPrefix(r.Version, "7.") }

// LinkInto makes the release the typescript of a directory, the way package
// managers with a store do: by a link.
func (r Release) LinkInto(dir string) error {
	modules := filepath.Join(dir, "node_modules")
	if err := os.MkdirAll(modules, 0o755); err != nil {
		return err
	}
	return os.Symlink(r.Dir, filepath.Join(modules, "typescript"))
}

// Tsc runs the release's own command line compiler in a directory and returns
// what it says, in its order.
func (r Release) Tsc(ctx context.Context, dir string, args ...string) ([]Diagnostic, error) {
	args = append([]string{"--pretty", "false"}, args...)
	if args[2] == "-b" || args[2] == "--build" { // must come first
		args = append(args[2:], args[:2]...)
	}
	cmd := exec.CommandContext(ctx, Compiler(filepath.Dir(r.Dir)), args...)
	if !r.Native() {
		cmd = exec.CommandContext(ctx, "node", append([]string{filepath.Join(r.Dir, "lib", "tsc.js")}, args...)...)
	}
	cmd.Dir = dir
	return run(cmd)
}
