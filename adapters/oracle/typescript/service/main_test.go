package service

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// versions are the compilers that the tests run, by the names under which they
// are installed.
var versions = map[string]string{"ts50": "5.0.4", "ts54": "5.4.5", "ts59": "5.9.3", "ts60": "6.0.3"}

// everyVersion are all of them, firstAndLast the ones that differ the most.
var (
	everyVersion = []string{"ts50", "ts54", "ts59", "ts60"}
	firstAndLast = []string{"ts50", "ts60"}
)

// installed is the package of a compiler.
func installed(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("TCG_TEST_TYPESCRIPTS")
	if dir == "" {
		t.Fatal("TCG_TEST_TYPESCRIPTS is not set; run make test, or run npm install in a copy of acceptance/npm/typescripts and set it to that directory")
	}
	return filepath.Join(dir, "node_modules", name)
}

var findNode = sync.OnceValues(func() (Node, error) { return FindNode(context.Background()) })

// newBackend makes a backend of an installed compiler.
func newBackend(t testing.TB, root, name string) *Backend {
	t.Helper()
	node, err := findNode()
	require.NoError(t, err)
	return New(root, Compiler{Version: versions[name], Package: installed(t, name)}, node)
}

// project writes files into a new directory in which a compiler is installed.
func project(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, "node_modules"), 0o755))
	require.NoError(t, os.Symlink(installed(t, name), filepath.Join(root, "node_modules/typescript")))
	for file, text := range files {
		write(t, filepath.Join(root, file), text)
	}
	return root
}

func write(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// kill ends a process by its id, as the system or a user would.
func kill(t testing.TB, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, p.Kill())
}

// compilerPid is the process id of a backend's compiler.
func compilerPid(t testing.TB, b *Backend) int {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.NotNil(t, b.running)
	return b.running.child.Pid()
}

// session is a backend over a project, for tests that ask a lot.
type session struct {
	testing.TB
	*Backend
	root string
}

func newSession(t testing.TB, name string, files map[string]string) *session {
	t.Helper()
	s := &session{TB: t, root: project(t, name, files)}
	s.Backend = newBackend(t, s.root, name)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func (s *session) path(file string) string { return filepath.Join(s.root, filepath.FromSlash(file)) }

func (s *session) sync(kind oracle.ChangeKind, file string) {
	s.Helper()
	require.NoError(s, s.Sync(s.Context(), []oracle.Change{{Kind: kind, Path: s.path(file)}}))
}

func (s *session) overlay(file, text string) {
	s.Helper()
	require.NoError(s, s.Sync(s.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: s.path(file), Text: text}}))
}

// write changes a file on disk and announces it.
func (s *session) write(file, text string) {
	s.Helper()
	kind := oracle.DiskChanged
	if _, err := os.Stat(s.path(file)); err != nil {
		kind = oracle.DiskCreated
	}
	write(s, s.path(file), text)
	s.sync(kind, file)
}

// validate asks about a text of a file.
func (s *session) validate(file, text string) oracle.Validation {
	s.Helper()
	v, err := s.Validate(s.Context(), oracle.Document{Path: s.path(file), Text: text}, oracle.Check{})
	require.NoError(s, err)
	return v
}

// errors are the codes found in a text of a file.
func (s *session) errors(file, text string) string {
	s.Helper()
	return codes(s.validate(file, text).Diagnostics)
}

func codes(list []oracleproto.Diagnostic) string {
	var out []string
	for _, d := range list {
		out = append(out, d.Code.String())
	}
	return strings.Join(out, " ")
}
