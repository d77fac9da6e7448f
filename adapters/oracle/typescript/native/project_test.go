package native

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// open makes a project and its backend.
func open(t *testing.T, files map[string]string) (*Backend, string) {
	t.Helper()
	root := project(t, files)
	b := newBackend(t, root)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b, root
}

// validate asks about a text that is announced and withdrawn again.
func validate(t *testing.T, b *Backend, path, text string) oracle.Validation {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: path, Text: text}}))
	v, err := b.Validate(t.Context(), oracle.Document{Path: path, Text: text}, oracle.Check{})
	require.NoError(t, err)
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlayClear, Path: path}}))
	return v
}

func changed(t *testing.T, b *Backend, kind oracle.ChangeKind, path string) {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: kind, Path: path}}))
}

func codesOf(ds []oracleproto.Diagnostic) []string {
	out := []string{}
	for _, d := range ds {
		out = append(out, d.Code.String())
	}
	return out
}

// TestConfigurationErrors covers a race: the compiler pushes them from a
// background task, before or after the answer, and late pushes overtook early
// ones. Each state must be reported by the first answer about it, every time.
func TestConfigurationErrors(t *testing.T) {
	b, root := open(t, map[string]string{"src/a.ts": "export const a = 1;\n"})
	config, file := filepath.Join(root, "tsconfig.json"), filepath.Join(root, "src/new.ts")
	kind := oracle.DiskCreated
	for range 5 {
		for _, tc := range []struct {
			config string
			want   []string
		}{
			{`{"compilerOptions": {"strict": true, "target": "ES5", "noEmit": true}}`, []string{"5108"}},
			{strictConfig, []string{}},
			{`{"compilerOptions": {"bogus": 1, "noEmit": true}}`, []string{"5023"}},
			{`{"compilerOptions": {"types": ["nosuch"], "noEmit": true}}`, []string{"2688"}},
			{`{"extends": "./nosuch.json"}`, []string{"5083"}},
			{`{"compilerOptions": {"strict": tru`, []string{"1328", "5024", "1005"}},
		} {
			write(t, config, tc.config)
			changed(t, b, kind, config)
			kind = oracle.DiskChanged
			v := validate(t, b, file, "import { a } from './a';\nexport const s: string = a;\n")
			assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics), "the file's own errors go on")
			assert.Subset(t, codesOf(v.ProjectErrors), tc.want, tc.config)
			assert.Len(t, v.ProjectErrors, len(tc.want), tc.config)
			assert.Equal(t, config, v.ConfigFile)
			assert.Empty(t, v.Unknown)
		}
	}
}

func TestConfigurationErrorsHavePlaces(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": "{\"compilerOptions\": {\n  \"bogus\": 1, \"types\": [\"nosuch\"]}}\n"})
	v := validate(t, b, filepath.Join(root, "a.ts"), "export {};\n")
	require.Equal(t, []string{"2688", "5023"}, codesOf(v.ProjectErrors))
	assert.Zero(t, v.ProjectErrors[0].Line, "about no place in the file")
	assert.Equal(t, 2, v.ProjectErrors[1].Line)
	assert.Equal(t, 2, v.ProjectErrors[1].Character)
	assert.Equal(t, "error", v.ProjectErrors[1].Category)
}

func TestExtendedConfigurationChanges(t *testing.T) {
	b, root := open(t, map[string]string{
		"tsconfig.json":       `{"extends": "./shared/options", "include": ["src"]}`,
		"shared/options.json": `{"compilerOptions": {"strict": false, "noEmit": true}}`,
		"data.json":           `{}`,
	})
	file, text := filepath.Join(root, "src/a.ts"), "export const f = (x) => x;\n"
	require.Empty(t, validate(t, b, file, text).Diagnostics)
	before := compilers(b)

	changed(t, b, oracle.DiskChanged, filepath.Join(root, "data.json"))
	require.Empty(t, validate(t, b, file, text).Diagnostics)
	require.Equal(t, before, compilers(b), "other JSON files do not restart the compiler")

	base := filepath.Join(root, "shared/options.json")
	write(t, base, `{"compilerOptions": {"strict": true, "noEmit": true}}`)
	changed(t, b, oracle.DiskChanged, base)
	require.Equal(t, []string{"7006"}, codesOf(validate(t, b, file, text).Diagnostics))
	awaitGone(t, before[0])

	require.NoError(t, os.Remove(base))
	changed(t, b, oracle.DiskDeleted, base)
	require.NotEmpty(t, validate(t, b, file, text).ProjectErrors)
}

