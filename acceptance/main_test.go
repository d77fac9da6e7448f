package acceptance_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/tsproject"
)

// scratch is a folder of the whole run: the binaries under test and one copy
// of typescript, which the projects' copies are linked to.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "acceptance-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	// Whatever a server leaves behind becomes our child, where a test finds it.
	adoptOrphans()
	return m.Run()
}

// repository is the root of the checkout.
func repository(t *testing.T) string {
	t.Helper()
	root, err := tsproject.Repository()
	require.NoError(t, err)
	return root
}

var built struct {
	sync.Mutex
	results map[string]error
}

// binary builds a main package of the repository, once per run, and returns
// the executable.
func binary(t *testing.T, pkg string) string {
	t.Helper()
	exe := filepath.Join(scratch, "bin", filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	built.Lock()
	defer built.Unlock()
	err, done := built.results[pkg]
	if !done {
		cmd := exec.Command("go", "build", "-o", exe, "./"+pkg) //nolint:noctx // shared by all tests, so no test's context may end it
		cmd.Dir = repository(t)
		if output, buildErr := cmd.CombinedOutput(); buildErr != nil {
			err = fmt.Errorf("go build ./%s: %w\n%s", pkg, buildErr, output)
		}
		if built.results == nil {
			built.results = map[string]error{}
		}
		built.results[pkg] = err
	}
	require.NoError(t, err)
	return exe
}

// typescript7 is a node_modules folder of this run with typescript 7.
var typescript7 = sync.OnceValues(func() (string, error) {
	installed, err := tsproject.Installed("typescript")
	if err != nil {
		return "", err
	}
	copied := &tsproject.Project{Dir: filepath.Join(scratch, "typescript")}
	if err := copied.Install(filepath.Join(installed, "node_modules")); err != nil {
		return "", err
	}
	return copied.Path("node_modules"), nil
})

// nodeModules is the node_modules folder that newShop installs.
func nodeModules(t *testing.T) string {
	t.Helper()
	dir, err := typescript7()
	require.NoError(t, err)
	return dir
}

// newBareShop copies the sample project without dependencies.
func newBareShop(t *testing.T) *tsproject.Project {
	t.Helper()
	project, err := tsproject.Copy(filepath.Join(t.TempDir(), "ts-shop"))
	require.NoError(t, err)
	return project
}

// newShop copies the sample project with typescript installed.
func newShop(t *testing.T) *tsproject.Project {
	t.Helper()
	project := newBareShop(t)
	require.NoError(t, project.Install(nodeModules(t)))
	return project
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// stderrOf is what a failed command printed on stderr.
func stderrOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(exit.Stderr)
	}
	return ""
}

// quietCommand is a command in a clean environment that ends with the test.
func quietCommand(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(within60s(t), name, args...)
	cmd.Env = cleanEnvironment(t)
	return cmd
}

// plantCompiler replaces a project's compiler by a shell script (on Windows, by
// something that cannot be run).
func plantCompiler(t *testing.T, project *tsproject.Project, script string) {
	t.Helper()
	exe := tsproject.Compiler(project.Path("node_modules"))
	require.NoError(t, os.Remove(exe))
	require.NoError(t, os.WriteFile(exe, []byte("#!/bin/sh\n"+script), 0o755))
}
