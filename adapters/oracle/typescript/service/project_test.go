package service

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

const wrong = "export const s: string = 1;\n"

// TestFilesNotOnDisk asks about importers of hypothetical files, one of them in
// a directory that is not there either, and one that a new file hides.
func TestFilesNotOnDisk(t *testing.T) {
	for _, name := range everyVersion {
		t.Run(versions[name], func(t *testing.T) {
			s := newSession(t, name, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "", "src/shape/index.ts": "export const one = 1;\n"})
			importer := "import { n } from './deep/er/b';\nexport const x: string = n;\n"
			require.Equal(t, "2307", s.errors("src/a.ts", importer))
			s.overlay("src/deep/er/b.ts", "export const n = 1;\n")
			require.Equal(t, "2322", s.errors("src/a.ts", importer))
			s.overlay("src/deep/er/b.ts", "export const n = '';\n")
			require.Empty(t, s.errors("src/a.ts", importer))
			s.sync(oracle.OverlayClear, "src/deep/er/b.ts")
			require.Equal(t, "2307", s.errors("src/a.ts", importer))

			shape := "import { one } from './shape';\nexport const x: string = one;\n"
			require.Equal(t, "2322", s.errors("src/a.ts", shape))
			s.overlay("src/shape.ts", "export const one = '';\n")
			require.Empty(t, s.errors("src/a.ts", shape), "the new file comes first")
			s.sync(oracle.OverlayClear, "src/shape.ts")
			require.Equal(t, "2322", s.errors("src/a.ts", shape))

			// One that nobody imports is in the project by its pattern.
			v := s.validate("src/new/c.ts", wrong)
			assert.Equal(t, "2322", codes(v.Diagnostics))
			assert.Equal(t, s.path("tsconfig.json"), v.ConfigFile)
			s.overlay("src/new/global.d.ts", "declare const fresh: number;\n")
			assert.Equal(t, "2322", s.errors("src/a.ts", "const s: string = fresh;\nexport {};\n"))
			_, err := os.Stat(s.path("src/new"))
			assert.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}

// TestReferences asks about a project that refers to another one that was never
// built.
func TestReferences(t *testing.T) {
	for _, name := range everyVersion {
		t.Run(versions[name], func(t *testing.T) {
			composite := `{"compilerOptions": {"composite": true, "strict": true, "outDir": "dist", "rootDir": "src", "module": "esnext", "moduleResolution": "bundler", "target": "es2022"}, "include": ["src"]`
			s := newSession(t, name, map[string]string{
				"tsconfig.json":         `{"files": [], "references": [{"path": "app"}, {"path": "lib/tsconfig.lib.json"}]}`,
				"lib/tsconfig.lib.json": composite + `}`,
				"lib/src/index.ts":      "export const n = 1;\n",
				"app/tsconfig.json":     composite + `, "references": [{"path": "../lib/tsconfig.lib.json"}]}`,
				"app/src/main.ts":       "",
				"tools/tsconfig.json":   `{"extends": "../base.json", "include": ["*.ts"]}`,
				"base.json":             `{"compilerOptions": {"strict": true}}`,
				"tools/run.ts":          "",
			})
			importer := "import { n } from '../../lib/src/index';\nexport const x: string = n;\n"
			v := s.validate("app/src/main.ts", importer)
			assert.Equal(t, s.path("app/tsconfig.json"), v.ConfigFile)
			assert.Equal(t, "2322", codes(v.Diagnostics))
			assert.Empty(t, v.ProjectErrors)
			s.overlay("lib/src/index.ts", "export const n = '';\n")
			assert.Empty(t, s.errors("app/src/main.ts", importer))

			v = s.validate("lib/src/index.ts", wrong)
			assert.Equal(t, s.path("lib/tsconfig.lib.json"), v.ConfigFile, "by way of the solution")
			assert.Equal(t, "2322", codes(v.Diagnostics))

			v = s.validate("tools/run.ts", "export function f(x) {}\n")
			assert.Equal(t, s.path("tools/tsconfig.json"), v.ConfigFile)
			assert.Equal(t, "7006", codes(v.Diagnostics))
			s.write("base.json", `{"compilerOptions": {"strict": false}}`)
			if name != "ts60" { // strict by default
				assert.Empty(t, s.errors("tools/run.ts", "export function f(x) {}\n"))
			}
		})
	}
}

// TestReferencesInACircle holds that a file whose types nobody checks is not
// clean: each project of the circle leaves its files to the other.
func TestReferencesInACircle(t *testing.T) {
	for _, name := range []string{"ts50", "ts60"} {
		config := `{"compilerOptions": {"composite": true, "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022"}, "include": ["*.ts"], "references": [{"path": "../`
		s := newSession(t, name, map[string]string{
			"p/tsconfig.json": config + `q"}]}`, "p/a.ts": wrong,
			"q/tsconfig.json": config + `p"}]}`, "q/a.ts": wrong,
		})
		for _, file := range []string{"p/a.ts", "q/a.ts"} {
			v := s.validate(file, wrong)
			if name == "ts50" { // which checks them all the same
				assert.Equal(t, "2322", codes(v.Diagnostics))
			} else if assert.Equal(t, oracleproto.ReasonProjectBroken, v.Unknown, "%s %s: %v", name, file, v) {
				assert.Contains(t, v.Advice[0], "references")
			}
		}
	}
}

func TestAFileThatAProjectImports(t *testing.T) {
	s := newSession(t, "ts59", map[string]string{
		"tsconfig.json":     `{"compilerOptions": {"strict": true}, "files": ["main.ts"]}`,
		"main.ts":           "import './imported';\n",
		"imported.ts":       "export {};\n",
		"alone.ts":          "export {};\n",
		"sub/jsconfig.json": `{"compilerOptions": {"checkJs": true}}`,
		"sub/a.js":          "",
	})
	v := s.validate("imported.ts", "export function f(x) {}\n")
	assert.Equal(t, s.path("tsconfig.json"), v.ConfigFile)
	assert.Equal(t, "7006", codes(v.Diagnostics))

	v = s.validate("alone.ts", wrong)
	assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown)
	assert.Empty(t, v.ConfigFile)
	assert.Equal(t, "2322", codes(v.Diagnostics), "default options say as much")
	s.overlay("main.ts", "import './alone';\n")
	v = s.validate("alone.ts", wrong)
	assert.Empty(t, v.Unknown, "another file imports it now")

	v = s.validate("sub/a.js", "/** @type {string} */\nexport const s = 1;\n")
	assert.Equal(t, s.path("sub/jsconfig.json"), v.ConfigFile)
	assert.Equal(t, "2322", codes(v.Diagnostics))
}

// TestBrokenConfig covers what makes tsc fail whatever a file says.
func TestBrokenConfig(t *testing.T) {
	for _, name := range firstAndLast {
		t.Run(versions[name], func(t *testing.T) {
			s := newSession(t, name, map[string]string{"tsconfig.json": strictConfig, "a.ts": "", "src/a.ts": ""})
			clean := "export {};\n"
			require.Empty(t, s.validate("src/a.ts", clean).ProjectErrors)
			for config, want := range map[string]string{
				`{"compilerOptions": {"stirct": true}}`:                                     "5025",
				`{"compilerOptions": {"target": "es2022"}`:                                  "1005",
				`{"compilerOptions": {"noLib": true, "types": []}}`:                         "2318",
				`{"extends": "./missing.json"}`:                                             "6053 5083",
				`{"compilerOptions": {"paths": {"x": ["*/*"]}}}`:                            "5062",
				`{"compilerOptions": {"isolatedModules": true, "verbatimModuleSyntax": 1}}`: "5024",
			} {
				s.write("tsconfig.json", config)
				v := s.validate("src/a.ts", clean)
				require.NotEmpty(t, v.ProjectErrors, config)
				assert.Contains(t, want, v.ProjectErrors[0].Code.String(), config)
				assert.Equal(t, s.path("tsconfig.json"), v.ConfigFile)
			}
			s.write("tsconfig.json", `{"compilerOptions": {"strict": true}, "include": ["nothing"], "files": []}`)
			v := s.validate("src/a.ts", clean)
			assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown)
			s.write("tsconfig.json", strictConfig)
			v = s.validate("src/a.ts", clean)
			assert.Empty(t, v.ProjectErrors)
			assert.Empty(t, v.Unknown)
		})
	}
}