// A configuration that is referred to decides as well, whatever its name.
func TestReferredConfigurationChanges(t *testing.T) {
	const composite = `{"compilerOptions": {"composite": true, "outDir": "out", "types": []}, "include": ["src"]}`
	b, root := open(t, map[string]string{
		"tsconfig.json": `{"compilerOptions": {"noEmit": true, "types": []}, "include": ["src"], "references": [{"path": "./lib/conf.json"}]}`,
		"lib/conf.json": strings.Replace(composite, "true", "false", 1), "lib/src/l.ts": "export const l = 1;\n", "src/a.ts": "export const a = 1;\n",
	})
	file, referred := filepath.Join(root, "src/a.ts"), filepath.Join(root, "lib/conf.json")
	assert.Contains(t, codesOf(validate(t, b, file, "export const a = 2;\n").ProjectErrors), "6306")
	assert.Contains(t, b.Reads(), referred)
	write(t, referred, composite)
	changed(t, b, oracle.DiskChanged, referred)
	assert.Empty(t, validate(t, b, file, "export const a = 3;\n").ProjectErrors)
}

func TestFileOutsideTheProject(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "export {};\n", "scripts/other.ts": "export {};\n"})
	v := validate(t, b, filepath.Join(root, "scripts/tool.ts"), "const s: string = 1;\nexport {};\n")
	assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown)
	assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics))
	assert.Empty(t, v.ConfigFile)

	// Once a file of the project imports it, it is part of it.
	importer := filepath.Join(root, "src/a.ts")
	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: importer, Text: "import '../scripts/tool';\n"}}))
	v = validate(t, b, filepath.Join(root, "scripts/tool.ts"), "const s: string = 1;\nexport {};\n")
	assert.Empty(t, v.Unknown)
	assert.Equal(t, filepath.Join(root, "tsconfig.json"), v.ConfigFile)
}

// TestHypotheticalDirectory covers a limit of TypeScript 7.0: a file in a
// directory that is not on disk is checked, and checks what it imports, but is
// not found by others. That must not be reported as an error of theirs.
func TestHypotheticalDirectory(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "export const a = 1;\n"})
	inside, text := filepath.Join(root, "src/new/x.ts"), "import { a } from '../a';\nexport const x: string = a;\n"
	v := validate(t, b, inside, text)
	assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics))
	assert.Empty(t, v.Unknown)

	require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: inside, Text: text}}))
	importer := "import { x } from './new/x';\nexport const n: number = x;\n"
	v = validate(t, b, filepath.Join(root, "src/b.ts"), importer)
	if v.Unknown == "" { // TypeScript 7.1 finds it
		assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics))
		return
	}
	assert.Equal(t, oracleproto.ReasonOverlayUnseen, v.Unknown)
	require.Len(t, v.Advice, 1)
	assert.Contains(t, v.Advice[0], filepath.Join(root, "src/new"))

	require.NoError(t, os.Mkdir(filepath.Join(root, "src/new"), 0o755))
	v = validate(t, b, filepath.Join(root, "src/b.ts"), importer)
	assert.Empty(t, v.Unknown)
	assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics))
}

