package tcgfamily

import "context"

// TcgHost is all the family knows about the server it is mounted on: which
// project is served and what may be built without asking (PROP-026 §3).
type TcgHost interface {
	// ProjectRoot is the absolute path of the served project's root, as the
	// user gave it; it need not exist.
	ProjectRoot() string
	// MayBuild says whether an oracle of this package group may be built with
	// no human present (PROP-026 §5). A server never prompts, so false means
	// the call is refused with the recipe for a terminal.
	MayBuild(group string) bool
}

// OracleBinaries finds the oracle executables (PROP-026 §4). The product
// resolves them through the project's lockfile, a standalone server is its own
// oracle.
type OracleBinaries interface {
	// Find resolves the oracle of a language for the project, reading current
	// state on every call. Failures are *ToolError with a recipe.
	Find(ctx context.Context, language Language) (Artifact, error)
	// Build makes an absent artifact. It is called only when the host's
	// consent policy allowed the artifact's group.
	Build(ctx context.Context, artifact Artifact) error
}

// Artifact is an oracle executable, present or yet to be built.
type Artifact struct {
	// Name is the binary's name, such as "typescript-ai-native-tcg".
	Name string
	// Path is the absolute path of the executable.
	Path string
	// Args come before "serve --root DIR" on the command line.
	Args []string
	// Flags come after it.
	Flags []string
	// Present is false when the artifact has to be built first.
	Present bool
	// Group and Package name the package that ships the binary; empty for a
	// server that is its own oracle.
	Group, Package string
}
