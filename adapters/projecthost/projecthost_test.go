package projecthost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"vibevm.org/adapters/projecthost"
)

func TestConsentFollowsTheWorkspaceRule(t *testing.T) {
	host := projecthost.New("/srv/shop")
	assert.Equal(t, "/srv/shop", host.ProjectRoot())
	assert.True(t, host.MayBuild("org.vibevm.ai-native"))
	assert.False(t, host.MayBuild("org.vibevm-evil"))
	assert.False(t, host.MayBuild(""))
}
