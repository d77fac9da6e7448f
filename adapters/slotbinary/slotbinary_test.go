package slotbinary_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/projecthost"
	"vibevm.org/adapters/slotbinary"
	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/workspace"
)

func refused(t *testing.T, err error, kind oracleproto.Kind) *tcgfamily.ToolError {
	t.Helper()
	var failure *tcgfamily.ToolError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, kind, failure.Kind, "%v", err)
	require.NotEmpty(t, failure.Detail)
	require.NotEmpty(t, failure.Recipe)
	return failure
}

func TestEachLanguageIsMissedWithItsOwnLine(t *testing.T) {
	t.Parallel()
	empty, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	unlocked := newProject(t)
	other := newProject(t)
	install(t, other, "com.acme", "1.0.0", nil)
	write(t, filepath.Join(other, "vibedeps", "com.acme."+packageName, "1.0.0"), map[string]string{
		"vibe.toml": "[package]\nname = \"" + packageName + "\"\ngroup = \"com.acme\"\nkind = \"lang\"\nversion = \"1.0.0\"\n",
	})
	for _, root := range []string{empty, unlocked, other} {
		for language, line := range map[tcgfamily.Language]string{
			tcgfamily.TypeScript: `"stack:org.vibevm.ai-native/typescript-ai-native" = "^1.0.0"`,
			tcgfamily.Rust:       `"stack:org.vibevm.ai-native/rust-ai-native" = "^1.0.0"`,
		} {
			_, err := slotbinary.New(root).Find(t.Context(), language)
			missing := refused(t, err, oracleproto.KindOracleMissing)
			assert.Contains(t, missing.Recipe, "put "+line+" under [requires.packages] in vibe.toml, then run vibe install")
			assert.Equal(t, root == empty, len(missing.Recipe) > 14 && missing.Recipe[:14] == "run vibe init,", "%s", missing.Recipe)
		}
	}
}