// TestErrorsOfAConfigurationThatWasUnloaded covers a lie: the compiler pushes
// no errors for a project it unloads, and was taken by its word when that
// project was asked about again.
func TestErrorsOfAConfigurationThatWasUnloaded(t *testing.T) {
	broken := `{"compilerOptions": {"bogus": 1, "noEmit": true}}`
	b, root := open(t, map[string]string{"a/tsconfig.json": broken, "b/tsconfig.json": strictConfig, "a/x.ts": "export {};\n", "b/src/x.ts": "export {};\n"})
	for range 10 {
		assert.Equal(t, []string{"5023"}, codesOf(validate(t, b, filepath.Join(root, "a/new.ts"), "export {};\n").ProjectErrors))
		assert.Empty(t, validate(t, b, filepath.Join(root, "b/src/new.ts"), "export {};\n").ProjectErrors)
	}
	assert.Len(t, compilers(b), 1)
}

// TestHypotheticalConfiguration has a configuration that is broken on disk and
// mended in an overlay, and the other way round.
func TestHypotheticalConfiguration(t *testing.T) {
	const broken, mended = `{"compilerOptions": {"bogus": 1, "noEmit": true}}`, `{"compilerOptions": {"noEmit": true}}`
	for disk, overlay := range map[string]string{broken: mended, mended: broken} {
		b, root := open(t, map[string]string{"tsconfig.json": disk, "a.ts": "export {};\n"})
		config, file := filepath.Join(root, "tsconfig.json"), filepath.Join(root, "a.ts")
		errorsOf := map[string][]string{broken: {"5023"}, mended: {}}
		for range 3 {
			require.Equal(t, errorsOf[disk], codesOf(validate(t, b, file, "export {};\n").ProjectErrors))
			before := compilers(b)
			v := validate(t, b, config, disk)
			assert.Equal(t, errorsOf[disk], codesOf(v.Diagnostics))
			require.Equal(t, errorsOf[disk], codesOf(validate(t, b, file, "export {};\n").ProjectErrors))
			assert.Equal(t, before, compilers(b), "a text that is the disk's changes nothing")

			v = validate(t, b, config, overlay)
			assert.Equal(t, errorsOf[overlay], codesOf(v.Diagnostics))
			require.Equal(t, errorsOf[disk], codesOf(validate(t, b, file, "export {};\n").ProjectErrors))

			require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: config, Text: overlay}}))
			for range 2 {
				require.Equal(t, errorsOf[overlay], codesOf(validate(t, b, file, "export {};\n").ProjectErrors))
			}
			require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlayClear, Path: config}}))
		}
		v := validate(t, b, config, "{,}")
		assert.NotEmpty(t, v.Diagnostics)
	}
}

// TestConfigurationErrorsThatFilesDecide has errors which come and go with
// files while the configuration stays.
func TestConfigurationErrorsThatFilesDecide(t *testing.T) {
	b, root := open(t, map[string]string{
		"listed/tsconfig.json": `{"compilerOptions": {"noEmit": true}, "files": ["a.ts", "b.ts"]}`, "listed/a.ts": "export {};\n", "listed/b.ts": "export {};\n",
		"rooted/tsconfig.json": `{"compilerOptions": {"noEmit": true, "rootDir": "src"}, "include": ["src", "test"]}`, "rooted/src/a.ts": "export {};\n",
	})
	for _, tc := range []struct {
		file, decides string
		there, gone   []string
	}{
		{"listed/a.ts", "listed/b.ts", []string{}, []string{"6053"}},
		{"rooted/src/a.ts", "rooted/test/a.ts", []string{"6059"}, []string{}},
	} {
		file, decides := filepath.Join(root, tc.file), filepath.Join(root, tc.decides)
		for range 5 {
			write(t, decides, "export {};\n")
			changed(t, b, oracle.DiskCreated, decides)
			require.Equal(t, tc.there, codesOf(validate(t, b, file, "export {};\n").ProjectErrors), tc.decides)
			require.NoError(t, os.Remove(decides))
			changed(t, b, oracle.DiskDeleted, decides)
			require.Equal(t, tc.gone, codesOf(validate(t, b, file, "export {};\n").ProjectErrors), tc.decides)

			require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlaySet, Path: decides, Text: "export {};\n"}}))
			require.Equal(t, tc.there, codesOf(validate(t, b, file, "export {};\n").ProjectErrors), tc.decides)
			require.NoError(t, b.Sync(t.Context(), []oracle.Change{{Kind: oracle.OverlayClear, Path: decides}}))
			require.Equal(t, tc.gone, codesOf(validate(t, b, file, "export {};\n").ProjectErrors), tc.decides)
		}
	}
	before := compilers(b)
	changed(t, b, oracle.DiskCreated, filepath.Join(root, "rooted/src/other.ts"))
	validate(t, b, filepath.Join(root, "rooted/src/new.ts"), "export {};\n")
	assert.Equal(t, before, compilers(b), "ordinary files come and go without a new compiler")
}

