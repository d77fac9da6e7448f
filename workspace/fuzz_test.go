package workspace_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

func addSeeds(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text))
	}
}

// checkError is what holds for every refusal of a file.
func checkError(t *testing.T, err error) {
	t.Helper()
	var failure *workspace.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%T: %v", err, err)
	}
	if failure.Code == "" || failure.Detail == "" || failure.Recipe == "" || len(failure.Error()) > 5000 {
		t.Fatalf("%#v", failure)
	}
}

// staysInside fails for a path that may lead out of its base on any system.
func staysInside(t *testing.T, p string) {
	t.Helper()
	if !filepath.IsLocal(p) || strings.ContainsAny(p, "\\:") || path.IsAbs(p) {
		t.Fatalf("%q leads out", p)
	}
}

func FuzzManifest(f *testing.F) {
	addSeeds(f, "testdata/manifests/*.toml")
	addSeeds(f, "testdata/projects/*/vibe.toml")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := workspace.ParseManifest("vibe.toml", text)
		if err != nil {
			checkError(t, err)
			return
		}
		for _, b := range m.Binaries {
			staysInside(t, string(b.Crate))
			staysInside(t, string(b.Name))
			if strings.ContainsAny(string(b.Name), "/ ") || strings.HasPrefix(string(b.Name), "-") {
				t.Fatalf("%q is no file name", b.Name)
			}
		}
		if m.Package != nil && workspace.StandingConsent(string(m.Package.Group)) && strings.Trim(string(m.Package.Group), "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			t.Fatalf("%q is trusted", m.Package.Group)
		}
	})
}

func FuzzLock(f *testing.F) {
	addSeeds(f, "testdata/locks/*.lock")
	addSeeds(f, "testdata/projects/*/vibe.lock")
	f.Fuzz(func(t *testing.T, text string) {
		lock, warnings, err := workspace.ParseLock("vibe.lock", text)
		if err != nil {
			checkError(t, err)
			return
		}
		for _, w := range warnings {
			checkError(t, w)
		}
		if lock.Meta.SchemaVersion != workspace.LockSchema {
			t.Fatalf("schema %d", lock.Meta.SchemaVersion)
		}
		for _, p := range lock.Packages {
			for _, part := range []string{string(p.Group), string(p.Name), string(p.Version), string(p.Kind)} {
				staysInside(t, part)
				if strings.Contains(part, "/") || strings.Contains(part, "..") && part != string(p.Version) {
					t.Fatalf("%q is no part of a path", part)
				}
			}
		}
	})
}
