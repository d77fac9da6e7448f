package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

// binaryOf reads the one binary of a slot that is made of files, whose package
// is of the group.
func binaryOf(t *testing.T, group, crate string, files map[string]string) workspace.Binary {
	t.Helper()
	slot := "vibedeps/" + group + ".tool/1.0.0/"
	root := tree(t, map[string]string{
		"vibe.toml": project,
		"vibe.lock": meta + "[[package]]\nkind = \"tool\"\nname = \"tool\"\ngroup = \"" + group + "\"\nversion = \"1.0.0\"\nsource_url = \"u\"\ncontent_hash = \"h\"\n",
		slot + "vibe.toml": "[package]\nname = \"tool\"\ngroup = \"" + group + "\"\nkind = \"tool\"\nversion = \"1.0.0\"\n" +
			"[[binary]]\nname = \"reckon\"\ncrate = \"" + crate + "\"\n",
	})
	for name, text := range files {
		write(t, root, map[string]string{slot + name: text})
	}
	b, err := read(t, root).Binary("reckon")
	require.NoError(t, err)
	return b
}

func TestACrateIsBuiltWithCargo(t *testing.T) {
	t.Parallel()
	b := binaryOf(t, "org.vibevm.tools", "crates/reckon", map[string]string{"Cargo.toml": "", "crates/reckon/Cargo.toml": "", "crates/reckon/go.mod": ""})
	plan, err := workspace.PlanBuild(b, workspace.Standing)
	require.NoError(t, err)
	artifact := filepath.Join(b.Slot, "target", "release", executable("reckon"))
	assert.Equal(t, "cargo", plan.Tool)
	assert.Equal(t, []string{"build", "--release", "--manifest-path", filepath.Join(b.Slot, "Cargo.toml"), "--bin", "reckon"}, plan.Args)
	assert.Equal(t, b.Slot, plan.Dir)
	assert.Equal(t, artifact, plan.Output)
	assert.Equal(t, artifact, plan.Artifact)
	assert.Equal(t, filepath.Join(b.Slot, "target"), plan.Env["CARGO_TARGET_DIR"], "whatever a person's configuration says")
	assert.Equal(t, b, plan.Binary)

	alone := binaryOf(t, "org.vibevm.tools", "reckon", map[string]string{"reckon/Cargo.toml": ""})
	plan, err = workspace.PlanBuild(alone, workspace.Standing)
	require.NoError(t, err)
	assert.Contains(t, plan.Args, filepath.Join(alone.Slot, "reckon", "Cargo.toml"), "the slot has no Cargo.toml of its own")
}

func TestAModuleIsBuiltWithGo(t *testing.T) {
	t.Parallel()
	b := binaryOf(t, "org.vibevm.tools", "cmd/reckon", map[string]string{"cmd/reckon/go.mod": "module x\n"})
	plan, err := workspace.PlanBuild(b, workspace.Standing)
	require.NoError(t, err)
	assert.Equal(t, "go", plan.Tool)
	assert.Equal(t, filepath.Join(b.Slot, "cmd", "reckon"), plan.Dir)
	require.Len(t, plan.Args, 5)
	assert.Equal(t, []string{"build", "-trimpath", "-o", plan.Output, "."}, plan.Args)
	assert.Equal(t, filepath.Join(b.Slot, "target", "release", executable("reckon")), plan.Artifact)
	assert.Equal(t, filepath.Dir(plan.Artifact), filepath.Dir(plan.Output), "a rename within one directory replaces the artifact at once")
	assert.NotEqual(t, plan.Artifact, plan.Output)
	assert.Equal(t, "off", plan.Env["GOWORK"], "the project may have a Go workspace of its own")
}

