package acceptance_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What each go.mod may require directly. A tool of the tests is in the list of
// every module that has tests.
var requires = map[string][]string{
	"core":       {"golang.org/x/sys"},
	"tcgfamily":  {"golang.org/x/sys"},
	"workspace":  {"github.com/BurntSushi/toml"},
	"adapters":   {"vibevm.org/core", "vibevm.org/tcgfamily", "vibevm.org/workspace", "github.com/sourcegraph/jsonrpc2"},
	"apps":       {"vibevm.org/core", "vibevm.org/tcgfamily", "vibevm.org/workspace", "vibevm.org/adapters", "go.uber.org/fx"},
	"acceptance": {"github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go", "golang.org/x/sys"},
}

var testRequires = []string{"github.com/stretchr/testify", "go.uber.org/goleak"}

func TestGoModFilesRequireOnlyWhatTheirModuleMayUse(t *testing.T) {
	t.Parallel()
	versions := map[string]string{}
	for _, module := range modules() {
		cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
		cmd.Dir = filepath.Join(repository(t), module)
		output, err := cmd.Output()
		require.NoError(t, err, "%s: %s", module, stderrOf(err))
		var mod struct {
			Module    struct{ Path string }
			Go        string
			Toolchain string
			Require   []struct {
				Path, Version string
				Indirect      bool
			}
			Replace []struct {
				Old, New struct{ Path, Version string }
			}
		}
		require.NoError(t, json.Unmarshal(output, &mod))

		assert.Equal(t, prefix+module, mod.Module.Path)
		assert.True(t, strings.HasPrefix(mod.Go, "1.26"), "%s says go %s: all modules are built with the same language version", module, mod.Go)
		assert.Empty(t, mod.Toolchain, "%s pins a toolchain; the builder chooses it", module)
		for _, r := range mod.Require {
			if other := versions[r.Path]; other != "" {
				assert.Equal(t, other, r.Version, "%s requires another version of %s than a sibling module", module, r.Path)
			}
			versions[r.Path] = r.Version
			if !r.Indirect {
				assert.Contains(t, append(requires[module], testRequires...), r.Path, "%s/go.mod", module)
			}
		}
		for _, r := range mod.Replace {
			assert.Equal(t, "../"+strings.TrimPrefix(r.Old.Path, prefix), r.New.Path, "%s/go.mod replaces something that is no sibling", module)
		}
	}
}

// In workspace mode an import that no go.mod declares compiles.
func TestEveryModuleBuildsOnItsOwn(t *testing.T) {
	t.Parallel()
	for _, module := range modules() {
		cmd := exec.CommandContext(t.Context(), "go", "build", "./...")
		cmd.Dir = filepath.Join(repository(t), module)
		cmd.Env = append(os.Environ(), "GOWORK=off")
		output, err := cmd.CombinedOutput()
		assert.NoError(t, err, "GOWORK=off go build ./... in %s: %s", module, output)
	}
}
