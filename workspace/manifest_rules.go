package workspace

import (
	"fmt"
	"strings"

	"vibevm.org/workspace/internal/tomltree"
)

// packageTables are the tables that only a package may have.
var packageTables = []string{
	"boot_snippet", "provides", "requires_any", "obsoletes", "conflicts", "recommends", "suggests", "skill",
	"binary", "mcp_server", "hooks", "compatibility", "features", "target",
}

// checkRules checks what goes beyond single values: the role of the manifest,
// and what a package of kind mcp promises.
func (d *decoder) checkRules(m *Manifest, tree *tomltree.Node) {
	if m.Project != nil && m.Package != nil {
		d.failAt(tree.Get("package"), "[package]", "stands beside [project]; a tree is one or the other")
	}
	if m.Project == nil && m.Package == nil && m.Workspace == nil {
		d.problems = append(d.problems, problem{1, "the file has none of [project], [package] and [workspace]"})
	}
	if m.Package == nil {
		for _, table := range packageTables {
			if n := tree.Get(table); n != nil {
				d.failAt(n, "["+table+"]", "belongs to a package, but there is no [package]")
			}
		}
		return
	}
	declared := map[string]int{}
	for i, n := range items(tree, "binary") {
		name := string(m.Binaries[i].Name)
		if before := declared[name]; before != 0 {
			d.failAt(n, fmt.Sprintf("binary[%d]", i), "is named %s like the one on line %d", quoted(name), before)
		}
		declared[name] = n.Line
	}
	d.checkServers(m, tree, declared)
}

func (d *decoder) checkServers(m *Manifest, tree *tomltree.Node, declared map[string]int) {
	servers := items(tree, "mcp_server")
	if m.Package.Kind != "mcp" {
		for i, n := range servers {
			d.failAt(n, fmt.Sprintf("mcp_server[%d]", i), "belongs to a package of kind mcp, but this one is a %s", m.Package.Kind)
		}
		return
	}
	if len(servers) == 0 {
		d.failAt(tree.Get("package").Get("kind"), "package.kind", "is mcp, but there is no [[mcp_server]]")
	}
	names := map[Text]int{}
	for i, n := range servers {
		path, server := fmt.Sprintf("mcp_server[%d]", i), m.MCPServers[i]
		if before := names[server.Name]; before != 0 {
			d.failAt(n, path, "is named %s like the one on line %d", quoted(string(server.Name)), before)
		}
		names[server.Name] = n.Line
		if declared[server.Binary] == 0 {
			d.failAt(n.Get("binary"), path+".binary", "is %s, which no [[binary]] of this file declares", quoted(server.Binary))
		}
		for j, arg := range server.Args {
			if token := unknownToken(arg); token != "" {
				d.failAt(n.Get("args").Items[j], fmt.Sprintf("%s.args[%d]", path, j), "holds %s, but {project_root} is the only token", quoted(token))
			}
		}
	}
	requires := tree.Get("requires")
	if requires == nil {
		return
	}
	packages := requires.Get("packages")
	for key, dependency := range m.Requires.Packages {
		if dependency.Path == "" && dependency.Git == "" && !dependency.Version.exact() {
			d.failAt(packages.Get(string(key)), join("requires.packages", string(key)), "has to be an exact version like =1.2.3 in a package of kind mcp")
		}
	}
}

// unknownToken is a {word} of an argument that stands for nothing, or "".
func unknownToken(arg string) string {
	for {
		_, rest, opened := strings.Cut(arg, "{")
		word, _, ended := strings.Cut(rest, "}")
		if !opened || !ended {
			return ""
		}
		if word != "" && word != "project_root" && strings.Trim(word, lower+upper+digit+"_") == "" {
			return "{" + word + "}"
		}
		arg = rest
	}
}

// items are the tables of an array of tables, none when the key is absent.
func items(tree *tomltree.Node, key string) []*tomltree.Node {
	if n := tree.Get(key); n != nil {
		return n.Items
	}
	return nil
}