func TestSourcesOfNoKnownToolAreRefused(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"nothing":         {},
		"no crate":        {"Cargo.toml": ""},
		"other":           {"src/package.json": "{}"},
		"a directory":     {"src/Cargo.toml/": "", "src/go.mod/": ""},
		"crate is a file": {"src": ""},
	} {
		b := binaryOf(t, "org.vibevm", "src", files)
		_, err := workspace.PlanBuild(b, workspace.AssumeYes)
		refused := requireError(t, err, workspace.CodeNotBuildable)
		assert.Contains(t, refused.Error(), b.Slot, name)
	}

	b := binaryOf(t, "org.vibevm", "src", map[string]string{"src/go.mod": "module x\n"})
	for link, to := range map[string]string{"src": t.TempDir(), "target": t.TempDir()} {
		write(t, to, map[string]string{"go.mod": "module x\n"})
		at := filepath.Join(b.Slot, link)
		require.NoError(t, os.RemoveAll(at))
		require.NoError(t, os.Symlink(to, at))
		_, err := workspace.PlanBuild(b, workspace.AssumeYes)
		_ = requireError(t, err, workspace.CodeNotBuildable)
		require.NoError(t, os.Remove(at))
		write(t, b.Slot, map[string]string{"src/go.mod": "module x\n"})
	}
	_, err := workspace.PlanBuild(b, workspace.AssumeYes)
	require.NoError(t, err)
}

func TestBuildingNeedsConsentUnlessTheGroupHasIt(t *testing.T) {
	t.Parallel()
	for group, want := range map[string]bool{
		"org.vibevm": true, "org.vibevm.ai-native": true, "org.vibevm.a.b": true,
		"org.vibevmx": false, "org.vibevm-evil": false, "com.org.vibevm": false, "org": false, "com.acme": false,
	} {
		b := binaryOf(t, group, "src", map[string]string{"src/go.mod": "module x\n"})
		_, err := workspace.PlanBuild(b, workspace.Standing)
		if want {
			require.NoError(t, err, group)
		} else {
			refused := requireError(t, err, workspace.CodeConsentRequired)
			assert.Equal(t, "vibe bin build reckon --assume-yes", refused.Fix())
			assert.Contains(t, refused.Error(), group+"/tool 1.0.0")
		}
		_, err = workspace.PlanBuild(b, workspace.AssumeYes)
		require.NoError(t, err, group)
	}
}

// The lock alone cannot lend a package the trusted group, nor can the manifest.
// A package that moved between groups stays usable.
func TestTrustTakesLockAndManifest(t *testing.T) {
	t.Parallel()
	for lock, manifest := range map[string]string{"org.vibevm": "com.evil", "com.evil": "org.vibevm", "org.vibevm.ai-native": "org.vibevm"} {
		b := binaryOf(t, lock, "src", map[string]string{"src/go.mod": "module x\n"})
		assert.Equal(t, lock != "com.evil", b.Trusted())
		root := filepath.Dir(filepath.Dir(filepath.Dir(b.Slot)))
		rel, err := filepath.Rel(root, b.Slot)
		require.NoError(t, err)
		replace(t, root, filepath.ToSlash(rel)+"/vibe.toml", `"`+lock+`"`, `"`+manifest+`"`)

		in := read(t, root)
		assert.Empty(t, in.Problems())
		require.Len(t, in.Warnings, 1)
		doubt := requireError(t, in.Warnings[0], workspace.CodeGroupMismatch)
		assert.Contains(t, doubt.Error(), "is of the group "+manifest+", but vibe.lock has tool in "+lock)

		b, err = in.Binary("reckon")
		require.NoError(t, err)
		assert.False(t, b.Trusted())
		assert.Equal(t, "vibe bin build reckon --assume-yes", b.BuildCommand())
		_, err = workspace.PlanBuild(b, workspace.Standing)
		refused := requireError(t, err, workspace.CodeConsentRequired)
		assert.Contains(t, refused.Error(), "vibe.lock has it in the group "+lock+" and its own vibe.toml in "+manifest)
		_, err = workspace.PlanBuild(b, workspace.AssumeYes)
		require.NoError(t, err)
	}
}
