package shadow

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// project is a cargo workspace as `cargo metadata` describes it. Its paths
// are the user's.
type project struct {
	root     string
	target   string // the user's target directory
	packages []cargoPackage
	top      string // what has to be mirrored
	version  string // rustc's
	// toolchain is rustup's name of what compiles the project.
	toolchain string
}

// cargoPackage is a package whose sources are the user's.
type cargoPackage struct {
	name, version string
	dir           string
	targets       []cargoTarget
	needs         []string // directories of the packages it depends on by path
}

type cargoTarget struct {
	kind []string
	name string
	src  string
	test bool
}

func (t cargoTarget) is(kind string) bool { return slices.Contains(t.kind, kind) }

// isLib reports that the target is the package's library, of whatever type.
func (t cargoTarget) isLib() bool {
	return slices.ContainsFunc(t.kind, func(kind string) bool {
		switch kind {
		case "bin", "test", "bench", "example", "custom-build":
			return false
		}
		return true
	})
}

// describe asks cargo about the workspace of a manifest. dir is where cargo
// runs; real maps its paths to the user's.
func (c *Checker) describe(ctx context.Context, manifest string, real func(string) string) (project, error) {
	out, err := c.output(ctx, filepath.Dir(manifest), "metadata", "--no-deps", "--offline", "--format-version", "1", "--color", "never", "--manifest-path", manifest)
	if err != nil {
		return project{}, err
	}
	var metadata struct {
		Packages []struct {
			Name         string `json:"name"`
			Version      string `json:"version"`
			ManifestPath string `json:"manifest_path"`
			Dependencies []struct {
				Path string `json:"path"`
			} `json:"dependencies"`
			Targets []struct {
				Kind    []string `json:"kind"`
				Name    string   `json:"name"`
				SrcPath string   `json:"src_path"`
				Test    bool     `json:"test"`
			} `json:"targets"`
		} `json:"packages"`
		TargetDirectory string `json:"target_directory"`
		WorkspaceRoot   string `json:"workspace_root"`
	}
	if err := json.Unmarshal(out, &metadata); err != nil {
		return project{}, &oracleproto.Error{
			Kind: oracleproto.KindCargoFailed, Detail: "cargo metadata printed no JSON: " + err.Error(),
			Recipe: "run `cargo metadata --no-deps` in " + filepath.Dir(manifest),
		}
	}
	p := project{root: canonical(real(metadata.WorkspaceRoot)), target: real(metadata.TargetDirectory)}
	for _, m := range metadata.Packages {
		pkg := cargoPackage{name: m.Name, version: m.Version, dir: canonical(real(filepath.Dir(m.ManifestPath)))}
		for _, t := range m.Targets {
			pkg.targets = append(pkg.targets, cargoTarget{kind: t.Kind, name: t.Name, src: real(t.SrcPath), test: t.Test})
		}
		for _, d := range m.Dependencies {
			if d.Path != "" {
				pkg.needs = append(pkg.needs, canonical(real(d.Path)))
			}
		}
		p.packages = append(p.packages, pkg)
	}
	return p, nil
}

