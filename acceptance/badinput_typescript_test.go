package acceptance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/tsproject"
)

// eachRelease runs a test with every TypeScript.
func eachRelease(t *testing.T, test func(*testing.T, tsproject.Release)) {
	t.Helper()
	t.Parallel()
	for _, release := range releases(t) {
		t.Run(release.Version, func(t *testing.T) {
			t.Parallel()
			test(t, release)
		})
	}
}

// newStrict makes a strict project of a release from the files of src.
func newStrict(t *testing.T, release tsproject.Release, files map[string]string) *tsproject.Project {
	t.Helper()
	s := shape{files: map[string]string{"tsconfig.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`}}
	for name, text := range files {
		s.files["src/"+name] = text
	}
	return s.layOut(t, release)
}

// oddTexts are texts whose lines and columns are easily counted otherwise than
// tsc counts them. Each has one error, about the name here.
var oddTexts = map[string]string{
	"line separator":          "const a = 1;\u2028export const here: string = 1;\n",
	"paragraph separator":     "const a = 1;\u2029\u2029export const here: string = 1;\n",
	"separator in a string":   "export const a = 'x\u2028y'; export const here: string = 1;\n",
	"separator in a template": "export const a = `x\u2029y`; export const here: string = 1;\n",
	"separator in a comment":  "// comment\u2028export const here: string = 1;\n",
	"lone carriage return":    "const a = 1;\rexport const here: string = 1;\r",
	"every line end at once":  "const a = 1;\r\n\u2028\r\u2029\n\rexport const here: string = 1;\r\n",
	"other white space":       "const a = 1;\u0085\f\v\u00a0export const here: string = 1;\n",
	"emoji and a separator":   "const a = '😀\u2028😀'; export const here: string = 1;\n",
	"byte order mark":         "\ufeffexport const here: string = 1;\n",
	"mark and hash-bang":      "\ufeff#!/usr/bin/env node\nexport const here: string = 1;\n",
	"mark in the middle":      "const a = 1;\n\ufeffexport const here: string = 1;\n",
}

func TestOddCharactersAreCountedAsTscCountsThem(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		texts := map[string]string{}
		for name, text := range oddTexts {
			texts[strings.ReplaceAll(name, " ", "-")+".ts"] = text
		}
		truth := newStrict(t, release, texts)
		said := shape{}.tsc(t, release, truth, "tsconfig.json")
		served := newStrict(t, release, texts)
		session := serveRelease(t, served.Dir)
		for name, text := range texts {
			file := "src/" + name
			want, _ := split(said, file)
			require.Len(t, want, 1, name)
			for _, question := range []object{{"file": file}, {"file": file, "content": text}} {
				result, v := validate(t, session, question)
				assert.Equal(t, render(want), render(v.asTsc(file, served)), "%s: %s", name, result.Text)
				// What the answer calls a place is the same place in a question.
				question["position"] = fmt.Sprintf("%d:%d", want[0].Line, want[0].Character+1)
				result = callTool(t, session, "tcg_type", question)
				assert.Contains(t, result.Text, "here: string", name)
				question["position"] = fmt.Sprintf("%d:%d", want[0].Line, 9999)
				assert.False(t, callTool(t, session, "tcg_complete", question).IsError)
			}
		}
	})
}

// A text that no file can hold is not judged as another one: with replacement
// characters these two would be equal, and clean.
func TestContentWithHalfACharacterIsRefused(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		session := serveRelease(t, newStrict(t, release, map[string]string{"a.ts": "export {};\n"}).Dir)
		for _, content := range []string{
			`"export const a: '\ud800' = '\ud801';\n"`, `"export const a: '\udc00' = '\uDBFF';\n"`,
		} {
			failure := refused(t, session, "tcg_validate", object{"file": "src/a.ts", "content": json.RawMessage(content)}, "not-text")
			assert.Contains(t, failure.Detail, "surrogate")
			refused(t, session, "tcg_type", object{"file": "src/a.ts", "content": json.RawMessage(content), "position": "1:13"}, "not-text")
		}
		_, v := validate(t, session, object{"file": "src/a.ts", "content": `export const a: '\ud800' = '\ud801';` + "\n"})
		assert.Equal(t, []int{2322}, v.codes(), "as escape sequences they are told apart")
		_, v = validate(t, session, object{"file": "src/a.ts", "content": json.RawMessage(`"export const a: '\ud83d\ude00' = '\ud83d\ude00';\n"`)})
		assert.Equal(t, "clean", v.Verdict)
		refused(t, session, "tcg_validate", object{"file": "src/a.ts", "content": "export const a = '\x00';\n"}, "not-text")
	})
}

func TestFiveMegabytesInOneLine(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		var content strings.Builder
		for i := 0; content.Len() < 5<<20; i++ {
			fmt.Fprintf(&content, "export const a%d='%s',b%d=[%d];", i, strings.Repeat("é", 1000), i, i)
		}
		right := content.String() + "export const last:number=1;"
		wrong := content.String() + "export const last:number='';"
		truth := newStrict(t, release, map[string]string{"min.ts": wrong})
		want := shape{}.tsc(t, release, truth, "tsconfig.json")
		require.Len(t, want, 1)
		served := newStrict(t, release, map[string]string{"min.ts": right})
		session := serveRelease(t, served.Dir)
		result, v := validate(t, session, object{"file": "src/min.ts"})
		require.Equal(t, "clean", v.Verdict, "%s", result.Text)
		result, v = validate(t, session, object{"file": "src/min.ts", "content": wrong})
		require.Equal(t, render(want), render(v.asTsc("src/min.ts", served)), "%s", result.Text)
		result = callTool(t, session, "tcg_type", object{"file": "src/min.ts", "position": fmt.Sprintf("1:%d", want[0].Character+1)})
		assert.Contains(t, result.Text, "last: number")
	})
}