// TestAnUnloadedProjectsPushIsNoReport is the same race, lost every time.
func TestAnUnloadedProjectsPushIsNoReport(t *testing.T) {
	p, _ := scripted(t)
	p.projects.published("/p/tsconfig.json", []lsp.Diagnostic{{Code: json.RawMessage("5023")}})
	p.projects.published("/p/tsconfig.json", []lsp.Diagnostic{})
	found, reported, err := p.projects.errorsOf(t.Context(), nil, "/p/tsconfig.json")
	require.NoError(t, err)
	assert.True(t, reported)
	assert.Len(t, found, 1)
}

func TestOnlyConfigurationsAreKept(t *testing.T) {
	p, _ := scripted(t)
	p.projects.published("/p/src/a.ts", []lsp.Diagnostic{{}})
	p.projects.published("/p/tsconfig.json", nil)
	assert.Len(t, p.projects.configs, 1)
}

func TestNoConfiguration(t *testing.T) {
	b, root := open(t, map[string]string{"package.json": "{}"})
	v := validate(t, b, filepath.Join(root, "src/a.ts"), "const s: string = 1;\nexport {};\n")
	assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown)
	assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics))

	write(t, filepath.Join(root, "tsconfig.json"), strictConfig)
	changed(t, b, oracle.DiskCreated, filepath.Join(root, "tsconfig.json"))
	v = validate(t, b, filepath.Join(root, "src/a.ts"), "const s: string = 1;\nexport {};\n")
	assert.Empty(t, v.Unknown)
	assert.Equal(t, filepath.Join(root, "tsconfig.json"), v.ConfigFile)
}

func TestSolutionConfiguration(t *testing.T) {
	b, root := open(t, map[string]string{
		"tsconfig.json":      `{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tsconfig.test.json"}]}`,
		"tsconfig.app.json":  `{"compilerOptions": {"composite": true, "strict": true, "outDir": "out/app"}, "include": ["src"]}`,
		"tsconfig.test.json": `{"compilerOptions": {"composite": true, "strict": false, "outDir": "out/test"}, "include": ["test"], "references": [{"path": "./tsconfig.app.json"}]}`,
		"src/lib.ts":         "export const lib = 1;\n",
		"test/lib.test.ts":   "import { lib } from '../src/lib';\nlib;\n",
	})
	implicit := "export const f = (x) => x;\n"
	v := validate(t, b, filepath.Join(root, "src/new.ts"), implicit)
	assert.Equal(t, []string{"7006"}, codesOf(v.Diagnostics))
	assert.Equal(t, filepath.Join(root, "tsconfig.app.json"), v.ConfigFile)
	v = validate(t, b, filepath.Join(root, "test/new.ts"), implicit)
	assert.Empty(t, v.Diagnostics)
	assert.Equal(t, filepath.Join(root, "tsconfig.test.json"), v.ConfigFile)
}

// TestRootGivenAsSymlink covers a compiler started in a linked root, while
// questions and changes name files by their real paths.
func TestRootGivenAsSymlink(t *testing.T) {
	real := project(t, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "export {};\n"})
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(real, link))
	b := newBackend(t, link)
	defer func() { require.NoError(t, b.Close()) }()
	text := "import { b } from './b';\nexport const s: string = b;\n"
	require.Equal(t, []string{"2307"}, codesOf(validate(t, b, filepath.Join(real, "src/a.ts"), text).Diagnostics))
	write(t, filepath.Join(real, "src/b.ts"), "export const b = '';\n")
	changed(t, b, oracle.DiskCreated, filepath.Join(real, "src/b.ts"))
	require.Empty(t, validate(t, b, filepath.Join(real, "src/a.ts"), text).Diagnostics)
}