// TestAListedFileThatTheProjectLacks has files of kinds that the options leave
// out: tsc reports the configuration and does not look at them.
func TestAListedFileThatTheProjectLacks(t *testing.T) {
	s := newSession(t, "ts59", map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true}, "files": ["a.js", "b.ts"]}`,
		"a.js":          "const n = 1;\nexport { n };\n", "b.ts": wrong,
	})
	v := s.validate("a.js", "export const n = ;\n")
	assert.Empty(t, v.ConfigFile)
	assert.Equal(t, oracleproto.ReasonNotInProject, v.Unknown)
	info, err := s.Type(t.Context(), oracle.Document{Path: s.path("a.js"), Text: "export const n = 1;\n"}, oracleproto.Position{Line: 1, Character: 13})
	require.NoError(t, err)
	assert.Contains(t, info.Display, "n")
	assert.Equal(t, "2322", s.errors("b.ts", wrong))
}

func TestErrorsOfAnExtendedConfigSayWhere(t *testing.T) {
	s := newSession(t, "ts59", map[string]string{
		"tsconfig.json": `{"extends": "./base.json"}`, "base.json": "{\n  \"compilerOptions\": {\"stirct\": true}\n}", "a.ts": "export {};\n",
	})
	v := s.validate("a.ts", "export {};\n")
	require.Len(t, v.ProjectErrors, 1)
	assert.Zero(t, v.ProjectErrors[0].Line)
	require.Len(t, v.ProjectErrors[0].Related, 1)
	assert.Equal(t, s.path("base.json"), v.ProjectErrors[0].Related[0].File)
	assert.Equal(t, 2, v.ProjectErrors[0].Related[0].Line)
}

// TestHypotheticalConfig lays a configuration over the disk's.
func TestHypotheticalConfig(t *testing.T) {
	s := newSession(t, "ts59", map[string]string{"tsconfig.json": strictConfig, "src/a.ts": ""})
	implicit := "export function f(x) {}\n"
	require.Equal(t, "7006", s.errors("src/a.ts", implicit))
	s.overlay("tsconfig.json", `{"compilerOptions": {"strict": false}}`)
	require.Empty(t, s.errors("src/a.ts", implicit))
	s.sync(oracle.OverlayClear, "tsconfig.json")
	require.Equal(t, "7006", s.errors("src/a.ts", implicit))
	s.overlay("src/tsconfig.json", `{}`)
	v := s.validate("src/a.ts", implicit)
	assert.Equal(t, s.path("src/tsconfig.json"), v.ConfigFile)
	assert.Empty(t, v.Diagnostics)
}

// TestPluginsAreNotRun has a plugin that leaves a trace when it is loaded.
func TestPluginsAreNotRun(t *testing.T) {
	for _, name := range firstAndLast {
		t.Run(versions[name], func(t *testing.T) {
			s := newSession(t, name, map[string]string{
				"tsconfig.json":                 `{"compilerOptions": {"strict": true, "types": [], "plugins": [{"name": "spy"}, {"transform": "spy"}]}}`,
				"node_modules/spy/index.js":     "require('fs').writeFileSync(__dirname + '/ran', ''); module.exports = () => ({ create: (i) => i.languageService });\n",
				"node_modules/spy/package.json": `{"name": "spy", "main": "index.js"}`,
			})
			assert.Equal(t, "2322", s.errors("a.ts", wrong))
			_, err := os.Stat(s.path("node_modules/spy/ran"))
			assert.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}

func TestPackagesThatComeAndGo(t *testing.T) {
	s := newSession(t, "ts54", map[string]string{"tsconfig.json": strictConfig, "src/a.ts": ""})
	text := "import { x } from 'pkg';\nexport const s: string = x;\n"
	require.Equal(t, "2307", s.errors("src/a.ts", text))
	write(t, s.path("node_modules/pkg/package.json"), `{"name": "pkg", "types": "i.d.ts"}`)
	write(t, s.path("node_modules/pkg/i.d.ts"), "export const x: number;\n")
	s.write("node_modules/.package-lock.json", "{}")
	require.Equal(t, "2322", s.errors("src/a.ts", text))
	write(t, s.path("node_modules/pkg/i.d.ts"), "export const x: string;\n")
	s.write("node_modules/.package-lock.json", "{ }")
	require.Empty(t, s.errors("src/a.ts", text))
	require.NoError(t, os.RemoveAll(s.path("node_modules")))
	s.sync(oracle.DiskDeleted, "node_modules/.package-lock.json")
	require.Equal(t, "2307", s.errors("src/a.ts", text))
}

func TestMoreProjectsThanAreKept(t *testing.T) {
	files := map[string]string{}
	names := []string{"a", "b", "c", "d", "e"}
	for _, p := range names {
		files[p+"/tsconfig.json"] = `{"compilerOptions": {"strict": true}}`
		files[p+"/x.ts"] = "export const " + p + " = 1;\n"
	}
	s := newSession(t, "ts60", files)
	for range 2 {
		for _, p := range names {
			v := s.validate(p+"/x.ts", wrong)
			assert.Equal(t, "2322", codes(v.Diagnostics))
			assert.Equal(t, s.path(p+"/tsconfig.json"), v.ConfigFile)
		}
	}
}
