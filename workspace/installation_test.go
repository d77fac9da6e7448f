package workspace_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

// copyProject copies a project of testdata and returns its root.
func copyProject(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "projects", name))))
	return dir
}

func read(t *testing.T, root string) *workspace.Installation {
	t.Helper()
	in, err := workspace.ReadInstallation(root)
	require.NoError(t, err)
	return in
}

// executable is the name of an executable file here.
func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

const (
	tsSlot  = "vibedeps/org.vibevm.ai-native.typescript-ai-native-lang/1.0.0"
	abacus  = "vibedeps/com.acme.tools.abacus/2.0.1"
	oldSlot = "vibedeps/stack-rust-ai-native-lang/0.7.0"
)

func TestBinariesAreFoundInTheirSlots(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "ledger")
	in := read(t, root)
	require.Empty(t, in.Problems())
	require.Empty(t, in.Warnings)
	assert.True(t, in.Locked)
	require.Len(t, in.Slots, 4)
	assert.Equal(t, "com.acme.tools/abacus", in.Slots[0].Package.String(), "slots are in order of group and name")

	var names []string
	for _, b := range in.Binaries {
		names = append(names, b.Name)
		assert.False(t, b.Built)
	}
	assert.Equal(t, []string{"abacus", "typescript-ai-native", "typescript-ai-native-tcg", "wal-check"}, names)

	b, err := in.Binary("typescript-ai-native-tcg")
	require.NoError(t, err)
	slot := filepath.Join(root, filepath.FromSlash(tsSlot))
	assert.Equal(t, workspace.Binary{
		Name: "typescript-ai-native-tcg", Description: "the type oracle",
		Package: workspace.PackageID{Group: "org.vibevm.ai-native", Name: "typescript-ai-native-lang", Version: "1.0.0"}, ManifestGroup: "org.vibevm.ai-native",
		Slot:     slot,
		Crate:    "crates/typescript-ai-native-tcg",
		Artifact: filepath.Join(slot, "target", "release", executable("typescript-ai-native-tcg")),
	}, b)

	b, err = in.Binary("wal-check")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "vibedeps", "org.vibevm.world.wal"), b.Slot, "a package that is used in place has no version directory")
}

func TestSlotsOfTheOldFormAreFound(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "atlas")
	b, err := read(t, root).Binary("rust-ai-native-tcg")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, filepath.FromSlash(oldSlot)), b.Slot)

	// The new form comes first, even when it is broken.
	write(t, root, map[string]string{"vibedeps/org.vibevm.rust-ai-native-lang/0.7.0/": ""})
	_, err = read(t, root).Binary("rust-ai-native-tcg")
	unknown := requireError(t, err, workspace.CodeBinaryUnknown)
	assert.Contains(t, unknown.Error(), "has no vibe.toml")

	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(oldSlot), "vibe.toml"))
	require.NoError(t, err)
	write(t, root, map[string]string{"vibedeps/org.vibevm.rust-ai-native-lang/0.7.0/vibe.toml": string(text)})
	b, err = read(t, root).Binary("rust-ai-native-tcg")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "vibedeps", "org.vibevm.rust-ai-native-lang", "0.7.0"), b.Slot)
}

func TestTheReleaseBuildComesBeforeTheDebugBuild(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "ledger")
	at := func(profile string) string { return abacus + "/target/" + profile + "/" + executable("abacus") }
	write(t, root, map[string]string{at("debug"): "d"})
	b, err := read(t, root).Binary("abacus")
	require.NoError(t, err)
	assert.True(t, b.Built)
	assert.Equal(t, filepath.Join(root, filepath.FromSlash(at("debug"))), b.Artifact)
	assert.Equal(t, filepath.Join(root, filepath.FromSlash(at("release"))), b.Release())

	write(t, root, map[string]string{at("release"): "r"})
	b, err = read(t, root).Binary("abacus")
	require.NoError(t, err)
	assert.Equal(t, b.Release(), b.Artifact)
}

func TestWhatIsNotBuiltSaysHowToBuildIt(t *testing.T) {
	t.Parallel()
	in := read(t, copyProject(t, "ledger"))
	for name, recipe := range map[string]string{
		"abacus":                   "vibe bin build abacus --assume-yes",
		"typescript-ai-native-tcg": "vibe bin build typescript-ai-native-tcg",
	} {
		b, err := in.Binary(name)
		require.NoError(t, err)
		unbuilt := requireError(t, b.NotBuilt(), workspace.CodeBinaryNotBuilt)
		assert.Equal(t, recipe, unbuilt.Fix())
		assert.Contains(t, unbuilt.Error(), b.Artifact)
	}
}

func TestNothingIsInstalledWithoutALock(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"vibe.toml": project, "vibedeps/x/": ""})
	in := read(t, root)
	assert.False(t, in.Locked)
	assert.Empty(t, in.Slots)
	assert.Empty(t, in.Problems())
	_, err := in.Binary("x")
	unknown := requireError(t, err, workspace.CodeBinaryUnknown)
	assert.Contains(t, unknown.Error(), "there is no vibe.lock in "+root)
	assert.Equal(t, "run vibe install", unknown.Fix())
}

func TestALockThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"vibe.toml": project, "vibe.lock/": ""})
	_, err := workspace.ReadInstallation(root)
	_ = requireError(t, err, workspace.CodeLockInvalid)

	_, err = workspace.ReadInstallation(filepath.Join(root, "nowhere"))
	var missing *workspace.RootError
	require.ErrorAs(t, err, &missing)
}

func TestABrokenSlotIsReportedAndTheOthersWork(t *testing.T) {
	t.Parallel()
	manifest := tsSlot + "/vibe.toml"
	for name, test := range map[string]struct {
		spoil  func(p projectDir)
		code   workspace.Code
		detail string
		fix    string
		known  bool // the slot's binaries are known to be its
	}{
		"missing": {
			spoil: func(p projectDir) { p.remove(tsSlot) },
			code:  workspace.CodeSlotMissing, detail: "org.vibevm.ai-native/typescript-ai-native-lang 1.0.0 is in vibe.lock, but is not installed", fix: "run vibe install",
		},
		"of another version": {
			spoil: func(p projectDir) {
				p.rename(tsSlot, filepath.Dir(tsSlot)+"/0.9.0")
			},
			code: workspace.CodeSlotMissing, detail: "is not installed", fix: "run vibe install",
		},
		"without manifest": {
			spoil: func(p projectDir) { p.remove(manifest) },
			code:  workspace.CodeSlotInvalid, detail: "has no vibe.toml", fix: "remove the directory and run vibe install",
		},
		"no TOML": {
			spoil: func(p projectDir) { p.write(map[string]string{manifest: "[package]\n???"}) },
			code:  workspace.CodeSlotInvalid, detail: "vibe.toml:2: ", fix: "remove the directory and run vibe install",
		},
		"unknown key": {
			spoil: func(p projectDir) { p.write(map[string]string{manifest: "[package]\nnmae = 1"}) },
			code:  workspace.CodeSlotInvalid, detail: "vibe.toml:", fix: "remove the directory and run vibe install",
		},
		"of a project": {
			spoil: func(p projectDir) { p.write(map[string]string{manifest: project}) },
			code:  workspace.CodeSlotInvalid, detail: "has no [package]", fix: "remove the directory and run vibe install",
		},
		"manifest is a directory": {
			spoil: func(p projectDir) {
				p.remove(manifest)
				p.write(map[string]string{manifest + "/": ""})
			},
			code: workspace.CodeSlotInvalid, detail: "vibe.toml is no regular file", fix: "remove the directory and run vibe install",
		},
		"another version in it": {
			spoil: func(p projectDir) { p.replace(manifest, `"1.0.0"`, `"1.0.1"`) },
			code:  workspace.CodeSlotMismatch, detail: "is of typescript-ai-native-lang 1.0.1, but vibe.lock has typescript-ai-native-lang 1.0.0 there", fix: "remove the directory and run vibe install", known: true,
		},
		"artifact is a directory": {
			spoil: func(p projectDir) {
				p.write(map[string]string{tsSlot + "/target/release/" + executable("typescript-ai-native-tcg") + "/": ""})
			},
			code: workspace.CodeSlotInvalid, detail: "is no executable file", fix: "remove it and run vibe bin build typescript-ai-native-tcg", known: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := copyProject(t, "ledger")
			test.spoil(projectDir{t, root})
			in := read(t, root)
			problems := in.Problems()
			require.Len(t, problems, 1)
			assert.Equal(t, test.code, problems[0].Code)
			assert.Contains(t, problems[0].Error(), test.detail)
			assert.Contains(t, problems[0].Error(), filepath.Join(root, "vibedeps", "org.vibevm.ai-native.typescript-ai-native-lang"))
			assert.Equal(t, test.fix, problems[0].Fix())

			_, err := in.Binary("typescript-ai-native-tcg")
			code := workspace.CodeBinaryUnknown
			if test.known {
				code = test.code
			}
			refused := requireError(t, err, code)
			assert.Contains(t, refused.Error(), test.detail, "the refusal names the broken slot")
			assert.Equal(t, test.fix, refused.Fix())

			_, err = in.Binary("abacus")
			require.NoError(t, err)
		})
	}
}

func TestAllSlotsMissing(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "ledger")
	remove(t, root, "vibedeps")
	problems := read(t, root).Problems()
	require.Len(t, problems, 4)
	for _, p := range problems {
		assert.Equal(t, workspace.CodeSlotMissing, p.Code)
	}
	write(t, root, map[string]string{"vibedeps": "a file"})
	assert.Len(t, read(t, root).Problems(), 4)
}

