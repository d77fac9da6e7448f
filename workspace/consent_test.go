package workspace_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"vibevm.org/workspace"
)

func TestStandingConsentCoversTheGroupAndItsSubgroupsOnly(t *testing.T) {
	for group, want := range map[string]bool{
		"org.vibevm":           true,
		"org.vibevm.ai-native": true,
		"org.vibevm.a.b":       true,
		"":                     false,
		"org":                  false,
		"org.vibevmx":          false,
		"org.vibevm-evil":      false,
		"com.org.vibevm":       false,
		"Org.Vibevm":           false,
		" org.vibevm":          false,
	} {
		assert.Equal(t, want, workspace.StandingConsent(group), "group %q", group)
	}
}

// A name one edit away from the group is another group, unless the edit only
// appends a subgroup.
func TestNoNeighbourOfTheGroupIsTrusted(t *testing.T) {
	t.Parallel()
	const group = "org.vibevm"
	letters := "abcxyzABC019-._/@ \\\x00ñоΟ"
	for at := range len(group) + 1 {
		for _, r := range letters {
			names := []string{group[:at] + string(r) + group[at:]}
			if at < len(group) {
				names = append(names, group[:at]+string(r)+group[at+1:], group[:at]+group[at+1:])
			}
			for _, name := range names {
				if name == group || name == group+"." {
					continue // the latter is refused as a group where files are read
				}
				assert.False(t, workspace.StandingConsent(name), "%q", name)
			}
		}
	}
}

// What is trusted is exactly what begins with the labels org and vibevm.
func TestStandingConsentGoesByLabels(t *testing.T) {
	t.Parallel()
	labels := []string{"org", "vibevm", "vibevmx", "x", "com", "ai-native", "vibe", "vm", "org-vibevm"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var group []string
		for range 1 + random.IntN(4) {
			group = append(group, labels[random.IntN(len(labels))])
		}
		want := len(group) >= 2 && group[0] == "org" && group[1] == "vibevm"
		name := strings.Join(group, ".")
		assert.Equal(t, want, workspace.StandingConsent(name), name)
	}
}
