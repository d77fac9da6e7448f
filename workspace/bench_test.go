package workspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

// largeProject has n installed packages, of which every tenth declares two
// binaries. Lock entries and manifests are of the size that real ones have.
func largeProject(t testing.TB, n int) string {
	t.Helper()
	lock := new(strings.Builder)
	lock.WriteString(meta)
	files := map[string]string{"vibe.toml": project}
	for i := range n {
		fmt.Fprintf(lock, "\n[[package]]\nkind = \"flow\"\nname = \"package-%d\"\ngroup = \"com.acme.world\"\nversion = \"1.0.0\"\nregistry = \"acme\"\n", i)
		fmt.Fprintf(lock, "source_url = \"https://example.com/acme/com.acme.world.package-%d\"\nsource_ref = \"v1.0.0\"\n", i)
		fmt.Fprintf(lock, "content_hash = \"sha256:%064d\"\nfiles_written = []\ndependencies = [\n", i)
		fmt.Fprintf(lock, "    \"flow:com.acme.world/package-%d@=1.0.0\",\n    \"flow:com.acme.world/package-%d@=1.0.0\",\n]\nsource_kind = \"registry\"\n", i+1, i+2)

		manifest := fmt.Sprintf("[package]\nname = \"package-%d\"\ngroup = \"com.acme.world\"\nkind = \"flow\"\nversion = \"1.0.0\"\nauthors = [\"A. Author\"]\n", i) +
			"license = \"UPL-1.0\"\ndescription = \"" + strings.Repeat("what the package is for ", 8) + "\"\nkeywords = [\"flow\", \"package\"]\n\n" +
			"[compatibility]\nmin_vibe_version = \"0.1.0\"\nrequires_kinds = []\n\n[boot_snippet]\nsource = \"spec/boot/10-package.md\"\ncategory = \"flow\"\n"
		if i%10 == 0 {
			manifest += fmt.Sprintf("\n[[binary]]\nname = \"tool-%d\"\ncrate = \"crates/tool\"\n\n[[binary]]\nname = \"check-%d\"\ncrate = \"crates/check\"\n", i, i)
		}
		files[fmt.Sprintf("vibedeps/com.acme.world.package-%d/1.0.0/vibe.toml", i)] = manifest
	}
	files["vibe.lock"] = lock.String()
	return tree(t, files)
}

func BenchmarkResolve(b *testing.B) {
	for _, n := range []int{40, 500} {
		b.Run(fmt.Sprintf("%d packages", n), func(b *testing.B) {
			root := largeProject(b, n)
			for b.Loop() {
				in, err := workspace.Open(root)
				require.NoError(b, err)
				_, err = in.Binary("tool-0")
				require.NoError(b, err)
			}
		})
	}
}

func TestFiveHundredPackagesResolveAtOnce(t *testing.T) {
	root := largeProject(t, 500)
	best := time.Hour
	for range 5 {
		started := time.Now()
		in, err := workspace.Open(root)
		require.NoError(t, err)
		_, err = in.Binary("tool-490")
		require.NoError(t, err)
		require.Empty(t, in.Problems())
		best = min(best, time.Since(started))
	}
	// 20 ms are promised; the machine of a test may be ten times as slow.
	assert.Less(t, best, 200*time.Millisecond*raceFactor)
}
