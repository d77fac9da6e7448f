package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace"
)

func TestManifestsOfAllRolesAreRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/manifests/*.toml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, err = workspace.ParseManifest(file, string(text))
		assert.NoError(t, err)
	}
}

func TestEveryTableOfAManifestIsKept(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/manifests/every-table.toml")
	require.NoError(t, err)
	m, err := workspace.ParseManifest("vibe.toml", string(text))
	require.NoError(t, err)

	assert.Equal(t, &workspace.PackageTable{
		Name: "harbor-mcp", Group: "com.acme.harbor", Kind: "mcp", Version: "2.1.0-rc.1+build.7", Epoch: 2, Frozen: true,
		Authors: []string{"A. Author"}, License: "UPL-1.0", Description: "a server", Homepage: "https://example.com",
		Keywords: []string{"harbor"}, Describes: "pkg:cargo/harbor", Publish: workspace.Publish{Registries: []string{"acme"}},
		Materialization: "hardlink", Bridge: true, Format: "normal",
	}, m.Package)
	assert.Equal(t, &workspace.Origin{Upstream: "https://example.com/harbor", Path: "packages/harbor", Commit: "0123abc", GeneratedBy: "vibe", GeneratedAt: "2026-11-30"}, m.Origin)
	assert.Equal(t, &workspace.MembersTable{Members: []string{"parts/*"}, Versions: map[string]workspace.Constraint{"core": "=1.0.0"}}, m.Workspace)
	assert.Equal(t, workspace.Requires{
		Packages: map[workspace.PackageKey]workspace.Dependency{
			"flow:org.vibevm.world/wal":  {Version: "=1.0.0", Link: "static-hard"},
			"com.acme.harbor/core":       {Git: "https://example.com/core.git", Tag: "v1", Version: "^1", Auth: "token-env", TokenEnv: "TOKEN"},
			"lang:com.acme.harbor/local": {Path: "../local"},
			"tool:com.acme.harbor/exact": {Version: "= 1.2.3"},
		},
		Capabilities: []workspace.Capability{"interface:build-system@^1.0"},
	}, m.Requires)
	assert.Equal(t, []workspace.RequiresAny{{OneOf: []workspace.PackageRef{"stack:org.vibevm/a", "b@^1"}}}, m.RequiresAny)
	assert.Equal(t, workspace.Capabilities{Capabilities: []workspace.Capability{"capability:mooring"}}, m.Provides)
	assert.Equal(t, []workspace.PackageRef{"com.acme/old"}, m.Obsoletes.Packages)
	assert.Equal(t, []workspace.PackageRef{"com.acme/rival@<2"}, m.Conflicts.Packages)
	assert.Equal(t, []workspace.PackageRef{"flow:com.acme/notes"}, m.Recommends.Packages)
	assert.Equal(t, []workspace.PackageRef{"com.acme/extra"}, m.Suggests.Packages)
	assert.Equal(t, []workspace.BinaryTable{{Name: "harbor-mcp", Crate: "crates/harbor-mcp", Description: "serves"}, {Name: "harbor", Crate: "."}}, m.Binaries)
	assert.Equal(t, []workspace.MCPServerTable{{Name: "harbor", Binary: "harbor-mcp", Args: []string{"--path", "{project_root}/src", "{}"}}}, m.MCPServers)
	assert.Equal(t, []workspace.SkillTable{{Name: "mooring", Path: "skills/mooring", Description: "moor", Agents: []string{"claude"}, Include: []string{"*.md"}}}, m.Skills)
	assert.Equal(t, workspace.Hooks{PreInstall: "hooks/pre", PostInstall: "hooks/post"}, m.Hooks)
	assert.Equal(t, &workspace.BootSnippet{Source: "spec/boot/10-harbor.md", Category: "tool", Link: "dynamic", When: "os:linux"}, m.BootSnippet)
	assert.Equal(t, workspace.Compatibility{MinVibeVersion: "0.1.0", RequiresKinds: []workspace.Kind{"lang"}}, m.Compatibility)
	assert.Equal(t, workspace.Features{
		Features:  map[string][]string{"default": {"tides"}, "tides": {}},
		Exclusive: map[string][]string{"depth": {"shallow", "deep"}},
	}, m.Features)
	assert.Equal(t, workspace.Dependency{Version: "^0.1"}, m.Targets["context(stack:rust)"].Dependencies.Packages["org.vibevm/tides"])
	assert.Equal(t, &workspace.Active{Stack: "harbor"}, m.Active)
	assert.Equal(t, &workspace.LLM{DefaultProvider: "p", DefaultModel: "m", APIKeyEnv: "KEY"}, m.LLM)
	no := false
	assert.Equal(t, []workspace.Registry{{Name: "acme", URL: "https://example.com/r", Ref: "main", Naming: "kind/name", Auth: "ssh", TokenEnv: "T", Enabled: &no, IndexURL: "https://example.com/i"}}, m.Registries)
	assert.Equal(t, []workspace.Mirror{{Of: "acme", URL: "https://example.com/m", Priority: -1}}, m.Mirrors)
	assert.Equal(t, []workspace.Override{{Package: "com.acme/core", SourceURL: "file:///opt/core", Ref: "dev", Reason: "trial"}}, m.Overrides)
	assert.Equal(t, workspace.I18n{Canonical: "en", Available: []string{"en", "ru"}, Fallback: []string{"en"}, Preferred: "ru"}, m.I18n)
	assert.Equal(t, workspace.Boot{DefaultLink: "static"}, m.Boot)
}

func TestRequirementsAreTheSameInlineAndAsATable(t *testing.T) {
	t.Parallel()
	project := "[project]\nname = \"shop\"\nversion = \"next\"\n"
	for _, text := range []string{
		project + "[requires.packages]\n\"stack:org.vibevm/x\" = \"^1\"\n",
		project + "[requires]\npackages = { \"stack:org.vibevm/x\" = \"^1\" }\n",
		"requires.packages.\"stack:org.vibevm/x\" = \"^1\"\n" + project,
		project + "[requires.packages]\n\"stack:org.vibevm/x\" = { version = \"^1\" }\n",
	} {
		m, err := workspace.ParseManifest("vibe.toml", text)
		require.NoError(t, err)
		assert.Equal(t, workspace.Requires{Packages: map[workspace.PackageKey]workspace.Dependency{"stack:org.vibevm/x": {Version: "^1"}}}, m.Requires)
	}
	m, err := workspace.ParseManifest("vibe.toml", project+"[requires.packages]\n\"org.vibevm/x\" = { version = { var = \"core\" } }\n\"org.vibevm/y\" = { version.var = \"core\" }")
	require.NoError(t, err)
	for _, dependency := range m.Requires.Packages {
		assert.Equal(t, workspace.Dependency{VersionVar: "core"}, dependency)
	}
}

// pkg is the head of a package's manifest, seven lines.
const pkg = "[package]\nname = \"x\"\ngroup = \"com.acme\"\nkind = \"tool\"\nversion = \"1.0.0\"\n\n\n"

const mcp = "[package]\nname = \"x\"\ngroup = \"com.acme\"\nkind = \"mcp\"\nversion = \"1.0.0\"\n\n\n"

func TestAManifestIsRefusedWithItsLine(t *testing.T) {
	t.Parallel()
	project := "[project]\nname = \"shop\"\nversion = \"1\"\n"
	for text, want := range map[string]string{
		"":                      `vibe.toml:1: the file has none of [project], [package] and [workspace]`,
		"[requires.packages]\n": `vibe.toml:1: the file has none of [project], [package] and [workspace]`,
		"[project]\nname = \"a\"\nversion = \"1\"\n" + pkg:      `vibe.toml:4: [package] stands beside [project]; a tree is one or the other`,
		project + "\n[[binary]]\nname = \"a\"\ncrate = \".\"\n": `vibe.toml:5: [binary] belongs to a package, but there is no [package]`,
		"[workspace]\n[hooks]\n":                                `vibe.toml:2: [hooks] belongs to a package, but there is no [package]`,
		"[project]\nversion = \"1\"\n":                          `vibe.toml:1: project has no name`,
		"[project]\nname = \"\"\nversion = \"1\"\n":             `vibe.toml:2: project.name is empty`,
		"[project]\nname = 5\nversion = \"1\"\n":                `vibe.toml:2: project.name is an integer where a string belongs`,
		"project = 5":                                           `vibe.toml:1: project is an integer where a table belongs`,
		"[[project]]\nname = \"a\"":                             `vibe.toml:1: project is an array where a table belongs`,
		"[project\n":                                            `vibe.toml:1: the end of the line in the header of a table`,

		project + "[require.packages]\n":       `vibe.toml:4: "require" is no key of the file's top level; did you mean requires?`,
		project + "auhtors = []\n":             `vibe.toml:4: "auhtors" is no key of project; did you mean authors?`,
		project + "Authors = []\n":             `vibe.toml:4: "Authors" is no key of project; did you mean authors?`,
		project + "colour = \"red\"\n":         `vibe.toml:4: "colour" is no key of project; it takes name, group, version, spec_format, authors`,
		pkg + "[hooks]\npre_install = \"x\"\n": `vibe.toml:9: "pre_install" is no key of hooks; did you mean pre-install?`,
		project + "\nx = 1\n[boot]\ny = 1\n":   `vibe.toml:5: "x" is no key of project; it takes name, group, version, spec_format, authors (and 1 more)`,
		project + "[target.x]\n":               `vibe.toml:4: [target] belongs to a package, but there is no [package]`,
		pkg + "[target.x.dependency]\n":        `vibe.toml:8: "dependency" is no key of target.x; it takes dependencies`,
		pkg + "[[binary]]\nname = \"a\"\ncrate = \".\"\n[[binary]]\nname = \"b\"\ncrat = \".\"\n":  `vibe.toml:11: binary[1] has no crate (and 1 more)`,
		pkg + "[[binary]]\nname = \"a\"\ncrate = \".\"\n[[binary]]\nname = \"a\"\ncrate = \".\"\n": `vibe.toml:11: binary[1] is named "a" like the one on line 8`,

		pkg + "[[binary]]\nname = \"a\"\ncrate = \"../up\"\n":      `vibe.toml:10: binary[0].crate "../up" leads out of the package; write a relative path with forward slashes`,
		pkg + "[[binary]]\nname = \"a\"\ncrate = \"a/../../b\"\n":  `vibe.toml:10: binary[0].crate "a/../../b" leads out of the package; write a relative path with forward slashes`,
		pkg + "[[binary]]\nname = \"a\"\ncrate = \"/abs\"\n":       `vibe.toml:10: binary[0].crate "/abs" leads out of the package; write a relative path with forward slashes`,
		pkg + "[[binary]]\nname = \"a\"\ncrate = 'C:\\x'\n":        `vibe.toml:10: binary[0].crate "C:\\x" leads out of the package; write a relative path with forward slashes`,
		pkg + "[[binary]]\nname = \"../sh\"\ncrate = \".\"\n":      `vibe.toml:9: binary[0].name "../sh" is no name of an executable; write letters, digits, - and _`,
		pkg + "[[binary]]\nname = \"--help\"\ncrate = \".\"\n":     `vibe.toml:9: binary[0].name "--help" is no name of an executable; write letters, digits, - and _`,
		strings.Replace(pkg, "com.acme", "com_acme", 1):            `vibe.toml:3: package.group "com_acme" is no group; write dot-separated labels of a-z, 0-9 and -`,
		strings.Replace(pkg, "com.acme", "com.-acme", 1):           `vibe.toml:3: package.group "com.-acme" is no group; write dot-separated labels of a-z, 0-9 and -`,
		strings.Replace(pkg, "com.acme", "com..acme", 1):           `vibe.toml:3: package.group "com..acme" is no group; write dot-separated labels of a-z, 0-9 and -`,
		strings.Replace(pkg, `"x"`, `"Some_Name"`, 1):              `vibe.toml:2: package.name "Some_Name" is no package name; write it in kebab-case`,
		strings.Replace(pkg, "tool", "tools", 1):                   `vibe.toml:4: package.kind is "tools", but has to be one of flow, feat, stack, tool, mcp, lang; did you mean tool?`,
		strings.Replace(pkg, "1.0.0", "1.0", 1):                    `vibe.toml:5: package.version "1.0" is no semantic version; write it like 1.2.3`,
		pkg[:len(pkg)-1] + "materialization = \"snapshot\"\n":      `vibe.toml:7: package.materialization is "snapshot", which is now called copy`,
		pkg[:len(pkg)-1] + "publish = \"no\"\n":                    `vibe.toml:7: package.publish is a string where true, false or a list of registries belongs`,
		pkg[:len(pkg)-1] + "describes = \"serde\"\n":               `vibe.toml:7: package.describes "serde" is no package URL; write it like pkg:cargo/serde`,
		project + "spec_format = \"X M L\"":                        `vibe.toml:4: project.spec_format "X M L" is no format; write a word such as mixed or xml`,
		pkg + "[boot_snippet]\nsource = \"a\"\nwhen = \"linux\"\n": `vibe.toml:10: boot_snippet.when is "linux", but has to be one of os:windows, os:macos, os:linux`,

		project + "[requires.packages]\n\"vibe/core/x\" = \"^1\"\n":                              `vibe.toml:5: requires.packages."vibe/core/x" is no package; write it like "flow:org.vibevm.world/wal" and the version as its value`,
		project + "[requires.packages]\nwal = \"^1\"\n":                                          `vibe.toml:5: requires.packages.wal is no package; write it like "flow:org.vibevm.world/wal" and the version as its value`,
		project + "[requires.packages]\n\"a.b/c@1\" = \"^1\"\n":                                  `vibe.toml:5: requires.packages."a.b/c@1" is no package; write it like "flow:org.vibevm.world/wal" and the version as its value`,
		project + "[requires.packages]\n\"a.b/c\" = \"newest\"\n":                                `vibe.toml:5: requires.packages."a.b/c" "newest" is no version constraint; write it like ^1.2.3, =1.2.3 or >=1.2, <2`,
		project + "[requires.packages]\n\"a.b/c\" = 1\n":                                         `vibe.toml:5: requires.packages."a.b/c" is an integer where a version constraint or a table belongs`,
		project + "[requires.packages]\n\"a.b/c\" = {}\n":                                        `vibe.toml:5: requires.packages."a.b/c" has none of version, path and git`,
		project + "[requires.packages]\n\"a.b/c\" = { git = \"u\" }\n":                           `vibe.toml:5: requires.packages."a.b/c" needs exactly one of tag, branch and rev beside git`,
		project + "[requires.packages]\n\"a.b/c\" = { git = \"u\", tag = \"a\", rev = \"b\" }\n": `vibe.toml:5: requires.packages."a.b/c" needs exactly one of tag, branch and rev beside git`,
		project + "[requires.packages]\n\"a.b/c\" = { version = \"1\", tag = \"a\" }\n":          `vibe.toml:5: requires.packages."a.b/c" has a tag, branch or rev without git`,
		project + "[requires.packages]\n\"a.b/c\" = { version = \"1\", link = \"dyn\" }\n":       `vibe.toml:5: requires.packages."a.b/c".link is "dyn", but has to be one of dynamic, static, static-transitive, static-hard`,

		mcp: `vibe.toml:4: package.kind is mcp, but there is no [[mcp_server]]`,
		pkg + "[[mcp_server]]\nname = \"a\"\nbinary = \"b\"\n": `vibe.toml:8: mcp_server[0] belongs to a package of kind mcp, but this one is a tool`,
		mcp + "[[mcp_server]]\nname = \"a\"\nbinary = \"b\"\n": `vibe.toml:10: mcp_server[0].binary is "b", which no [[binary]] of this file declares`,
		mcp + "[[binary]]\nname = \"b\"\ncrate = \".\"\n[[mcp_server]]\nname = \"a\"\nbinary = \"b\"\n[[mcp_server]]\nname = \"a\"\nbinary = \"b\"\n": `vibe.toml:14: mcp_server[1] is named "a" like the one on line 11`,
		mcp + "[[binary]]\nname = \"b\"\ncrate = \".\"\n[[mcp_server]]\nname = \"a\"\nbinary = \"b\"\nargs = [\n\"{project_root}\",\n\"{home}\"]\n":   `vibe.toml:16: mcp_server[0].args[1] holds "{home}", but {project_root} is the only token`,
		mcp + "[[binary]]\nname = \"b\"\ncrate = \".\"\n[[mcp_server]]\nname = \"a\"\nbinary = \"b\"\n[requires.packages]\n\"a.b/c\" = \"^1.0.0\"\n":  `vibe.toml:15: requires.packages."a.b/c" has to be an exact version like =1.2.3 in a package of kind mcp`,
	} {
		_, err := workspace.ParseManifest("vibe.toml", text)
		invalid := requireError(t, err, workspace.CodeManifestInvalid)
		assert.Equal(t, want, invalid.Error(), "%s", text)
	}
}

// requireError checks the code of an error and that it has a fix.
func requireError(t *testing.T, err error, code workspace.Code) *workspace.Error {
	t.Helper()
	var failure *workspace.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, code, failure.Code, "%v", err)
	require.NotEmpty(t, failure.Detail)
	require.NotEmpty(t, failure.Fix(), "%v", err)
	return failure
}

func TestWhatIsQuotedOfAFileIsBounded(t *testing.T) {
	t.Parallel()
	_, err := workspace.ParseManifest("vibe.toml", "[project]\n\""+strings.Repeat("x", 100_000)+"\" = 1")
	assert.Less(t, len(err.Error()), 1000)
}