func TestTheOracleIsABinaryOfTheLockedPackage(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	slot := install(t, root, trusted, "1.0.0", nil)
	write(t, root, map[string]string{"src/a.ts": ""})
	want := tcgfamily.Artifact{Name: binaryName, Path: artifactIn(slot), Group: trusted, Package: packageName}
	got, err := slotbinary.New(filepath.Join(root, "src")).Find(t.Context(), typescript)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	write(t, slot, map[string]string{"target/release/" + filepath.Base(artifactIn(slot)): "x"})
	want.Present = true
	got, err = slotbinary.New(root).Find(t.Context(), typescript)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestABrokenStackIsSaidToBe(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	slot := install(t, root, trusted, "1.0.0", nil)
	require.NoError(t, os.RemoveAll(slot))
	_, err := slotbinary.New(root).Find(t.Context(), typescript)
	missing := refused(t, err, oracleproto.KindOracleMissing)
	assert.Contains(t, missing.Detail, "org.vibevm.ai-native/typescript-ai-native-lang 1.0.0 is in vibe.lock, but is not installed")
	assert.Equal(t, "run vibe install", missing.Recipe)

	_, err = slotbinary.New(root).Find(t.Context(), tcgfamily.Rust)
	missing = refused(t, err, oracleproto.KindOracleMissing)
	assert.Contains(t, missing.Recipe, "rust-ai-native\"", "the other language's stack is not there at all")
}

func TestCodesOfTheProjectAreKinds(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	write(t, root, map[string]string{"vibe.lock": "[meta]\nschema_version = 4\n"})
	_, err := slotbinary.New(root).Find(t.Context(), typescript)
	assert.Contains(t, refused(t, err, "lock-schema").Recipe, "vibe install")

	write(t, root, map[string]string{"vibe.toml": "[projekt]\n"})
	_, err = slotbinary.New(root).Find(t.Context(), typescript)
	assert.Contains(t, refused(t, err, "manifest-invalid").Detail, "vibe.toml:1: ")

	_, err = slotbinary.New(filepath.Join(root, "gone")).Find(t.Context(), typescript)
	_ = refused(t, err, oracleproto.KindRootMissing)
}

// answer asks the oracle which version of it answers.
func answer(t *testing.T, registry *tcgfamily.OracleRegistry) (version string, pid int) {
	t.Helper()
	raw, err := registry.Ask(t.Context(), typescript, oracleproto.OpValidate, oracleproto.ValidateParams{File: "a.ts"})
	require.NoError(t, err)
	var result struct {
		Version string
		Pid     int
	}
	require.NoError(t, json.Unmarshal(raw, &result))
	return result.Version, result.Pid
}

func newRegistry(t *testing.T, root string) *tcgfamily.OracleRegistry {
	t.Helper()
	registry := tcgfamily.NewOracleRegistry(projecthost.New(root), slotbinary.New(root))
	t.Cleanup(func() { assert.NoError(t, registry.Close()) })
	return registry
}

func TestAServerBuildsATrustedOracleAndFollowsTheLock(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	registry := newRegistry(t, root)
	_, err := registry.Ask(t.Context(), typescript, oracleproto.OpValidate, nil)
	_ = refused(t, err, oracleproto.KindOracleMissing)

	slot := install(t, root, trusted, "1.0.0", goOracle("1.0.0"))
	version, first := answer(t, registry)
	assert.Equal(t, "1.0.0", version)
	assert.FileExists(t, artifactIn(slot))
	_, again := answer(t, registry)
	assert.Equal(t, first, again)

	install(t, root, trusted, "1.1.0", goOracle("1.1.0"))
	version, second := answer(t, registry)
	assert.Equal(t, "1.1.0", version, "the next call follows the lock")
	childtest.RequireGone(t, patience, first)

	lock(t, root, trusted, "1.0.0")
	version, _ = answer(t, registry)
	assert.Equal(t, "1.0.0", version)
	childtest.RequireGone(t, patience, second)
}

func TestAServerRunsButNeverBuildsAnOracleOfAnotherGroup(t *testing.T) {
	t.Parallel()
	for _, group := range []string{"com.acme", "org.vibevmx", "org.vibevm-evil", "com.org.vibevm"} {
		root := newProject(t)
		slot := install(t, root, group, "1.0.0", goOracle("1.0.0"))
		registry := newRegistry(t, root)
		_, err := registry.Ask(t.Context(), typescript, oracleproto.OpValidate, nil)
		consent := refused(t, err, oracleproto.KindConsentRequired)
		assert.Contains(t, consent.Recipe, "vibe bin build "+binaryName+" --assume-yes")

		// The port holds the rule by itself too.
		artifact, err := slotbinary.New(root).Find(t.Context(), typescript)
		require.NoError(t, err)
		err = slotbinary.New(root).Build(t.Context(), artifact)
		assert.Equal(t, "vibe bin build "+binaryName+" --assume-yes", refused(t, err, oracleproto.KindConsentRequired).Recipe)
		artifact.Group = trusted // a caller's word does not count
		err = slotbinary.New(root).Build(t.Context(), artifact)
		_ = refused(t, err, oracleproto.KindConsentRequired)
		assert.NoDirExists(t, filepath.Join(slot, "target"), "nothing was run")
	}

	// Nor one whose group is in doubt.
	root := newProject(t)
	slot := install(t, root, trusted, "1.0.0", goOracle("1.0.0"))
	text, err := os.ReadFile(filepath.Join(slot, "vibe.toml"))
	require.NoError(t, err)
	write(t, slot, map[string]string{"vibe.toml": strings.Replace(string(text), trusted, "org.vibevm", 1)})
	_, err = newRegistry(t, root).Ask(t.Context(), typescript, oracleproto.OpValidate, nil)
	consent := refused(t, err, oracleproto.KindConsentRequired)
	assert.Contains(t, consent.Detail, "vibe.lock has it in the group org.vibevm.ai-native and its own vibe.toml in org.vibevm")
	assert.NoDirExists(t, filepath.Join(slot, "target"))
	require.NoError(t, slotbinary.Builder{}.Build(t.Context(), plan(t, root, workspace.AssumeYes)))
	version, _ := answer(t, newRegistry(t, root))
	assert.Equal(t, "1.0.0", version)

	// A person built it.
	root = newProject(t)
	install(t, root, "com.acme", "1.0.0", goOracle("1.0.0"))
	require.NoError(t, slotbinary.Builder{}.Build(t.Context(), plan(t, root, workspace.AssumeYes)))
	version, _ = answer(t, newRegistry(t, root))
	assert.Equal(t, "1.0.0", version)
}

func TestAFailedBuildReachesTheCallerWithTheCompilersWords(t *testing.T) {
	t.Parallel()
	root := newProject(t)
	install(t, root, trusted, "1.0.0", goSources("package main\n\nfunc main() { undefinedName() }\n"))
	registry := newRegistry(t, root)
	_, err := registry.Ask(t.Context(), typescript, oracleproto.OpValidate, nil)
	failed := refused(t, err, oracleproto.KindBuildFailed)
	assert.Contains(t, failed.Detail, "undefined: undefinedName")
	assert.Contains(t, failed.Recipe, "vibe bin build "+binaryName)
}
