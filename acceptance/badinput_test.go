package acceptance_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// refused asks for something that cannot be answered and requires a tool
// result with this kind and a fix, complete in both forms.
func refused(t *testing.T, session *mcppipe.Session, tool string, arguments object, kind string) failure {
	t.Helper()
	result := callTool(t, session, tool, arguments)
	assert.True(t, result.IsError)
	var answer struct {
		Error *failure `json:"error"`
	}
	require.NoError(t, result.Decode(&answer), "%s", result.Text)
	require.NotNil(t, answer.Error, "structuredContent without error: %s", result.Structured)
	assert.Equal(t, kind, answer.Error.Kind, "%+v", *answer.Error)
	assert.NotEmpty(t, answer.Error.Detail)
	assert.NotEmpty(t, answer.Error.Recipe, "no fix: %+v", *answer.Error)
	for _, part := range []string{kind, answer.Error.Detail, answer.Error.Recipe} {
		assert.Contains(t, result.Text, part, "the text must stand without structuredContent")
	}
	assert.NotContains(t, string(result.Structured), `"verdict":"clean"`)
	return *answer.Error
}

func TestBadArgumentsAreRefusedWithAnExample(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testBadArgumentsAreRefusedWithAnExample)
}

func testBadArgumentsAreRefusedWithAnExample(t *testing.T, l language) {
	t.Helper()
	session := l.serve(t, l.newProject(t))
	for name, c := range map[string]struct {
		tool      string
		arguments object
		mentions  string
	}{
		"file missing":             {"tcg_validate", object{"content": "x"}, "file"},
		"no arguments":             {"tcg_validate", object{}, "file"},
		"file empty":               {"tcg_validate", object{"file": ""}, "file"},
		"file is a number":         {"tcg_validate", object{"file": 5}, "file"},
		"file is null":             {"tcg_validate", object{"file": nil}, "file"},
		"file holds NUL":           {"tcg_validate", object{"file": "src/a\x00.ts"}, "NUL"},
		"content is a number":      {"tcg_validate", object{"file": l.another, "content": 5}, "content"},
		"content is an object":     {"tcg_validate", object{"file": l.another, "content": object{"a": 1}}, "content"},
		"argument misspelt":        {"tcg_validate", object{"file": l.another, "contents": "x"}, "content"},
		"path for file":            {"tcg_validate", object{"path": l.another}, "file"},
		"language is a number":     {"tcg_validate", object{"file": l.another, "language": 5}, "language"},
		"position missing":         {"tcg_type", object{"file": l.another}, "position"},
		"position is a number":     {"tcg_type", object{"file": l.another, "position": 5}, "position"},
		"position has no line":     {"tcg_type", object{"file": l.another, "position": object{"character": 1}}, "position"},
		"position counts from 0":   {"tcg_type", object{"file": l.another, "position": object{"line": 0, "character": 0}}, "line"},
		"position is negative":     {"tcg_type", object{"file": l.another, "position": object{"line": 1, "character": -1}}, "character"},
		"position is a fraction":   {"tcg_type", object{"file": l.another, "position": object{"line": 1.5, "character": 0}}, "position"},
		"position text is no pair": {"tcg_complete", object{"file": l.another, "position": "here"}, "position"},
		"max is a text":            {"tcg_complete", object{"file": l.another, "position": "1:0", "max": "many"}, "max"},
		"max is zero":              {"tcg_complete", object{"file": l.another, "position": "1:0", "max": 0}, "max"},
		"globals is a text":        {"tcg_scope", object{"file": l.another, "globals": "yes"}, "globals"},
		"depth is unknown":         {"tcg_validate", object{"file": l.another, "depth": "deep"}, "depth"},
		"tests is a text":          {"tcg_validate", object{"file": l.another, "tests": "yes"}, "tests"},
		"budget is tiny":           {"tcg_validate", object{"file": l.another, "budget": 1}, "budget"},
	} {
		t.Run(name, func(t *testing.T) {
			failure := refused(t, session, c.tool, c.arguments, "bad-arguments")
			assert.Contains(t, failure.Detail+" "+failure.Recipe, c.mentions)
		})
	}
	// The server is none the worse for it.
	assertClean(t, callTool(t, session, "tcg_validate", object{"file": l.another}))
}

