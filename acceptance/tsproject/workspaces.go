package tsproject

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// LinkWorkspaces links the packages of packages/ into node_modules, as package
// managers do for workspaces.
func (p *Project) LinkWorkspaces() error {
	manifests, err := filepath.Glob(p.Path("packages/*/package.json"))
	if err != nil {
		return err
	}
	for _, manifest := range manifests {
		text, err := os.ReadFile(manifest)
		if err != nil {
			return err
		}
		var pkg struct{ Name string }
		if err := json.Unmarshal(text, &pkg); err != nil {
			return fmt.Errorf("%s: %w", manifest, err)
		}
		link := p.Path("node_modules/" + pkg.Name)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		target, err := filepath.Rel(filepath.Dir(link), filepath.Dir(manifest))
		if err != nil {
			return err
		}
		if err := os.Symlink(target, link); err != nil {
			return err
		}
	}
	return nil
}
