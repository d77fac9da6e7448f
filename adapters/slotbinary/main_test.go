package slotbinary_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"vibevm.org/adapters/slotbinary"
	"vibevm.org/workspace"
)

// holdRole makes the test binary a process that builds, and so holds the lock
// of, the slot it names.
const holdRole = "SLOTBINARY_TEST_HOLD"

func TestMain(m *testing.M) {
	if root := os.Getenv(holdRole); root != "" {
		hold(root)
	}
	for tool, recipe := range map[string]string{"go": "install Go from https://go.dev/dl", "cargo": "install Rust from https://rustup.rs"} {
		if _, err := exec.LookPath(tool); err != nil {
			fmt.Fprintf(os.Stderr, "these tests build with the real %s, which is not on PATH: %s\n", tool, recipe)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m)
}

// hold starts a build that does not end by itself.
func hold(root string) {
	installed, err := workspace.Open(root)
	if err == nil {
		var binary workspace.Binary
		if binary, err = installed.Binary(binaryName); err == nil {
			var plan workspace.BuildPlan
			if plan, err = workspace.PlanBuild(binary, workspace.Standing); err == nil {
				err = slotbinary.Builder{}.Build(context.Background(), plan)
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