func TestAnotherLanguageIsRefusedWithTheNameOfItsServer(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		other := l.other()
		session := l.serve(t, l.newProject(t))
		failure := refused(t, session, "tcg_validate", object{"language": other.name, "file": other.file}, "language-mismatch")
		assert.Contains(t, failure.Detail+failure.Recipe, path.Base(other.server))
		for _, name := range []string{"go", "TypeScript", ""} {
			unknown := refused(t, session, "tcg_validate", object{"language": name, "file": "main.go"}, "language-unsupported")
			assert.Contains(t, unknown.Detail+unknown.Recipe, "typescript")
			assert.Contains(t, unknown.Detail+unknown.Recipe, "rust")
		}
	}
}

// A file outside the root is refused whatever way leads there, and nothing of
// it is echoed.
func TestFilesOutsideTheRootAreRefused(t *testing.T) {
	t.Parallel()
	eachLanguage(t, testFilesOutsideTheRootAreRefused)
}

func testFilesOutsideTheRootAreRefused(t *testing.T, l language) {
	t.Helper()
	project := l.newProject(t)
	dir, base, extension := path.Dir(l.another), path.Base(l.another), path.Ext(l.another)
	up := strings.Repeat("../", strings.Count(l.another, "/"))
	const secret = "the-secret-of-the-other-project"
	evil := project.Dir + "-evil"
	require.NoError(t, os.MkdirAll(evil, 0o755))
	outside := filepath.Join(evil, "secret"+extension)
	require.NoError(t, os.WriteFile(outside, []byte("// "+secret+"\n"), 0o600))
	files := map[string]string{
		"dots":               "../" + filepath.Base(evil) + "/secret" + extension,
		"dots from within":   dir + "/" + up + "../" + filepath.Base(evil) + "/secret" + extension,
		"absolute":           filepath.ToSlash(outside),
		"prefix sibling":     filepath.ToSlash(evil) + "/secret" + extension,
		"dots, not existing": "../nothing/here" + extension,
		"file URI":           "file://" + filepath.ToSlash(outside),
	}
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink(outside, project.Path(dir+"/link"+extension)))
		require.NoError(t, os.Symlink(evil, project.Path(dir+"/linked")))
		require.NoError(t, os.Symlink(filepath.Join(evil, "not-yet"+extension), project.Path(dir+"/dangling"+extension)))
		files["symlink"] = dir + "/link" + extension
		files["symlinked folder"] = dir + "/linked/secret" + extension
		files["new file in a symlinked folder"] = dir + "/linked/new" + extension
		files["dangling symlink"] = dir + "/dangling" + extension
	}
	session := l.serve(t, project)
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			for _, arguments := range []object{{"file": file}, {"file": file, "content": "// " + secret + "\n"}} {
				result := callTool(t, session, "tcg_validate", arguments)
				refused(t, session, "tcg_validate", arguments, "outside-root")
				assert.NotContains(t, result.Text+string(result.Structured), secret)
			}
			refused(t, session, "tcg_type", object{"file": file, "position": "1:13"}, "outside-root")
		})
	}
	// Inside is inside, however it is spelt.
	for _, file := range []string{dir + "/../" + path.Base(dir) + "/" + base, "./" + l.another, project.Path(l.another), dir + "//" + base} {
		_, v := judge(t, session, object{"file": file})
		assert.Equal(t, "clean", v.Verdict, file)
		assert.Equal(t, l.another, v.File)
	}
}

func TestPathsThatAreNoSourceFile(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			project, dir, extension := l.newProject(t), path.Dir(l.another), path.Ext(l.another)
			text, err := project.Read(l.another)
			require.NoError(t, err)
			require.NoError(t, project.Write(l.another, text+"// \x00\x01\x02"))
			require.NoError(t, project.Write(dir+"/readme.md", "# hello\n"))
			session := l.serve(t, project)
			refused(t, session, "tcg_validate", object{"file": dir}, "not-a-file")
			refused(t, session, "tcg_validate", object{"file": dir, "content": l.fixed}, "not-a-file")
			refused(t, session, "tcg_validate", object{"file": dir + "/nothing" + extension}, "file-missing")
			refused(t, session, "tcg_type", object{"file": dir + "/nothing" + extension, "position": "1:0"}, "file-missing")
			refused(t, session, "tcg_validate", object{"file": l.another}, "not-text")
			refused(t, session, "tcg_validate", l.question(l.fixed+"// \x00"), "not-text")
			refused(t, session, "tcg_validate", object{"file": dir + "/readme.md"}, "file-unsupported")
			other := l.other()
			refused(t, session, "tcg_validate", object{"file": dir + "/money" + path.Ext(other.file), "content": other.fixed}, "file-unsupported")
			result := callTool(t, session, "tcg_validate", object{"file": l.another, "content": text})
			assert.Equal(t, "clean", judged(t, result).Verdict, "content stands for a binary file: %s", result.Text)
		})
	}
}

