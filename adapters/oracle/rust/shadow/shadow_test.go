package shadow_test

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/rust/shadow"
)

// patience is far more than any check of these tests takes.
const patience = 3 * time.Minute

// manifest is that of a package without dependencies.
func manifest(name string, more ...string) string {
	return "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n" + strings.Join(more, "\n") + "\n"
}

// files are texts by slash-separated path.
type files map[string]string

// project writes files into a new directory.
func project(t testing.TB, content files) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, root, content)
	return root
}

func write(t testing.TB, root string, content files) {
	t.Helper()
	for name, text := range content {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// crate is a package with one file that compiles.
func crate(t testing.TB) string {
	t.Helper()
	return project(t, files{"Cargo.toml": manifest("one"), "src/lib.rs": "pub fn one() -> u32 { 1 }\n"})
}

type checker struct {
	*shadow.Checker
	t    testing.TB
	root string
}

func newChecker(t testing.TB, root string, options ...func(*shadow.Options)) checker {
	t.Helper()
	o := shadow.Options{Root: root, CacheDir: filepath.Join(t.TempDir(), "cache")}
	for _, option := range options {
		option(&o)
	}
	c := shadow.New(o)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return checker{Checker: c, t: t, root: root}
}

// request is about a file with overlays, by slash-separated paths.
func (c checker) request(file string, overlays files) shadow.Request {
	r := shadow.Request{File: filepath.Join(c.root, filepath.FromSlash(file)), Overlays: map[string]string{}}
	for name, text := range overlays {
		r.Overlays[filepath.Join(c.root, filepath.FromSlash(name))] = text
	}
	return r
}

func (c checker) ask(request shadow.Request) (shadow.Result, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	return c.Check(ctx, request)
}

func (c checker) check(file string, overlays files) shadow.Result {
	c.t.Helper()
	result, err := c.ask(c.request(file, overlays))
	require.NoError(c.t, err)
	return result
}

// codes are the codes of the errors.
func codes(result shadow.Result) []string {
	var found []string
	for _, d := range result.Diagnostics {
		if d.Category == "error" {
			found = append(found, d.Code.String())
		}
	}
	return found
}

func requireClean(t testing.TB, result shadow.Result) {
	t.Helper()
	require.True(t, result.Reached, "%+v", result)
	require.Empty(t, codes(result), "%+v", result.Diagnostics)
	require.Empty(t, result.Elsewhere)
}

// checksum covers names, contents and modes of all below a directory but for
// what lies under target/tcg.
func checksum(t testing.TB, root string) string {
	t.Helper()
	h := sha256.New()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasSuffix(path, filepath.Join("target", "tcg")) {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		_, _ = h.Write([]byte(path + info.Mode().String() + "\n"))
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			_, _ = h.Write(text)
		}
		return nil
	}))
	return string(h.Sum(nil))
}
