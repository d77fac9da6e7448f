//go:build unix

package disk_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run runs a program as a person would, in a directory.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, output)
}

func TestWhatProgramsDoToFilesIsFound(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"a.ts": "let a = 1;\n", "b.ts": "let b = 1;\n", "src/c.ts": "let c = 1;\n", "other.txt": ""})
			run(t, root, "git", "init", "-q", "-b", "one")
			run(t, root, "git", "add", ".")
			run(t, root, "git", "commit", "-q", "-m", "one")
			run(t, root, "git", "checkout", "-q", "-b", "two")
			write(t, filepath.Join(root, "a.ts"), "let a = 2;\n")
			write(t, filepath.Join(root, "src/new.ts"), "")
			run(t, root, "git", "rm", "-q", "b.ts")
			run(t, root, "git", "add", ".")
			run(t, root, "git", "commit", "-q", "-m", "two")
			w := watch(t, root)

			run(t, root, "git", "checkout", "-q", "one")
			assert.ElementsMatch(t, []string{"~a.ts", "+b.ts", "-src/new.ts"}, look(t, w, root))
			run(t, root, "git", "checkout", "-q", "two")
			assert.ElementsMatch(t, []string{"~a.ts", "-b.ts", "+src/new.ts"}, look(t, w, root))
			run(t, root, "sh", "-c", "sed s/2/3/ a.ts >a.tmp && mv a.tmp a.ts") // what sed -i does
			assert.Equal(t, []string{"~a.ts"}, look(t, w, root))
			run(t, root, "sh", "-c", "cp -p a.ts a.bak && printf 'let a = 4;\n' >a.ts && touch -r a.bak a.ts")
			assert.Equal(t, []string{"~a.ts"}, look(t, w, root), "the same size and time")
			run(t, root, "sh", "-c", "printf 'let a = 5;\n' >a.bak && touch -r a.ts a.bak && cp -p a.bak a.ts")
			assert.Equal(t, []string{"~a.ts"}, look(t, w, root), "the same size and time, by cp -p")
			run(t, root, "tar", "cf", "x.tar", "a.ts", "src")
			write(t, filepath.Join(root, "a.ts"), "let a = 6;\n")
			assert.Equal(t, []string{"~a.ts"}, look(t, w, root))
			run(t, root, "tar", "xf", "x.tar")
			assert.Contains(t, look(t, w, root), "~a.ts", "an older time than before")
		})
	}
}

func TestAFileMayBeADirectoryForAWhile(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"a.ts": "a"})
			w := watch(t, root)
			path := filepath.Join(root, "a.ts")
			require.NoError(t, os.Remove(path))
			write(t, filepath.Join(path, "b.ts"), "b")
			assert.ElementsMatch(t, []string{"-a.ts", "+a.ts/b.ts"}, look(t, w, root))
			require.NoError(t, os.RemoveAll(path))
			write(t, path, "a")
			assert.ElementsMatch(t, []string{"-a.ts/b.ts", "+a.ts"}, look(t, w, root))
			require.NoError(t, os.Remove(path))
			write(t, filepath.Join(path, "b.ts"), "b")
			require.NoError(t, os.RemoveAll(path))
			write(t, path, "c")
			assert.Equal(t, []string{"~a.ts"}, look(t, w, root))
		})
	}
}

func TestTimesMayLie(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"a.ts": "0"})
			path := filepath.Join(root, "a.ts")
			w := watch(t, root)
			for i, when := range []time.Time{time.Now().AddDate(30, 0, 0), time.Unix(0, 0), time.Now().AddDate(-10, 0, 0), time.Unix(0, 0)} {
				write(t, path, fmt.Sprint(i+1))
				require.NoError(t, os.Chtimes(path, when, when))
				assert.Equal(t, []string{"~a.ts"}, look(t, w, root), "%v", when)
				assert.Empty(t, look(t, w, root))
			}
		})
	}
}

func TestAFormatterOverHundredsOfFiles(t *testing.T) {
	for name, watch := range bothWays {
		t.Run(name, func(t *testing.T) {
			files, want := map[string]string{}, []string{}
			for i := range 200 {
				name := fmt.Sprintf("src/d%d/f%d.ts", i%7, i)
				files[name] = "let a=1"
				want = append(want, "~"+name)
			}
			root := tree(t, files)
			w := watch(t, root)
			for name := range files {
				write(t, filepath.Join(root, name), "let b=1")
			}
			assert.ElementsMatch(t, want, look(t, w, root))
			assert.Empty(t, look(t, w, root))
		})
	}
}
