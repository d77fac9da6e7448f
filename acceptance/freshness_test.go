package acceptance_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// staleness is a way in which an answer could be about yesterday's disk: a
// checkout in the folder "proj", perhaps with folders beside it, and something
// that happens on disk between two questions about one file.
type staleness struct {
	files map[string]string
	links map[string]string
	// change happens between the questions. It may be undone by back, after
	// which the first answer must come again.
	change, back func(t *testing.T, p *tsproject.Project)
	// setUp happens before the server starts.
	setUp         func(t *testing.T, p *tsproject.Project)
	before, after []int
}

const freshConfig = `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`

// dependency imports something that is a number at first and must be one.
func dependency(from string) string {
	return fmt.Sprintf("import { value } from %q;\nexport const n: number = value;\n", from)
}

const (
	aNumber = "export declare const value: number;\n"
	aString = "export declare const value: string;\n"
)

// rewrite is the change of one file to a text.
func rewrite(file, text string) func(*testing.T, *tsproject.Project) {
	return func(t *testing.T, p *tsproject.Project) {
		t.Helper()
		require.NoError(t, p.Write(file, text))
	}
}

var stalenesses = map[string]staleness{
	"a source": {
		files:  map[string]string{"proj/src/a.ts": dependency("./dep"), "proj/src/dep.ts": "export const value: number = 1;\n"},
		change: rewrite("proj/src/dep.ts", "export const value: string = '';\n"),
		back:   rewrite("proj/src/dep.ts", "export const value: number = 1;\n"),
		after:  []int{2322},
	},
	"a source that comes and goes": {
		files:  map[string]string{"proj/src/a.ts": dependency("./dep")},
		before: []int{2307},
		change: rewrite("proj/src/dep.ts", "export const value: number = 1;\n"),
		back:   remove("proj/src/dep.ts"),
	},
	"another branch": {
		files: map[string]string{"proj/src/a.ts": dependency("./dep"), "proj/src/dep.ts": "export const value: number = 1;\n", "proj/.gitignore": "node_modules\n"},
		setUp: func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			require.NoError(t, os.RemoveAll(p.Path("proj/.git")))
			git(t, p.Path("proj"), "init", "-q", "-b", "main")
			git(t, p.Path("proj"), "add", ".")
			git(t, p.Path("proj"), "commit", "-q", "-m", "one")
			git(t, p.Path("proj"), "checkout", "-q", "-b", "other")
			require.NoError(t, p.Write("proj/src/dep.ts", "export const value: string = '';\n"))
			git(t, p.Path("proj"), "commit", "-q", "-a", "-m", "two")
			git(t, p.Path("proj"), "checkout", "-q", "main")
		},
		change: func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			git(t, p.Path("proj"), "checkout", "-q", "other")
		},
		back: func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			git(t, p.Path("proj"), "checkout", "-q", "main")
		},
		after: []int{2322},
	},
	"a formatter over two hundred files": {
		files: func() map[string]string {
			files := map[string]string{"proj/src/a.ts": dependency("./f199")}
			for i := range 200 {
				files[fmt.Sprintf("proj/src/f%d.ts", i)] = "export const value:number=1\n"
			}
			return files
		}(),
		change: func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			for i := range 200 {
				file := fmt.Sprintf("proj/src/f%d.ts", i)
				require.NoError(t, p.Write(file+".tmp", "export const value: string = '1';\n"))
				require.NoError(t, os.Rename(p.Path(file+".tmp"), p.Path(file)))
			}
		},
		after: []int{2322},
	},
	"an edit that keeps the size and the time": {
		files: map[string]string{"proj/src/a.ts": dependency("./dep"), "proj/src/dep.ts": "export const value: number = 0;\n"},
		change: func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			info, err := os.Stat(p.Path("proj/src/dep.ts"))
			require.NoError(t, err)
			require.NoError(t, p.Write("proj/src/dep.ts", "export const value: string ='' ;\n"))
			require.NoError(t, os.Chtimes(p.Path("proj/src/dep.ts"), info.ModTime(), info.ModTime()))
		},
		after: []int{2322},
	},
	"tsconfig.json": {
		files:  map[string]string{"proj/src/a.ts": "export const n: number = null;\n"},
		before: []int{2322},
		change: rewrite("proj/tsconfig.json", strings.Replace(freshConfig, `"strict": true`, `"strict": false`, 1)),
		back:   rewrite("proj/tsconfig.json", freshConfig),
	},
	"a configuration that is extended from elsewhere": {
		files: map[string]string{
			"proj/src/a.ts": "export const n: number = null;\n", "proj/tsconfig.json": `{"extends": "../shared/strictness.json", "include": ["src"]}`,
			"shared/strictness.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}}`,
		},
		before: []int{2322},
		change: rewrite("shared/strictness.json", `{"compilerOptions": {"noEmit": true, "strict": false, "types": []}}`),
		back:   rewrite("shared/strictness.json", `{"compilerOptions": {"noEmit": true, `+strictOptions+`}}`),
	},
	"a configuration that is extended from a package": {
		files: map[string]string{
			"proj/src/a.ts": "export const n: number = null;\n", "proj/tsconfig.json": `{"extends": "@org/config/strictness.json", "include": ["src"]}`,
			"proj/node_modules/@org/config/package.json":    `{"name": "@org/config", "version": "1.0.0"}`,
			"proj/node_modules/@org/config/strictness.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}}`,
		},
		before: []int{2322},
		change: rewrite("proj/node_modules/@org/config/strictness.json", `{"compilerOptions": {"noEmit": true, "strict": false, "types": []}}`),
		back:   rewrite("proj/node_modules/@org/config/strictness.json", `{"compilerOptions": {"noEmit": true, `+strictOptions+`}}`),
	},
	"a configuration in a workspace": {
		files: map[string]string{
			"proj/src/a.ts": "export const n: number = null;\n", "proj/tsconfig.json": `{"extends": "@org/config/strictness.json", "include": ["src"]}`,
			"proj/packages/config/package.json":    `{"name": "@org/config", "version": "1.0.0"}`,
			"proj/packages/config/strictness.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}}`,
		},
		links:  map[string]string{"proj/node_modules/@org/config": "../../packages/config"},
		before: []int{2322},
		change: rewrite("proj/packages/config/strictness.json", `{"compilerOptions": {"noEmit": true, "strict": false, "types": []}}`),
		back:   rewrite("proj/packages/config/strictness.json", `{"compilerOptions": {"noEmit": true, `+strictOptions+`}}`),
	},
	"the source of a referenced project elsewhere": {
		files: map[string]string{
			"proj/src/a.ts":      dependency("../../core/src/index"),
			"proj/tsconfig.json": `{"compilerOptions": {` + referenceable + `}, "include": ["src"], "references": [{"path": "../core"}]}`,
			"core/tsconfig.json": `{"compilerOptions": {` + referenceable + `}, "include": ["src"]}`,
			"core/src/index.ts":  "export const value: number = 1;\n",
		},
		change: rewrite("core/src/index.ts", "export const value: string = '';\n"),
		back:   rewrite("core/src/index.ts", "export const value: number = 1;\n"),
		after:  []int{2322},
	},
	"a source elsewhere that paths lead to": {
		files: map[string]string{
			"proj/src/a.ts":      dependency("@lib/index"),
			"proj/tsconfig.json": `{"compilerOptions": {"noEmit": true, "paths": {"@lib/*": ["../lib/src/*"]}, ` + strictOptions + `}, "include": ["src"]}`,
			"lib/src/index.ts":   "export const value: number = 1;\n",
		},
		change: rewrite("lib/src/index.ts", "export const value: string = '';\n"),
		back:   rewrite("lib/src/index.ts", "export const value: number = 1;\n"),
		after:  []int{2322},
	},
	"global types elsewhere": {
		files: map[string]string{
			"proj/src/a.ts":            "export const n: number = globalValue;\n",
			"proj/tsconfig.json":       `{"compilerOptions": {"noEmit": true, "typeRoots": ["../types"], ` + strings.Replace(strictOptions, `"types": []`, `"types": ["world"]`, 1) + `}, "include": ["src"]}`,
			"types/world/index.d.ts":   "declare const globalValue: number;\n",
			"types/world/package.json": `{"name": "world", "version": "1.0.0", "types": "index.d.ts"}`,
		},
		change: rewrite("types/world/index.d.ts", "declare const globalValue: string;\n"),
		back:   rewrite("types/world/index.d.ts", "declare const globalValue: number;\n"),
		after:  []int{2322},
	},
	"a declaration deep in a package": {
		files: map[string]string{
			"proj/src/a.ts":                                  dependency("dep"),
			"proj/node_modules/dep/package.json":             `{"name": "dep", "version": "1.0.0", "types": "types/index.d.ts"}`,
			"proj/node_modules/dep/types/index.d.ts":         "export * from './deep/er/value';\n",
			"proj/node_modules/dep/types/deep/er/value.d.ts": aNumber,
		},
		change: rewrite("proj/node_modules/dep/types/deep/er/value.d.ts", aString),
		back:   rewrite("proj/node_modules/dep/types/deep/er/value.d.ts", aNumber),
		after:  []int{2322},
	},
	"types in the package.json of a package": {
		files: map[string]string{
			"proj/src/a.ts":                      dependency("dep"),
			"proj/node_modules/dep/package.json": `{"name": "dep", "version": "1.0.0", "types": "one.d.ts"}`,
			"proj/node_modules/dep/one.d.ts":     aNumber, "proj/node_modules/dep/two.d.ts": aString,
		},
		change: rewrite("proj/node_modules/dep/package.json", `{"name": "dep", "version": "1.0.0", "types": "two.d.ts"}`),
		back:   rewrite("proj/node_modules/dep/package.json", `{"name": "dep", "version": "1.0.0", "types": "one.d.ts"}`),
		after:  []int{2322},
	},
	"exports in the package.json of a package": {
		files: map[string]string{
			"proj/src/a.ts":                      dependency("dep/sub"),
			"proj/node_modules/dep/package.json": `{"name": "dep", "version": "1.0.0", "exports": {"./sub": {"types": "./one.d.ts"}}}`,
			"proj/node_modules/dep/one.d.ts":     aNumber, "proj/node_modules/dep/two.d.ts": aString,
		},
		change: rewrite("proj/node_modules/dep/package.json", `{"name": "dep", "version": "1.0.0", "exports": {"./sub": {"types": "./two.d.ts"}}}`),
		back:   rewrite("proj/node_modules/dep/package.json", `{"name": "dep", "version": "1.0.0", "exports": {"./sub": {"types": "./one.d.ts"}}}`),
		after:  []int{2322},
	},
	"a package that is installed anew": {
		files: map[string]string{
			"proj/src/a.ts": dependency("dep"), "proj/node_modules/.package-lock.json": `{"v": 1}`,
			"proj/node_modules/dep/package.json": `{"name": "dep", "version": "1.0.0", "types": "index.d.ts"}`, "proj/node_modules/dep/index.d.ts": aNumber,
		},
		change: func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			require.NoError(t, os.Rename(p.Path("proj/node_modules/dep"), p.Path("proj/node_modules/.dep-x1y2z3")))
			require.NoError(t, p.Write("proj/node_modules/dep/package.json", `{"name": "dep", "version": "2.0.0", "types": "lib/main.d.ts"}`))
			require.NoError(t, p.Write("proj/node_modules/dep/lib/main.d.ts", aString))
			require.NoError(t, os.RemoveAll(p.Path("proj/node_modules/.dep-x1y2z3")))
			require.NoError(t, p.Write("proj/node_modules/.package-lock.json", `{"v": 2}`))
		},
		after: []int{2322},
	},
	"a package that is installed and removed": {
		files:  map[string]string{"proj/src/a.ts": dependency("dep")},
		before: []int{2307},
		change: func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			require.NoError(t, p.Write("proj/node_modules/dep/package.json", `{"name": "dep", "version": "2.0.0", "types": "index.d.ts"}`))
			require.NoError(t, p.Write("proj/node_modules/dep/index.d.ts", aNumber))
		},
		back: remove("proj/node_modules/dep"),
	},
	"a package that is linked to its sources": {
		files: map[string]string{
			"proj/src/a.ts":        dependency("sibling"),
			"sibling/package.json": `{"name": "sibling", "version": "1.0.0", "types": "src/index.ts"}`,
			"sibling/src/index.ts": "export const value: number = 1;\n",
		},
		links:  map[string]string{"proj/node_modules/sibling": "../../sibling"},
		change: rewrite("sibling/src/index.ts", "export const value: string = '';\n"),
		back:   rewrite("sibling/src/index.ts", "export const value: number = 1;\n"),
		after:  []int{2322},
	},
	"a link that leads to another version": {
		files: map[string]string{
			"proj/src/a.ts": dependency("dep"),
			"proj/node_modules/.pnpm/dep@1.0.0/node_modules/dep/package.json": `{"name": "dep", "version": "1.0.0", "types": "index.d.ts"}`,
			"proj/node_modules/.pnpm/dep@1.0.0/node_modules/dep/index.d.ts":   aNumber,
			"proj/node_modules/.pnpm/dep@2.0.0/node_modules/dep/package.json": `{"name": "dep", "version": "2.0.0", "types": "index.d.ts"}`,
			"proj/node_modules/.pnpm/dep@2.0.0/node_modules/dep/index.d.ts":   aString,
		},
		links:  map[string]string{"proj/node_modules/dep": ".pnpm/dep@1.0.0/node_modules/dep"},
		change: relink("proj/node_modules/dep", ".pnpm/dep@2.0.0/node_modules/dep"),
		back:   relink("proj/node_modules/dep", ".pnpm/dep@1.0.0/node_modules/dep"),
		after:  []int{2322},
	},
	"a source behind a linked directory": {
		files: map[string]string{
			"proj/src/a.ts": dependency("./linked/dep"), "elsewhere/dep.ts": "export const value: number = 1;\n",
		},
		links:  map[string]string{"proj/src/linked": "../../elsewhere"},
		change: rewrite("elsewhere/dep.ts", "export const value: string = '';\n"),
		back:   rewrite("elsewhere/dep.ts", "export const value: number = 1;\n"),
		after:  []int{2322},
	},
}

