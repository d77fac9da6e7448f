package acceptance_test

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNothingInTheProjectIsWritten(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		project := l.newProject(t)
		before, err := project.Checksum()
		require.NoError(t, err)
		session := l.serve(t, project)
		for _, q := range l.questions {
			callTool(t, session, q.Name, q.Arguments)
		}
		extension := path.Ext(l.file)
		for _, file := range []string{l.another, path.Dir(l.file) + "/main" + extension, path.Dir(l.file) + "/brand/new/file" + extension} {
			callTool(t, session, "tcg_validate", object{"file": file, "content": l.broken})
		}
		callTool(t, session, "tcg_scope", object{"file": l.another, "globals": true})
		callTool(t, session, "tcg_validate", object{"file": "../outside" + extension, "content": l.fixed})
		require.NoError(t, session.CloseInput())
		require.NoError(t, session.Wait(within60s(t)))
		after, err := project.Checksum()
		require.NoError(t, err)
		assert.Equal(t, before, after, "the project's tree changed")
	})
}

// Two contents of one file, in turn: each answer is about its own question.
func TestAlternatingContentsAreNeverMixedUp(t *testing.T) {
	t.Parallel()
	session := serveShop(t, newShop(t))
	for i := range 200 {
		// A marker of its own in every message catches an answer that is late.
		marker := "n" + strings.Repeat("x", i%7) + string(rune('a'+i%26))
		content, want := taxFixed, []int{}
		if i%2 == 0 {
			content = strings.Replace(taxFixed, "times(goods, rate)", "times(goods, rate * "+marker+")", 1)
			want = []int{2304}
		}
		result, v := validate(t, session, object{"file": taxFile, "content": content})
		require.ElementsMatch(t, want, v.codes(), "question %d: %s", i, result.Text)
		if i%2 == 0 {
			require.Contains(t, result.Text, "'"+marker+"'", "question %d", i)
			require.Equal(t, "errors", v.Verdict)
		} else {
			require.Equal(t, "clean", v.Verdict)
		}
	}
}

func TestFirstAnswerOfAFreshServerIsRight(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		project := l.newProject(t)
		for range l.freshServers {
			l.assertBroken(t, callTool(t, l.serve(t, project), "tcg_validate", l.question(l.broken)))
			assertClean(t, callTool(t, l.serve(t, project), "tcg_validate", l.question(l.fixed)))
		}
	})
}
