package workspace_test

import (
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
