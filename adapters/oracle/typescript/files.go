package typescript

import "vibevm.org/adapters/oracle/typescript/native"

// Extensions are the file name endings the TypeScript compilers take.
func Extensions() []string { return native.Extensions() }

// ProjectFiles are the names of files that make a directory a project or a
// workspace.
func ProjectFiles() []string { return []string{"package.json", "tsconfig.json", "jsconfig.json"} }
