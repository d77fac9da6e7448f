package typescript

// Extensions are the file name endings the TypeScript compiler takes, declaration
// files included.
func Extensions() []string {
	return []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"}
}
