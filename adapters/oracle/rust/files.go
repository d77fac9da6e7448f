package rust

import (
	"os"
	"path/filepath"
	"slices"

	"vibevm.org/adapters/oracle"
)

// Extensions are the file name endings of Rust sources.
func Extensions() []string { return []string{".rs"} }

// ProjectFiles are the names of files that decide how a project is read.
func ProjectFiles() []string {
	return []string{"Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "rust-toolchain", "config.toml"}
}

// sources leaves out the changes to what cargo and others build: none of it is
// the user's.
func sources(changes []oracle.Change) []oracle.Change {
	built := map[string]bool{} // by directory
	return slices.DeleteFunc(slices.Clone(changes), func(c oracle.Change) bool {
		return c.Kind != oracle.OverlaySet && c.Kind != oracle.OverlayClear && c.Kind != oracle.DiskLost && isBuilt(built, filepath.Dir(c.Path))
	})
}

// isBuilt reports a directory that lies in one tagged as a cache, as cargo tags
// its target directories (Cache Directory Tagging Specification).
func isBuilt(known map[string]bool, dir string) bool {
	if is, ok := known[dir]; ok {
		return is
	}
	_, err := os.Lstat(filepath.Join(dir, "CACHEDIR.TAG"))
	is := err == nil || dir != filepath.Dir(dir) && isBuilt(known, filepath.Dir(dir))
	known[dir] = is
	return is
}