func TestPositionsOutsideTheTextAreClamped(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		session := l.serve(t, l.newProject(t))
		for _, position := range []any{"999999:999999", object{"line": 999999, "character": 0}, "1:999999", "2147483647:2147483647"} {
			for _, tool := range []string{"tcg_type", "tcg_complete", "tcg_scope"} {
				result := callTool(t, session, tool, object{"file": l.file, "content": l.fixed, "position": position})
				assert.False(t, result.IsError, "%s at %v: %s", tool, position, result.Text)
			}
		}
		l.load(t, session)
		dot := strings.LastIndex(l.unfinished, "goods.\n") + len("goods.")
		result := callTool(t, session, "tcg_complete", object{"file": l.file, "content": l.unfinished[:dot] + l.prefix, "position": "99:99"})
		assert.Contains(t, result.Text, l.completed, "the end of the text is after the dot")
	})
}

func TestFiveMegabytesOfContentAreChecked(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		session := l.serve(t, l.newProject(t))
		const line = "// a comment that fills the file up, line after line after line\n"
		comments := strings.Repeat(line, 5<<20/len(line)+1)
		assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed+comments)))
		// A comment of Rust's that stands for the whole file must come first.
		head, rest, _ := strings.Cut(l.broken, "\n")
		short, large := callTool(t, session, "tcg_validate", l.question(l.broken)), callTool(t, session, "tcg_validate", l.question(head+"\n"+comments+rest))
		l.assertBroken(t, large)
		assert.Equal(t, judged(t, short).Diagnostics[0].Line+strings.Count(comments, "\n"), judged(t, large).Diagnostics[0].Line)
	})
}

func TestThousandsOfErrorsFitTheBudget(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		session := l.serve(t, l.newProject(t))
		l.load(t, session)
		question := l.question(l.broken + manyErrors[l.name])
		result, v := judge(t, session, question)
		assert.Equal(t, "errors", v.Verdict)
		assert.Less(t, len([]rune(result.Text))+len([]rune(string(result.Structured))), 8000)
		assert.GreaterOrEqual(t, len(slices.Compact(slices.Sorted(slices.Values(v.codes())))), 2, "one of each code: %s", result.Text)
		assert.Contains(t, string(result.Structured), `"truncated"`)
		question["budget"] = 100_000
		larger, more := judge(t, session, question)
		assert.Greater(t, len(more.Diagnostics), len(v.Diagnostics))
		assert.LessOrEqual(t, len([]rune(larger.Text))+len([]rune(string(larger.Structured))), 100_000)
	})
}

// manyErrors are three thousand errors of one code, and one of another.
var manyErrors = map[string]string{
	"typescript": "export const n: number = 'é💡';\n" + strings.Repeat("n = missing;\n", 3000),
	"rust":       "pub fn many() {\n" + strings.Repeat("    missing();\n", 3000) + "    let _: u8 = \"é💡\";\n}\n",
}

func TestRootThatDoesNotExist(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a-file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, root := range map[string]string{"absent": filepath.Join(t.TempDir(), "nowhere"), "a file": file} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, l := range languages {
				session := l.serve(t, &tsproject.Project{Dir: root})
				refused(t, session, "tcg_validate", l.question(l.fixed), "root-missing")
			}
		})
	}
}

func TestProjectWithoutTsconfig(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	require.NoError(t, os.Remove(project.Path("tsconfig.json")))
	session := serveShop(t, project)
	result, v := validate(t, session, object{"file": "src/money.ts"})
	assert.False(t, result.IsError)
	assert.Equal(t, "unknown", v.Verdict)
	assert.Equal(t, "not-in-project", v.Reason)
	assert.Empty(t, v.ConfigFile)
	assert.Contains(t, result.Text, "tsconfig.json", "the fix names the missing file")
	assert.Contains(t, result.Text, "unknown")
}

