package shadow

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// unlinkedAdvice says how a file gets into a crate.
func unlinkedAdvice(request Request, pkg *cargoPackage) string {
	name := strings.TrimSuffix(filepath.Base(request.File), ".rs")
	dir := filepath.Dir(request.File)
	if name == "mod" {
		name, dir = filepath.Base(dir), filepath.Dir(dir)
	}
	candidates := []string{filepath.Join(dir, "mod.rs"), dir + ".rs", filepath.Join(dir, "lib.rs"), filepath.Join(dir, "main.rs")}
	for _, parent := range candidates {
		text, known := request.Overlays[parent]
		if !known {
			onDisk, err := os.ReadFile(parent)
			if err != nil {
				continue
			}
			text = string(onDisk)
		}
		if strings.Contains(text, "mod "+name+";") {
			return fmt.Sprintf("no crate of package %s was compiled with this file, although %s has `mod %s;`: a cfg attribute or a feature leaves it out", pkg.name, parent, name)
		}
		return fmt.Sprintf("no crate of package %s contains this file: add `mod %s;` to %s", pkg.name, name, parent)
	}
	return fmt.Sprintf("no crate of package %s contains this file: no `mod` item leads to it", pkg.name)
}