func remove(name string) func(*testing.T, *tsproject.Project) {
	return func(t *testing.T, p *tsproject.Project) {
		t.Helper()
		require.NoError(t, os.RemoveAll(p.Path(name)))
	}
}

func relink(name, target string) func(*testing.T, *tsproject.Project) {
	return func(t *testing.T, p *tsproject.Project) {
		t.Helper()
		require.NoError(t, os.Remove(p.Path(name)))
		require.NoError(t, os.Symlink(target, p.Path(name)))
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(within60s(t), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = dir
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s (this test needs git)", args, output)
}

func TestNoAnswerIsAboutYesterdaysDisk(t *testing.T) {
	t.Parallel()
	for _, release := range releases(t) {
		for _, name := range slices.Sorted(maps.Keys(stalenesses)) {
			t.Run(release.Version+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := stalenesses[name]
				project := s.layOut(t, release)
				session := serveRelease(t, project.Path("proj"))
				requireCodes(t, session, s.before, "at first")
				requireCodes(t, session, s.before, "asked again")
				s.change(t, project)
				requireCodes(t, session, s.after, "after the change")
				if s.back == nil {
					return
				}
				s.back(t, project)
				requireCodes(t, session, s.before, "after it was undone")
				s.change(t, project)
				requireCodes(t, session, s.after, "after it was done again")
			})
		}
	}
}

// layOut makes the checkout and what is beside it.
func (s staleness) layOut(t *testing.T, release tsproject.Release) *tsproject.Project {
	t.Helper()
	project := emptyProject(t)
	require.NoError(t, os.MkdirAll(project.Path("proj/.git"), 0o755))
	require.NoError(t, project.Write("proj/tsconfig.json", freshConfig))
	for file, text := range s.files {
		require.NoError(t, project.Write(file, text))
	}
	require.NoError(t, release.LinkInto(project.Path("proj")))
	for link, target := range s.links {
		require.NoError(t, os.MkdirAll(filepath.Dir(project.Path(link)), 0o755))
		require.NoError(t, os.Symlink(filepath.FromSlash(target), project.Path(link)))
	}
	if s.setUp != nil {
		s.setUp(t, project)
	}
	return project
}

// requireCodes asks about src/a.ts as it is on disk.
func requireCodes(t *testing.T, session *mcppipe.Session, want []int, when string) {
	t.Helper()
	result, v := validate(t, session, object{"file": "src/a.ts"})
	if want == nil {
		want = []int{}
		assert.Equal(t, "clean", v.Verdict, "%s: %s", when, result.Text)
	}
	require.Equal(t, want, v.codes(), "%s: %s", when, result.Text)
}

// The two states alternate, by all the ways in which programs write files.
func TestFiveHundredEditsOfADependencyAreAllInTheNextAnswer(t *testing.T) {
	t.Parallel()
	for _, release := range releases(t) {
		for name, dep := range map[string]string{"among the sources": "./dep", "in a package": "dep"} {
			t.Run(release.Version+"/"+name, func(t *testing.T) {
				t.Parallel()
				file := "proj/src/dep.d.ts"
				files := map[string]string{"proj/src/a.ts": dependency(dep)}
				if dep == "dep" {
					file = "proj/node_modules/dep/index.d.ts"
					files["proj/node_modules/dep/package.json"] = `{"name": "dep", "version": "1.0.0", "types": "index.d.ts"}`
				}
				files[file] = aString
				project := staleness{files: files}.layOut(t, release)
				session := serveRelease(t, project.Path("proj"))
				path := project.Path(file)
				for i := range 500 {
					text, want := aNumber, []int{}
					if i%2 == 1 {
						text, want = aString, []int{2322}
					}
					switch i / 2 % 4 {
					case 0: // in place
						require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
					case 1: // as editors and sed -i do
						require.NoError(t, os.WriteFile(path+".tmp", []byte(text), 0o644))
						require.NoError(t, os.Rename(path+".tmp", path))
					case 2: // keeping the time, as cp -p does
						require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
						old := project.Path("proj/tsconfig.json")
						info, err := os.Stat(old)
						require.NoError(t, err)
						require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
					case 3: // without ceremony
						require.NoError(t, os.Remove(path))
						require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
					}
					result, v := validate(t, session, object{"file": "src/a.ts"})
					require.Equal(t, want, v.codes(), "edit %d: %s", i, result.Text)
				}
			})
		}
	}
}