// Nothing that is wrong with the project's configuration may end as clean.
func TestProjectWithBrokenTsconfig(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"not JSON":       "{",
		"unknown option": `{"compilerOptions": {"noEmit": true, "stricter": true}, "include": ["src"]}`,
		"removed option": `{"compilerOptions": {"noEmit": true, "target": "es5"}, "include": ["src"]}`,
		"missing base":   `{"extends": "./nowhere.json", "include": ["src"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := newShop(t)
			require.NoError(t, project.Write("tsconfig.json", config))
			session := serveShop(t, project)
			result, v := validate(t, session, object{"file": "src/result.ts"})
			assert.NotEqual(t, "clean", v.Verdict, "%s", result.Text)
			assert.Equal(t, v.Verdict == "errors", result.IsError, "%s", result.Text)
			assert.Contains(t, string(result.Structured), "project", "%s", result.Structured)
		})
	}
}

func TestTypeScriptNotInstalled(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newBareShop(t))
	failure := refused(t, session, "tcg_validate", object{"file": "src/money.ts"}, "typescript-unresolvable")
	assert.Contains(t, failure.Recipe, "npm install -D typescript")
	refused(t, session, "tcg_type", object{"file": "src/money.ts", "position": "1:0"}, "typescript-unresolvable")
}

func TestTypeScriptInstalledDuringTheSession(t *testing.T) {
	t.Parallel()
	project := newBareShop(t)
	session := serveShop(t, project)
	refused(t, session, "tcg_validate", object{"file": "src/money.ts"}, "typescript-unresolvable")
	require.NoError(t, project.Install(nodeModules(t)))
	_, v := validate(t, session, object{"file": "src/money.ts"})
	assert.Equal(t, "clean", v.Verdict)
}

func TestTypeScriptWithoutItsPlatformPackage(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	require.NoError(t, os.RemoveAll(project.Path("node_modules/@typescript")))
	session := serveShop(t, project)
	failure := refused(t, session, "tcg_validate", object{"file": "src/money.ts"}, "typescript-platform-missing")
	assert.Contains(t, failure.Detail, tsproject.PlatformPackage())
	assert.Contains(t, failure.Recipe, "npm")
}

func TestTypeScriptOfAnotherMajorVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"4.9.5", "8.0.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			project := newBareShop(t)
			manifest, err := json.Marshal(object{"name": "typescript", "version": version, "main": "./lib/typescript.js"})
			require.NoError(t, err)
			require.NoError(t, project.Write("node_modules/typescript/package.json", string(manifest)))
			session := serveShop(t, project)
			failure := refused(t, session, "tcg_validate", object{"file": "src/money.ts"}, "typescript-unsupported")
			assert.Contains(t, failure.Detail, version)
			assert.Contains(t, failure.Recipe, "typescript@")
		})
	}
}

// A manifest or an executable that is damaged is a recipe, not a hang.
func TestTypeScriptThatIsDamaged(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, *tsproject.Project){
		"manifest is no JSON": func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			require.NoError(t, os.Remove(p.Path("node_modules/typescript/package.json")))
			require.NoError(t, p.Write("node_modules/typescript/package.json", "{"))
		},
		"executable is no program": func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			exe := tsproject.Compiler(p.Path("node_modules"))
			require.NoError(t, os.Remove(exe))
			require.NoError(t, os.WriteFile(exe, []byte("not a program"), 0o755))
		},
		"executable ends at once": func(t *testing.T, p *tsproject.Project) {
			t.Helper()
			plantCompiler(t, p, "echo out of order >&2\nexit 3\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := newShop(t)
			damage(t, project)
			session := serveShop(t, project)
			result := callTool(t, session, "tcg_validate", object{"file": "src/money.ts"})
			assert.NotContains(t, string(result.Structured), `"verdict":"clean"`)
			var answer struct {
				Error *failure `json:"error"`
			}
			require.NoError(t, result.Decode(&answer))
			require.NotNil(t, answer.Error, "%s", result.Structured)
			assert.True(t, result.IsError)
			assert.NotEmpty(t, answer.Error.Recipe)
			if name == "executable ends at once" {
				assert.Equal(t, "oracle-crashed", answer.Error.Kind)
				assert.Contains(t, answer.Error.Detail, "out of order", "the compiler's last words")
			}
		})
	}
}

func TestUsageErrorsOfTheServer(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		server := binary(t, l.server)
		for _, args := range [][]string{{"--nonsense"}, {"--path"}, {"surplus"}} {
			cmd := quietCommand(t, server, args...)
			output, err := cmd.Output()
			require.Error(t, err, "%v", args)
			assert.Equal(t, 2, cmd.ProcessState.ExitCode(), "%v", args)
			assert.Empty(t, output, "stdout carries frames only")
			assert.Contains(t, stderrOf(err), "--help", "%v", args)
		}
		help, err := quietCommand(t, server, "--help").Output()
		require.NoError(t, err)
		assert.Contains(t, string(help), "--path")
	}
}
