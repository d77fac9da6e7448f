package acceptance_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const prefix = "vibevm.org/"

// The import table: which of our modules may import which, tests included.
var siblings = []struct {
	module  string
	imports []string
	reason  string
}{
	{"core", nil, "an MCP transport that knows a language could not carry another product"},
	{"tcgfamily", nil, "the tool family must be mountable on any server, so it cannot know ours"},
	{"workspace", nil, "project files are read without knowing who asks"},
	{"adapters", []string{"core", "tcgfamily", "workspace"}, "the only place where two modules meet"},
	{"apps", []string{"core", "tcgfamily", "workspace", "adapters"}, "wiring names everything it wires"},
	{"acceptance", nil, "a judge that imports the judged can only agree with it"},
}

// Where an import outside our modules may appear, test files excepted. An
// import with no row is refused, and so is a row that nothing needs any more.
var thirdParty = []struct {
	pkg     string // the import path or a parent of it
	allowed []string
	reason  string
}{
	{"golang.org/x/sys", []string{"core", "tcgfamily/child"}, "raw descriptors and process groups each have one audited home"},
	{"github.com/sourcegraph/jsonrpc2", []string{"adapters/lsp"}, "only language servers speak framed JSON-RPC; MCP has core's own loop"},
	{"go.uber.org/fx", []string{"apps"}, "a library that needs a wiring framework cannot be used without it"},
	{"github.com/BurntSushi/toml", nil, "the reference that the reader of project files is held to; it is too slow and knows no lines of keys"},
	{"os/exec", []string{"tcgfamily/child", "acceptance"}, "every child process needs the same supervision"},
	{"github.com/stretchr/testify", nil, "assertions belong to tests and to test-support packages"},
	{"go.uber.org/goleak", nil, "leak checks belong to tests and to test-support packages"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"acceptance/cmd"}, "a client to be judged by, a server to be measured against"},
	{"github.com/mark3labs/mcp-go", []string{"acceptance/cmd"}, "a client to be judged by, a server to be measured against"},
}

// goPackage is what `go list` says about a package.
type goPackage struct {
	ImportPath, Name, Dir              string
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

// listPackages runs `go list` over patterns for one operating system.
func listPackages(t *testing.T, system string, args ...string) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Name,Dir,Imports,TestImports,XTestImports,Deps"}, args...)...)
	cmd.Dir = repository(t)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64")
	output, err := cmd.Output()
	require.NoError(t, err, "go list %v: %s", args, stderrOf(err))
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p goPackage
		if err := decoder.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			require.NoError(t, err)
		}
		packages = append(packages, p)
	}
}

func modules() []string {
	var names []string
	for _, row := range siblings {
		names = append(names, row.module)
	}
	return names
}

// allPackages lists every package of the repository for one operating system.
func allPackages(t *testing.T, system string) []goPackage {
	t.Helper()
	var patterns []string
	for _, module := range modules() {
		patterns = append(patterns, "./"+module+"/...")
	}
	return listPackages(t, system, patterns...)
}

var systems = []string{"linux", "darwin", "windows"}

func TestOnlyAdaptersAndAppsImportAcrossModules(t *testing.T) {
	t.Parallel()
	for _, system := range systems {
		for _, p := range allPackages(t, system) {
			from, _, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, prefix), "/")
			row := slices.Index(modules(), from)
			require.NotEqual(t, -1, row, "%s is in no module of the import table", p.ImportPath)
			for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				rest, ours := strings.CutPrefix(imported, prefix)
				if !ours {
					continue
				}
				to, _, _ := strings.Cut(rest, "/")
				if to != from && !slices.Contains(siblings[row].imports, to) {
					t.Errorf("%s: %s imports %s, but %s may import %v: %s; move the meeting point into adapters/",
						system, p.ImportPath, imported, from, siblings[row].imports, siblings[row].reason)
				}
			}
		}
	}
}

func TestThirdPartyImportsHaveTheirHomes(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	var present []string
	for _, system := range systems {
		for _, p := range allPackages(t, system) {
			short := strings.TrimPrefix(p.ImportPath, prefix)
			present = append(present, short)
			check := func(imported string, test bool) {
				row := -1
				for i, r := range thirdParty {
					if imported == r.pkg || strings.HasPrefix(imported, r.pkg+"/") {
						row = i
					}
				}
				first, _, _ := strings.Cut(imported, "/")
				if row == -1 {
					if strings.Contains(first, ".") && !strings.HasPrefix(imported, prefix) {
						t.Errorf("%s: %s imports %s, which has no row in the third-party table", system, p.ImportPath, imported)
					}
					return
				}
				r := thirdParty[row]
				used[r.pkg] = true
				if test || strings.HasSuffix(path.Base(short), "test") {
					return
				}
				if !slices.ContainsFunc(r.allowed, func(home string) bool { return within(short, home) }) {
					t.Errorf("%s: %s imports %s, allowed in %v and tests: %s", system, p.ImportPath, imported, r.allowed, r.reason)
				}
			}
			for _, imported := range p.Imports {
				check(imported, false)
			}
			for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
				check(imported, true)
			}
		}
	}
	for _, row := range thirdParty {
		assert.True(t, used[row.pkg], "nothing imports %s any more: remove its row", row.pkg)
		for _, home := range row.allowed {
			assert.True(t, slices.ContainsFunc(present, func(p string) bool { return within(p, home) }),
				"%s may be imported in %s, which no longer exists: mend the row", row.pkg, home)
		}
	}
}

// within reports whether a package is home or below it.
func within(pkg, home string) bool { return pkg == home || strings.HasPrefix(pkg, home+"/") }

func TestTestSupportPackagesAreNamedSo(t *testing.T) {
	t.Parallel()
	for _, p := range allPackages(t, "linux") {
		for _, imported := range p.Imports {
			if imported == "testing" || strings.HasPrefix(imported, "github.com/stretchr/testify") {
				name := filepath.Base(p.ImportPath)
				assert.True(t, strings.HasSuffix(name, "test"), "%s imports %s: name it %stest", p.ImportPath, imported, name)
			}
		}
	}
}
