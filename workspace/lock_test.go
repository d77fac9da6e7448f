package workspace_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

func readLock(t *testing.T, file string) (*workspace.Lock, []*workspace.Error) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lock, warnings, err := workspace.ParseLock(file, string(text))
	require.NoError(t, err)
	return lock, warnings
}

func TestEveryKeyOfALockIsKept(t *testing.T) {
	t.Parallel()
	lock, warnings := readLock(t, "testdata/locks/every-key.lock")
	assert.Empty(t, warnings)
	assert.Equal(t, &workspace.Lock{
		Meta: workspace.LockMeta{
			GeneratedBy: "vibe 1.0.0", GeneratedAt: "2026-11-30T00:00:00Z", SchemaVersion: 5, Solver: "resolvo",
			RootDependencies: []string{"stack:com.acme/a@^1", "flow:com.acme/b@^2"},
			LanguageChain:    []string{"en"}, ActiveFeatures: []string{"default"},
			VirtualCapabilities: []workspace.VirtualCapability{{Name: "n", Emitter: "e", TraceID: "t", EmittedAt: "2026"}},
		},
		Packages: []workspace.LockedPackage{{
			Kind: "stack", Name: "a", Group: "com.acme", Version: "1.0.0", Registry: "acme", SourceURL: "file:///C:/packages/a",
			SourceRef: "v1.0.0", ResolvedCommit: "0123abc", ContentHash: "sha256:00", BootSnippet: "spec/boot/a.md",
			FilesWritten: []string{"a.md"}, Dependencies: []string{"flow:com.acme/b@=2.0.0"}, Overridden: true, SourceKind: "git",
			ViaRedirect: "com.acme/old", Features: []string{"f"}, Describes: "pkg:cargo/a", Language: "en", Materialization: "in-place",
			Subskills: []workspace.LockSubskill{{Path: "p", Delivery: "eager", Describes: "d", FilesWritten: []string{"w"}, CacheFiles: []string{"c"}}},
		}},
	}, lock)
	assert.Equal(t, "com.acme/a", lock.Packages[0].ID().String())
}

func TestOptionalKeysOfALockMayBeAbsent(t *testing.T) {
	t.Parallel()
	lock, warnings := readLock(t, "testdata/locks/least.lock")
	assert.Empty(t, warnings)
	assert.Len(t, lock.Packages, 1)
}

// Roots of two generations of the same names, of which one has no entry.
func TestRootsNeedNoEntry(t *testing.T) {
	t.Parallel()
	lock, warnings := readLock(t, "testdata/locks/two-generations.lock")
	assert.Empty(t, warnings)
	assert.Len(t, lock.Meta.RootDependencies, 4)
	assert.Len(t, lock.Packages, 2)
}

func TestWhatANewerVibeWroteIsSkippedWithAWarning(t *testing.T) {
	t.Parallel()
	lock, warnings := readLock(t, "testdata/locks/newer.lock")
	require.Len(t, lock.Packages, 1)
	assert.Equal(t, workspace.Word("oracle"), lock.Packages[0].Kind, "a kind that does not exist yet")
	assert.Equal(t, "oci", lock.Packages[0].SourceKind)
	var got []string
	for _, w := range warnings {
		assert.Equal(t, workspace.CodeLockUnknownKey, w.Code)
		assert.NotEmpty(t, w.Fix())
		got = append(got, w.Error())
	}
	assert.Equal(t, []string{
		`testdata/locks/newer.lock:5: "resolver" is no key of meta; did you mean solver?; skipped`,
		`testdata/locks/newer.lock:14: "source_urls" is no key of package[0]; did you mean source_url?; skipped`,
		`testdata/locks/newer.lock:16: "signature" is no key of the file's top level; it takes meta, package; skipped`,
	}, got)
}

const meta = "[meta]\ngenerated_by = \"v\"\ngenerated_at = \"t\"\nschema_version = 5\n"

const entry = "[[package]]\nkind = \"flow\"\nname = \"a\"\ngroup = \"com.acme\"\nversion = \"1.0.0\"\nsource_url = \"u\"\ncontent_hash = \"h\"\n"

func TestALockIsRefusedWithItsLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":         `vibe.lock: the file has no [meta]`,
		"meta = 1": `vibe.lock: the file has no [meta]`,
		"[meta]\n": `vibe.lock:1: meta has no schema_version that is a number`,
		"x = 1\n[meta]\nschema_version = \"5\"\n":                     `vibe.lock:2: meta has no schema_version that is a number`,
		"[meta]\nschema_version = 5\n":                                `vibe.lock:1: meta has no generated_by (and 1 more)`,
		"<<<<<<< ours\n" + meta:                                       `vibe.lock:1: '<' where a key should be`,
		meta + "[package]\nname = \"a\"\n":                            `vibe.lock:5: package is a table where an array belongs`,
		meta + "[[package]]\n":                                        `vibe.lock:5: package[0] has no kind (and 5 more)`,
		meta + entry + entry:                                          `vibe.lock:12: package[1] is "com.acme/a", which line 5 locks already`,
		meta + entry + strings.Replace(entry, "1.0.0", "2.0.0", 1):    `vibe.lock:12: package[1] is "com.acme/a", which line 5 locks already`,
		meta + strings.Replace(entry, "\"a\"", "\"../a\"", 1):         `vibe.lock:7: package[0].name "../a" is no package name; write it in kebab-case`,
		meta + strings.Replace(entry, "com.acme", "com/../acme", 1):   `vibe.lock:8: package[0].group "com/../acme" is no group; write dot-separated labels of a-z, 0-9 and -`,
		meta + strings.Replace(entry, "1.0.0", "1.0.0/../..", 1):      `vibe.lock:9: package[0].version "1.0.0/../.." is no semantic version; write it like 1.2.3`,
		meta + strings.Replace(entry, "flow", "a/b", 1):               `vibe.lock:6: package[0].kind "a/b" is no word in kebab-case`,
		meta + strings.Replace(entry, "\"u\"", "[\"u\"]", 1):          `vibe.lock:10: package[0].source_url is an array where a string belongs`,
		meta + entry + "features = \"f\"\n":                           `vibe.lock:12: package[0].features is a string where an array belongs`,
		meta + entry + "dependencies = [\n\"a\",\n1]\n":               `vibe.lock:14: package[0].dependencies[1] is an integer where a string belongs`,
		meta + entry + "[[package.subskills_active]]\npath = \"p\"\n": `vibe.lock:12: package[0].subskills_active[0] has no delivery`,
	} {
		_, _, err := workspace.ParseLock("vibe.lock", text)
		invalid := requireError(t, err, workspace.CodeLockInvalid)
		assert.Equal(t, want, invalid.Error(), "%s", text)
		assert.Contains(t, invalid.Fix(), "vibe install")
	}
}

func TestAnotherSchemaIsRefusedWhateverElseIsInTheLock(t *testing.T) {
	t.Parallel()
	for version, recipe := range map[string]string{
		"4": "run vibe install in the project to write vibe.lock anew",
		"0": "run vibe install in the project to write vibe.lock anew",
		"6": "run vibe install in the project to write vibe.lock anew, or use a newer vibe",
	} {
		_, _, err := workspace.ParseLock("vibe.lock", "package = 1\n[meta]\nschema_version = "+version+"\n[slots]\n")
		other := requireError(t, err, workspace.CodeLockSchema)
		assert.Equal(t, "vibe.lock:3: the lock is of schema "+version+", but schema 5 is needed", other.Error())
		assert.Equal(t, recipe, other.Fix())
	}
}
