package typescript

import (
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/adapters/oracle/disk"
	"vibevm.org/adapters/oracle/typescript/native"
)

// Extensions are the file name endings the TypeScript compilers take.
func Extensions() []string { return native.Extensions() }

// ProjectFiles are the names of files that make a directory a project or a
// workspace.
func ProjectFiles() []string { return []string{"package.json", "tsconfig.json", "jsconfig.json"} }

// Packages says how npm, yarn, pnpm and bun install packages. Of JavaScript in
// them compilers read no more than whether it is there.
func Packages() disk.Packages {
	return disk.Packages{
		Dir:     "node_modules",
		Markers: []string{".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"},
		Skip:    []string{".bin", ".cache", ".vite", ".vite-temp"},
		Relevant: func(name string) bool {
			return slices.Contains([]string{".ts", ".tsx", ".mts", ".cts", ".json"}, strings.ToLower(filepath.Ext(name)))
		},
	}
}