func TestFileThatDisappearsBetweenTwoCalls(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		files := map[string]string{"dep.ts": "export const dep: string = 1;\n", "use.ts": "import { dep } from './dep';\nexport const n: string = dep;\n"}
		project := newStrict(t, release, files)
		session := serveRelease(t, project.Dir)
		_, v := validate(t, session, object{"file": "src/dep.ts"})
		require.Equal(t, []int{2322}, v.codes())
		_, v = validate(t, session, object{"file": "src/use.ts"})
		require.Equal(t, "clean", v.Verdict)
		for range 3 {
			require.NoError(t, os.Remove(project.Path("src/dep.ts")))
			refused(t, session, "tcg_validate", object{"file": "src/dep.ts"}, "file-missing")
			refused(t, session, "tcg_type", object{"file": "src/dep.ts", "position": "1:13"}, "file-missing")
			_, v = validate(t, session, object{"file": "src/use.ts"})
			assert.Equal(t, []int{2307}, v.codes(), "the importer misses it")
			require.NoError(t, project.Write("src/dep.ts", files["dep.ts"]))
			_, v = validate(t, session, object{"file": "src/use.ts"})
			assert.Equal(t, "clean", v.Verdict)
			_, v = validate(t, session, object{"file": "src/dep.ts"})
			assert.Equal(t, []int{2322}, v.codes())
		}
	})
}

func TestNodeModulesRemovedWhileTheServerRuns(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		project := newStrict(t, release, map[string]string{"a.ts": "import { dep } from 'dep';\nexport const n: number = dep;\n"})
		require.NoError(t, project.Write("node_modules/dep/index.d.ts", "export declare const dep: string;\n"))
		session := serveRelease(t, project.Dir)
		question := object{"file": "src/a.ts"}
		_, v := validate(t, session, question)
		require.Equal(t, []int{2322}, v.codes())
		for range 2 {
			require.NoError(t, os.Rename(project.Path("node_modules"), project.Path("removed")))
			failure := refused(t, session, "tcg_validate", question, "typescript-unresolvable")
			assert.Contains(t, failure.Recipe, "npm install")
			require.NoError(t, os.Rename(project.Path("removed"), project.Path("node_modules")))
			_, v = validate(t, session, question)
			assert.Equal(t, []int{2322}, v.codes())

			require.NoError(t, os.Rename(project.Path("node_modules/dep"), project.Path("removed")))
			_, v = validate(t, session, question)
			assert.Equal(t, []int{2307}, v.codes(), "one package is gone")
			require.NoError(t, os.Rename(project.Path("removed"), project.Path("node_modules/dep")))
			_, v = validate(t, session, question)
			assert.Equal(t, []int{2322}, v.codes())
		}
	})
}

// Two servers' worth of answers over one pipe: many questions under way, each
// about another text, none of them about another's.
func TestManyQuestionsAtOnceAreNotCrossed(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		session := serveRelease(t, newStrict(t, release, map[string]string{"a.ts": "export {};\n"}).Dir)
		const many = 40
		sent := make([]string, many)
		for i := range sent {
			// An error in a line, at a column and of a name of its own.
			content := strings.Repeat("\n", i) + strings.Repeat(" ", i) + fmt.Sprintf("export const x%d: string = %d;\n", i, i)
			id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": object{"file": fmt.Sprintf("src/f%d.ts", i%3), "content": content}})
			require.NoError(t, err)
			sent[i] = id
		}
		for i, id := range sent {
			var v validation
			require.NoError(t, answerTo(t, session, id).Decode(&v))
			require.Equal(t, fmt.Sprintf("src/f%d.ts", i%3), v.File)
			require.Len(t, v.Diagnostics, 1)
			require.Equal(t, [2]int{i + 1, i + len("export const ")}, [2]int{v.Diagnostics[0].Line, v.Diagnostics[0].Character})
		}
	})
}

// Without node_modules every import of a Plug'n'Play project would be reported
// as missing; it is told in one line instead.
func TestYarnPlugAndPlayIsToldInOneLine(t *testing.T) {
	t.Parallel()
	project := emptyProject(t)
	for name, text := range map[string]string{
		".pnp.cjs": "module.exports = {};\n", "package.json": `{"dependencies": {"left-pad": "1"}}`, "tsconfig.json": "{}",
		"src/a.ts": "import pad from 'left-pad';\nexport const a = pad;\n",
	} {
		require.NoError(t, project.Write(name, text))
	}
	session := serveRelease(t, project.Dir)
	for _, tool := range []string{"tcg_validate", "tcg_scope"} {
		failure := refused(t, session, tool, object{"file": "src/a.ts"}, "yarn-pnp")
		assert.Contains(t, failure.Recipe, "yarn config set nodeLinker node-modules && yarn install")
		assert.Contains(t, failure.Recipe, project.Dir)
	}
	// Packages beside the map are what node would take.
	seven, err := tsproject.Release7()
	require.NoError(t, err)
	require.NoError(t, seven.LinkInto(project.Dir))
	require.NoError(t, project.Write("node_modules/left-pad/index.d.ts", "declare const pad: string;\nexport default pad;\n"))
	_, v := validate(t, session, object{"file": "src/a.ts"})
	assert.Equal(t, "clean", v.Verdict)
}
