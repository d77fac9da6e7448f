package shadow

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// Unreliable are the codes that an answer can wrongly contain, or lack, when
// build scripts and procedural macros do not run: names and files that they
// generate are unknown then, and so is what follows from them.
func Unreliable() []string {
	return []string{"E0277", "E0282", "E0405", "E0407", "E0412", "E0425", "E0432", "E0433", "E0437", "E0438", "E0583", "E0599"}
}

// codeOfOthers is which packages bring code that cargo check runs, and the
// manifests this was read from.
type codeOfOthers struct {
	inputs inputs
	graph  *graph
}

// graph is the resolved dependency graph of a workspace.
type graph struct {
	Packages []struct {
		ID           string `json:"id"`
		Name         string `json:"name"`
		ManifestPath string `json:"manifest_path"`
		Targets      []struct {
			Kind []string `json:"kind"`
		} `json:"targets"`
	} `json:"packages"`
	Resolve struct {
		Nodes []struct {
			ID   string `json:"id"`
			Deps []struct {
				Pkg   string `json:"pkg"`
				Kinds []struct {
					Kind string `json:"kind"`
				} `json:"dep_kinds"`
			} `json:"deps"`
		} `json:"nodes"`
	} `json:"resolve"`
}

// refuseCode is the error for a package whose check would run code.
func (c *Checker) refuseCode(ctx context.Context, s *shadow, p *project, pkg *cargoPackage, request Request) error {
	manifests := manifestsOf(filepath.Join(p.root, "Cargo.toml"), *p)
	lock := filepath.Join(p.root, "Cargo.lock")
	manifests.files[lock] = digestOf(lock)
	if s.code.graph == nil || hasManifest(request.Overlays) || !s.code.inputs.equal(manifests) {
		out, err := c.output(ctx, s.tree.mirror(p.root), "metadata", "--offline", "--format-version", "1", "--color", "never")
		if err != nil {
			return err
		}
		var g graph
		if err := json.Unmarshal(out, &g); err != nil {
			return &oracleproto.Error{
				Kind: oracleproto.KindCargoFailed, Detail: "cargo metadata printed no JSON: " + err.Error(),
				Recipe: "run `cargo metadata` in " + p.root,
			}
		}
		s.code = codeOfOthers{inputs: manifests, graph: &g}
	}
	names := s.code.graph.running(s.tree.mirror(pkg.dir), request.Tests)
	if len(names) == 0 {
		return nil
	}
	const most = 5
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return &oracleproto.Error{
		Kind: oracleproto.KindBuildScriptsOff,
		Detail: "cargo check would run build scripts or procedural macros of " + list +
			", which --no-build-scripts forbids; without them these codes are unreliable: " + strings.Join(Unreliable(), ", "),
		Recipe: `ask with depth "native", or start the server without --no-build-scripts`,
	}
}

// running are the names of the packages with code that a check of the package
// in a directory runs.
func (g *graph) running(dir string, tests bool) []string {
	var queue []string
	for _, pkg := range g.Packages {
		if strings.HasPrefix(pkg.ManifestPath, dir) && len(pkg.ManifestPath) == len(dir)+len("/Cargo.toml") {
			queue = append(queue, pkg.ID)
		}
	}
	roots := len(queue)
	for i := 0; i < len(queue); i++ {
		for _, node := range g.Resolve.Nodes {
			if node.ID != queue[i] {
				continue
			}
			for _, dep := range node.Deps {
				used := slices.ContainsFunc(dep.Kinds, func(k struct {
					Kind string `json:"kind"`
				},
				) bool {
					return k.Kind != "dev" || tests && i < roots
				})
				if used && !slices.Contains(queue, dep.Pkg) {
					queue = append(queue, dep.Pkg)
				}
			}
		}
	}
	var names []string
	for _, pkg := range g.Packages {
		runs := false
		for _, target := range pkg.Targets {
			runs = runs || slices.Contains(target.Kind, "custom-build") || slices.Contains(target.Kind, "proc-macro")
		}
		if runs && slices.Contains(queue, pkg.ID) {
			names = append(names, pkg.Name)
		}
	}
	return names
}