func TestABinaryOfTwoPackagesIsRefusedNamingBoth(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "ledger")
	replace(t, root, abacus+"/vibe.toml", `name = "abacus"`+"\ncrate", `name = "typescript-ai-native-tcg"`+"\ncrate")
	in := read(t, root)
	_, err := in.Binary("typescript-ai-native-tcg")
	twice := requireError(t, err, workspace.CodeBinaryAmbiguous)
	assert.Equal(t, "typescript-ai-native-tcg is declared by com.acme.tools/abacus 2.0.1 and by org.vibevm.ai-native/typescript-ai-native-lang 1.0.0", twice.Error())
	assert.Equal(t, []*workspace.Error{twice}, in.Problems())
	_, err = in.Binary("typescript-ai-native")
	require.NoError(t, err, "other binaries of the same packages are not concerned")
}

func TestAnUnknownBinaryHasASuggestion(t *testing.T) {
	t.Parallel()
	in := read(t, copyProject(t, "ledger"))
	_, err := in.Binary("abbacus")
	unknown := requireError(t, err, workspace.CodeBinaryUnknown)
	assert.Contains(t, unknown.Error(), "did you mean abacus?")
	assert.Contains(t, unknown.Fix(), "vibe bin list")
}

func TestOpenGoesFromAnyDirectoryToTheInstallation(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "ledger")
	write(t, root, map[string]string{"src/deep/": ""})
	in, err := workspace.Open(filepath.Join(root, "src", "deep"))
	require.NoError(t, err)
	assert.Equal(t, root, in.Root)
	_, err = in.Binary("abacus")
	require.NoError(t, err)
}

// Everything that leads out of the root is refused, and nothing of what lies
// there is repeated.
func TestNothingOutsideTheRootIsRead(t *testing.T) {
	t.Parallel()
	const secret = "SECRET-OF-ANOTHER-PROJECT"
	for name, test := range map[string]struct {
		replace string // a path of the project, replaced by a link to its copy outside
		fails   bool   // reading fails altogether
	}{
		"lock":           {"vibe.lock", true},
		"vibedeps":       {"vibedeps", false},
		"package":        {filepath.Dir(tsSlot), false},
		"version":        {tsSlot, false},
		"manifest":       {tsSlot + "/vibe.toml", false},
		"target":         {tsSlot + "/target", false},
		"built artifact": {tsSlot + "/target/release/" + executable("typescript-ai-native-tcg"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := copyProject(t, "ledger")
			write(t, root, map[string]string{tsSlot + "/target/release/" + executable("typescript-ai-native-tcg"): "x"})
			outside := filepath.Join(filepath.Dir(root), filepath.Base(root)+"-"+secret)
			t.Cleanup(func() { assert.NoError(t, os.RemoveAll(outside)) })
			require.NoError(t, os.Mkdir(outside, 0o755))
			inside := filepath.Join(root, filepath.FromSlash(test.replace))
			require.NoError(t, os.Rename(inside, filepath.Join(outside, "moved")))
			require.NoError(t, os.Symlink(filepath.Join(outside, "moved"), inside))

			in, err := workspace.ReadInstallation(root)
			if test.fails {
				invalid := requireError(t, err, workspace.CodeLockInvalid)
				assert.NotContains(t, invalid.Error(), secret)
				return
			}
			require.NoError(t, err)
			_, err = in.Binary("typescript-ai-native-tcg")
			require.Error(t, err)
			assert.NotContains(t, err.Error(), secret)
			require.NotEmpty(t, in.Problems())
			for _, p := range in.Problems() {
				assert.Equal(t, workspace.CodeSlotInvalid, p.Code)
				assert.NotContains(t, p.Error(), secret)
			}
		})
	}
}

func TestASlotMayBeALinkToElsewhereInTheProject(t *testing.T) {
	t.Parallel()
	root := copyProject(t, "ledger")
	write(t, root, map[string]string{"packages/": ""})
	slot := filepath.Join(root, filepath.FromSlash(tsSlot))
	require.NoError(t, os.Rename(slot, filepath.Join(root, "packages", "ts")))
	require.NoError(t, os.Symlink(filepath.Join("..", "..", "packages", "ts"), slot))
	write(t, root, map[string]string{"packages/ts/target/release/" + executable("typescript-ai-native-tcg"): "x"})
	b, err := read(t, root).Binary("typescript-ai-native-tcg")
	require.NoError(t, err)
	assert.True(t, b.Built)
}

func remove(t *testing.T, root, path string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(filepath.Join(root, filepath.FromSlash(path))))
}

func replace(t *testing.T, root, path, before, after string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(path))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), before)
	write(t, root, map[string]string{path: strings.Replace(string(text), before, after, 1)})
}

// projectDir is a project that a test spoils.
type projectDir struct {
	t    *testing.T
	root string
}

func (p projectDir) remove(path string) { remove(p.t, p.root, path) }

func (p projectDir) write(files map[string]string) { write(p.t, p.root, files) }

func (p projectDir) replace(path, before, after string) { replace(p.t, p.root, path, before, after) }

func (p projectDir) rename(from, to string) {
	require.NoError(p.t, os.Rename(filepath.Join(p.root, filepath.FromSlash(from)), filepath.Join(p.root, filepath.FromSlash(to))))
}
