package slotbinary_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
	"vibevm.org/workspace"
)

const (
	binaryName  = "typescript-ai-native-tcg"
	packageName = "typescript-ai-native-lang"
	trusted     = "org.vibevm.ai-native"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
}

// newProject makes a project in which nothing is installed.
func newProject(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, root, map[string]string{"vibe.toml": "[project]\nname = \"shop\"\nversion = \"1\"\n"})
	return root
}

// lock makes vibe.lock name one version of the oracle's package.
func lock(t *testing.T, root, group, version string) {
	t.Helper()
	write(t, root, map[string]string{"vibe.lock": fmt.Sprintf(`[meta]
generated_by = "test"
generated_at = "2026-11-30T00:00:00Z"
schema_version = 5

[[package]]
kind = "lang"
name = %q
group = %q
version = %q
source_url = "file:///packages"
content_hash = "sha256:00"
`, packageName, group, version)})
}

// install puts a version of the oracle's package with its sources, in crate
// "oracle", into its slot, and returns the slot.
func install(t *testing.T, root, group, version string, sources map[string]string) string {
	t.Helper()
	lock(t, root, group, version)
	slot := filepath.Join(root, "vibedeps", group+"."+packageName, version)
	write(t, slot, map[string]string{"vibe.toml": fmt.Sprintf(`[package]
name = %q
group = %q
kind = "lang"
version = %q

[[binary]]
name = %q
crate = "oracle"
`, packageName, group, version, binaryName)})
	write(t, slot, sources)
	return slot
}

// plan is the build plan of the project's oracle.
func plan(t *testing.T, root string, consent workspace.Consent) workspace.BuildPlan {
	t.Helper()
	installed, err := workspace.Open(root)
	require.NoError(t, err)
	require.Empty(t, installed.Problems())
	binary, err := installed.Binary(binaryName)
	require.NoError(t, err)
	p, err := workspace.PlanBuild(binary, consent)
	require.NoError(t, err)
	return p
}

func artifactIn(slot string) string {
	name := binaryName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(slot, "target", "release", name)
}

// goSources are a module whose program is text.
func goSources(text string) map[string]string {
	return map[string]string{"oracle/go.mod": "module example.com/oracle\n\ngo 1.21\n", "oracle/main.go": text}
}

// cargoSources are a workspace with a crate whose program is text.
func cargoSources(text string) map[string]string {
	return map[string]string{
		"Cargo.toml":         "[workspace]\nmembers = [\"oracle\"]\nresolver = \"2\"\n",
		"oracle/Cargo.toml":  "[package]\nname = \"" + binaryName + "\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
		"oracle/src/main.rs": text,
	}
}

// goOracle answers every request of the oracle protocol with its version and
// process id, knowing nothing else of it.
func goOracle(version string) map[string]string {
	return goSources(fmt.Sprintf(`package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var request struct{ ID uint64 }
		if json.Unmarshal(lines.Bytes(), &request) == nil {
			fmt.Printf("{\"proto\":1,\"id\":%%d,\"ok\":true,\"result\":{\"version\":%%q,\"pid\":%%d}}\n", request.ID, %q, os.Getpid())
		}
	}
}
`, version))
}

const (
	goHello    = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Print(\"hello\") }\n"
	rustHello  = "fn main() { print!(\"hello\"); }\n"
	typescript = tcgfamily.TypeScript
)
