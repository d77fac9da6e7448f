package acceptance_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What each binary may link: modules of others, and which of our own packages
// would be out of place.
var binaries = []struct {
	name      string
	modules   []string
	forbidden map[string]string
}{
	{name: "typescript-ai-native-mcp", modules: serverModules},
	{name: "typescript-ai-native-tcg", modules: oracleModules, forbidden: notOfAnOracle},
	{name: "rust-ai-native-mcp", modules: serverModules},
	{name: "rust-ai-native-tcg", modules: oracleModules, forbidden: notOfAnOracle},
}

var (
	oracleModules = []string{"github.com/sourcegraph/jsonrpc2", "golang.org/x/sys"}
	serverModules = append([]string{"go.uber.org/fx", "go.uber.org/dig", "go.uber.org/multierr", "go.uber.org/zap"}, oracleModules...)
	notOfAnOracle = map[string]string{
		"vibevm.org/core":              "a relay speaks the oracle protocol and knows nothing of MCP",
		"vibevm.org/adapters/mcptools": "a relay speaks the oracle protocol and knows nothing of MCP",
		"net/http":                     "a relay answers on stdio alone",
	}
)

func TestBinariesLinkOnlyWhatTheyNeed(t *testing.T) {
	t.Parallel()
	for _, system := range systems {
		for _, binary := range binaries {
			for pkg := range binary.forbidden {
				if strings.HasPrefix(pkg, prefix) {
					require.NotEmpty(t, listPackages(t, system, pkg), "%s no longer exists: mend the row of %s", pkg, binary.name)
				}
			}
			packages := listPackages(t, system, "./apps/"+binary.name)
			require.Len(t, packages, 1)
			for _, dep := range packages[0].Deps {
				if reason, bad := binary.forbidden[dep]; bad {
					t.Errorf("%s: %s links %s: %s", system, binary.name, dep, reason)
				}
				assert.NotEqual(t, "testing", dep, "%s links the test framework", binary.name)
				if rest, ours := strings.CutPrefix(dep, prefix); ours {
					assert.False(t, strings.HasSuffix(path.Base(rest), "test"), "%s links the test-support package %s", binary.name, dep)
					continue
				}
				if first, _, _ := strings.Cut(dep, "/"); !strings.Contains(first, ".") || first == "vendor" {
					continue
				}
				assert.True(t, slices.ContainsFunc(binary.modules, func(m string) bool { return within(dep, m) }),
					"%s: %s links %s, which is in none of %v", system, binary.name, dep, binary.modules)
			}
		}
	}
}
