package native

import (
	"path/filepath"
	"slices"
	"strings"
)

// Extensions are the file name endings the TypeScript compiler takes, declaration
// files included.
func Extensions() []string {
	return []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"}
}

// isRead reports a path that the compiler reads as a file of its own.
func isRead(path string) bool {
	return slices.Contains(Extensions(), strings.ToLower(filepath.Ext(path)))
}