// canonical resolves links; a path that does not exist is returned as it is.
func canonical(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// known is a project with the manifests that describe it.
type known struct {
	project   project
	manifests inputs
}

// locate finds the workspace of a file on disk. Answers are kept for as long
// as no manifest changes.
func (c *Checker) locate(ctx context.Context, manifest string) (project, error) {
	if k, ok := c.projects[manifest]; ok && k.manifests.equal(manifestsOf(manifest, k.project)) {
		return k.project, nil
	}
	p, err := c.describe(ctx, manifest, func(path string) string { return path })
	if err != nil {
		return project{}, err
	}
	c.addOutside(ctx, &p)
	p.top = p.mirrored(c.options.Root)
	p.version = c.rustcVersion(ctx, p.root)
	p.toolchain = c.toolchain(ctx, p.root)
	if c.projects == nil {
		c.projects = map[string]known{}
	}
	c.projects[manifest] = known{project: p, manifests: manifestsOf(manifest, p)}
	return p, nil
}

// addOutside adds the packages outside of the workspace that it depends on by
// path. One that cannot be read is for cargo check to complain about.
func (c *Checker) addOutside(ctx context.Context, p *project) {
	asked := map[string]bool{}
	for i := 0; i < len(p.packages); i++ {
		for _, dir := range p.packages[i].needs {
			if asked[dir] || p.packageIn(dir) != nil {
				continue
			}
			asked[dir] = true
			outside, err := c.describe(ctx, filepath.Join(dir, "Cargo.toml"), func(path string) string { return path })
			if err != nil {
				continue
			}
			if pkg := outside.packageIn(dir); pkg != nil {
				p.packages = append(p.packages, *pkg)
			}
		}
	}
}

// manifestsOf is the state of all that decides how a project looks.
func manifestsOf(manifest string, p project) inputs {
	in := newInputs()
	add := func(path string) { in.files[path] = digestOf(path) }
	for _, pkg := range p.packages {
		add(filepath.Join(pkg.dir, "Cargo.toml"))
	}
	add(filepath.Join(rustupHome(), "settings.toml")) // overrides of directories
	// A workspace can appear around the package.
	for dir := filepath.Dir(manifest); ; dir = filepath.Dir(dir) {
		for _, name := range []string{"Cargo.toml", "rust-toolchain.toml", "rust-toolchain", ".cargo/config.toml", ".cargo/config"} {
			add(filepath.Join(dir, filepath.FromSlash(name)))
		}
		if dir == filepath.Dir(dir) {
			return in
		}
	}
}

// packageIn is the package in a directory.
func (p *project) packageIn(dir string) *cargoPackage {
	for i := range p.packages {
		if p.packages[i].dir == dir {
			return &p.packages[i]
		}
	}
	return nil
}

// owner is the package whose directory a file lies in most closely.
func (p *project) owner(file string) *cargoPackage {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if pkg := p.packageIn(dir); pkg != nil {
			return pkg
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// closure are the packages of the user that a package is built from.
func (p *project) closure(pkg *cargoPackage) []*cargoPackage {
	found := []*cargoPackage{pkg}
	for i := 0; i < len(found); i++ {
		for _, dir := range found[i].needs {
			if needed := p.packageIn(dir); needed != nil && !slices.Contains(found, needed) {
				found = append(found, needed)
			}
		}
	}
	return found
}

// mirrored is the directory that must be mirrored for a package to find its
// surroundings: its workspace, the packages it needs, and what else is in the
// checkout and in the project's root, which `include_str!` and build scripts
// reach with `..`.
func (p *project) mirrored(root string) string {
	top := p.root
	if _, inside := within(root, top); inside {
		top = root
	}
	if checkout := checkoutOf(p.root); checkout != "" {
		top = commonDir(top, checkout)
	}
	for _, pkg := range p.packages {
		top = commonDir(top, pkg.dir)
	}
	return top
}

// checkoutOf is the closest directory at or above dir under version control.
func checkoutOf(dir string) string {
	for {
		for _, name := range []string{".git", ".hg", ".jj", ".svn"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

func commonDir(a, b string) string {
	for {
		if _, ok := within(a, b); ok {
			return a
		}
		if a == filepath.Dir(a) {
			return a // another volume
		}
		a = filepath.Dir(a)
	}
}

// manifestOf is the manifest closest to a file, hypothetical ones included.
func manifestOf(file string, overlays map[string]string) (string, error) {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		manifest := filepath.Join(dir, "Cargo.toml")
		if _, ok := overlays[manifest]; ok {
			return manifest, nil
		}
		if info, err := os.Stat(manifest); err == nil && info.Mode().IsRegular() {
			return manifest, nil
		}
		if dir == filepath.Dir(dir) {
			return "", &oracleproto.Error{
				Kind:   oracleproto.KindManifestMissing,
				Detail: "no Cargo.toml at or above " + file,
				Recipe: "run `cargo init` in " + filepath.Dir(file) + ", or name a file of a cargo package",
			}
		}
	}
}

var workspaceTable = regexp.MustCompile(`(?m)^\s*\[\s*workspace\s*[.\]]`)

// guessRoot is the root of a manifest's workspace, read from the manifests
// alone: cargo cannot be asked on disk when they are hypothetical.
func guessRoot(manifest string, overlays map[string]string) string {
	for dir := filepath.Dir(manifest); ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "Cargo.toml")
		text, ok := overlays[path]
		if !ok {
			onDisk, _ := os.ReadFile(path)
			text = string(onDisk)
		}
		if workspaceTable.MatchString(text) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(manifest)
		}
	}
}

// hasManifest reports that some text stands for a manifest.
func hasManifest(overlays map[string]string) bool {
	for path := range overlays {
		if strings.EqualFold(filepath.Base(path), "Cargo.toml") {
			return true
		}
	}
	return false
}
