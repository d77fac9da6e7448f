package acceptance_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
	"vibevm.org/acceptance/tsproject"
)

// An agent asks all day. A thousand questions that alternate between two files
// and two texts must not make the processes grow: what a compiler holds after
// the first three hundred is about what it needs.
func TestMemoryIsStableOverAThousandValidations(t *testing.T) {
	t.Parallel()
	for _, release := range releases(t) {
		if release.Version == "5.9.3" {
			continue // its backend is that of 6.0
		}
		t.Run(release.Version, func(t *testing.T) {
			t.Parallel()
			project, err := tsproject.Copy(filepath.Join(t.TempDir(), "ts-shop"))
			require.NoError(t, err)
			require.NoError(t, release.LinkInto(project.Dir))
			money, err := project.Read("src/money.ts")
			require.NoError(t, err)
			session := serveRelease(t, project.Dir)
			questions := []object{
				{"file": taxFile, "content": taxBroken},
				{"file": "src/money.ts"},
				{"file": taxFile, "content": taxFixed},
				{"file": "src/money.ts", "content": money + "export const wrong: string = 1;\n"},
			}
			verdicts := []string{"errors", "clean", "clean", "errors"}
			var warm map[string]int64
			for i := range 1000 {
				if i == 300 {
					warm = residentOf(session)
					require.Len(t, warm, 3, "server, relay and compiler are running")
				}
				result, v := validate(t, session, questions[i%4])
				require.Equal(t, verdicts[i%4], v.Verdict, "question %d: %s", i, result.Text)
			}
			for name, after := range residentOf(session) {
				grown := float64(after)/float64(warm[name]) - 1
				t.Logf("%s: %d MB after 300 validations, %d MB after 1000 (%+.0f %%)", name, warm[name]>>20, after>>20, 100*grown)
				assert.Less(t, grown, 0.4, name)
			}
		})
	}
}

// residentOf is the resident memory of a server, its relay and the compiler.
func residentOf(session *mcppipe.Session) map[string]int64 {
	rss := map[string]int64{}
	names := []string{"server", "relay", "compiler"}
	for pid, depth := session.Pid(), 0; depth < len(names); depth++ {
		p, _ := proctable.Get(pid)
		rss[names[depth]] = p.RSS
		children := proctable.ChildrenOf(pid)
		if len(children) == 0 {
			break
		}
		pid = children[0].Pid
	}
	return rss
}