// TestGivenUpStartGoesOn holds that the compiler outlives the question that
// started it, and is not started twice.
func TestGivenUpStartGoesOn(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": strictConfig})
	doc := oracle.Document{Path: filepath.Join(root, "src/a.ts"), Text: "export const s: string = 1;\n"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := b.Validate(ctx, doc, oracle.Check{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	started := compilers(b)
	require.Len(t, started, 1)
	v, err := b.Validate(t.Context(), doc, oracle.Check{})
	require.NoError(t, err)
	assert.Equal(t, []string{"2322"}, codesOf(v.Diagnostics))
	assert.Equal(t, started, compilers(b))
}

func TestCloseDuringStart(t *testing.T) {
	b, root := open(t, map[string]string{"tsconfig.json": strictConfig})
	doc := oracle.Document{Path: filepath.Join(root, "src/a.ts"), Text: "export {};\n"}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		_, _ = b.Validate(t.Context(), doc, oracle.Check{}) // an answer or an error, as the race goes
	}()
	require.Eventually(t, func() bool { return len(compilers(b)) == 1 }, 20*time.Second, time.Millisecond)
	pid := compilers(b)[0]
	begun := time.Now()
	require.NoError(t, b.Close())
	assert.Less(t, time.Since(begun), 10*time.Second)
	<-returned
	awaitGone(t, pid)
}

func TestStartFailure(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "tsc"), "not an executable")
	b := New(root, Compiler{Version: "7.0.2", Exe: filepath.Join(root, "tsc")})
	defer func() { require.NoError(t, b.Close()) }()
	_, err := b.Validate(t.Context(), oracle.Document{Path: filepath.Join(root, "a.ts"), Text: ""}, oracle.Check{})
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindTypeScriptPlatformMissing, e.Kind)
	assert.NotEmpty(t, e.Recipe)
}

// TestConfigurationFirstMetByAnotherQuestion covers errors that were lost: the
// first question about a project did not wait for them, and the next was about
// another project, for which the compiler unloaded the first.
func TestConfigurationFirstMetByAnotherQuestion(t *testing.T) {
	root := project(t, map[string]string{
		"a/tsconfig.json": `{"compilerOptions": {"bogus": 1, "noEmit": true}}`, "a/x.ts": "export const x = 1;\n",
		"b/tsconfig.json": strictConfig, "b/src/x.ts": "export const x = 1;\n",
	})
	a := oracle.Document{Path: filepath.Join(root, "a/x.ts"), Text: "export const x = 1;\n"}
	other := oracle.Document{Path: filepath.Join(root, "b/src/x.ts"), Text: "export const x = 1;\n"}
	at := oracleproto.Position{Line: 1, Character: 13}
	for range 10 {
		b := newBackend(t, root)
		for _, doc := range []oracle.Document{a, other, a, other} {
			_, err := b.Type(t.Context(), doc, at)
			require.NoError(t, err)
		}
		v, err := b.Validate(t.Context(), a, oracle.Check{})
		require.NoError(t, err)
		assert.Equal(t, []string{"5023"}, codesOf(v.ProjectErrors))
		require.NoError(t, b.Close())
	}
}

func TestTheNextQuestionWaitsForThePushOfTheLast(t *testing.T) {
	p, _ := scripted(t)
	p.projects.covers("/p/tsconfig.json")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.projects.settle(ctx, nil), context.DeadlineExceeded)

	settled := make(chan error, 1)
	go func() { settled <- p.projects.settle(t.Context(), nil) }()
	p.projects.published("/p/tsconfig.json", nil)
	require.NoError(t, <-settled)
	require.NoError(t, p.projects.settle(t.Context(), nil), "nothing is due")
}
