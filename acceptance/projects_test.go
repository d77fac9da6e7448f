package acceptance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/tsproject"
)

// assertServes asks a server on a project for an error, a clean file and a
// type, and requires the right answers.
func (l language) assertServes(t *testing.T, project *tsproject.Project) {
	t.Helper()
	session := l.serve(t, project)
	result := callTool(t, session, "tcg_validate", l.question(l.broken))
	l.assertBroken(t, result)
	v := judged(t, result)
	assert.Equal(t, l.config, v.ConfigFile)
	assert.Equal(t, l.file, v.File)
	assertClean(t, callTool(t, session, "tcg_validate", l.question(l.fixed)))
	assertClean(t, callTool(t, session, "tcg_validate", object{"file": l.another}))
	typed := l.questions[4]
	result = callTool(t, session, typed.Name, typed.Arguments)
	assert.Contains(t, result.Text, l.typed, "%s", result.Text)
}

func TestProjectWithSpacesAndUnicodeInItsPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"my shop", "Läden 商店 💡", "a#b%20c?d", "q'uote(s) & more"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachLanguage(t, func(t *testing.T, l language) {
				t.Helper()
				moved := filepath.Join(t.TempDir(), name)
				require.NoError(t, os.Rename(l.newProject(t).Dir, moved))
				l.assertServes(t, &tsproject.Project{Dir: moved})
			})
		})
	}
}

func TestProjectBehindASymlink(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(l.newProject(t).Dir, link))
		l.assertServes(t, &tsproject.Project{Dir: link})
	})
}

// In a monorepo typescript is often installed further up.
func TestTypeScriptInstalledAboveTheRoot(t *testing.T) {
	t.Parallel()
	above := &tsproject.Project{Dir: t.TempDir()}
	require.NoError(t, above.Install(nodeModules(t)))
	project, err := tsproject.Copy(above.Path("packages/ts-shop"))
	require.NoError(t, err)
	typescript.assertServes(t, project)
}

// pnpm keeps packages in a store and links to them.
func TestTypeScriptInstalledByPnpm(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	store := project.Path("node_modules/.pnpm/typescript@7.0.2/node_modules")
	require.NoError(t, os.MkdirAll(store, 0o755))
	require.NoError(t, os.Rename(project.Path("node_modules/typescript"), filepath.Join(store, "typescript")))
	require.NoError(t, os.Rename(project.Path("node_modules/@typescript"), filepath.Join(store, "@typescript")))
	require.NoError(t, os.Symlink(filepath.Join(".pnpm", "typescript@7.0.2", "node_modules", "typescript"), project.Path("node_modules/typescript")))
	typescript.assertServes(t, project)
}

func TestFileThatNoConfigurationCovers(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newShop(t))
	for _, file := range []string{"scripts/build.ts", "vite.config.ts"} {
		result, v := validate(t, session, object{"file": file, "content": "const n: number = '';\nexport {};\n"})
		assert.Equal(t, "unknown", v.Verdict, "%s", result.Text)
		assert.Equal(t, "not-in-project", v.Reason)
		assert.False(t, result.IsError)
	}
}

// A solution's own tsconfig covers nothing; the referenced one that covers the
// file governs it.
func TestSolutionOfReferencedProjects(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	config, err := project.Read("tsconfig.json")
	require.NoError(t, err)
	require.NoError(t, project.Write("tsconfig.app.json", strings.Replace(config, `"noEmit": true,`, `"composite": true, "outDir": "out",`, 1)))
	require.NoError(t, project.Write("tsconfig.json", `{"files": [], "references": [{"path": "./tsconfig.app.json"}]}`))
	session := serveShop(t, project)
	result, v := validate(t, session, object{"file": taxFile, "content": taxBroken})
	assert.Equal(t, []int{2322}, v.codes(), "%s", result.Text)
	assert.Equal(t, "tsconfig.app.json", v.ConfigFile)
}

// What was asked about one file says nothing about another.
func TestContentsOfSeveralFilesDoNotMeet(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newShop(t))
	_, v := validate(t, session, object{"file": "src/a.ts", "content": "export const a: number = 1;\n"})
	assert.Equal(t, "clean", v.Verdict)
	_, v = validate(t, session, object{"file": "src/b.ts", "content": "import { a } from \"./a\";\nexport const b = a;\n"})
	assert.Equal(t, []int{2307}, v.codes(), "the hypothetical a.ts is forgotten")
}

func TestDeletedFileIsMissedAtOnce(t *testing.T) {
	t.Parallel()
	project := newShop(t)
	session := serveShop(t, project)
	_, v := validate(t, session, object{"file": "src/orders/order.ts"})
	require.Equal(t, "clean", v.Verdict)
	require.NoError(t, os.Remove(project.Path("src/pricing/quote.ts")))
	_, v = validate(t, session, object{"file": "src/orders/order.ts"})
	assert.Equal(t, []int{2307}, v.codes())
	refused(t, session, "tcg_validate", object{"file": "src/pricing/quote.ts"}, "file-missing")
}

// Questions sent without waiting are answered in order, each about its own
// content.
func TestPipelinedQuestionsAreNotMixedUp(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		session := l.serve(t, l.newProject(t))
		var sent []string
		for i := range 60 {
			content := l.fixed
			if i%2 == 0 {
				content = l.broken
			}
			id, err := session.Request("tools/call", object{"name": "tcg_validate", "arguments": l.question(content)})
			require.NoError(t, err)
			sent = append(sent, id)
		}
		for i, id := range sent {
			want := `"verdict":"clean"`
			if i%2 == 0 {
				want = `"verdict":"errors"`
			}
			require.Contains(t, string(answerTo(t, session, id).Structured), want, "question %d", i)
		}
		assert.Equal(t, sent, ids(session.Frames())[1:])
	})
}
