package tcgfamily

import "strings"

// Language is one of the served languages, spelled as the `language` argument
// spells it.
type Language string

// The supported set (PROP-026 §2 p08).
const (
	TypeScript Language = "typescript"
	Rust       Language = "rust"
)

// languageInfo is the per-language row that refusals draw on, so that each
// names its own language's fix (PROP-026 §4 p15).
type languageInfo struct {
	name     string // as people write it
	compiler string // programs whose answers these are
	binary   string // oracle binary
	server   string // standalone MCP server
	requires string // line for [requires.packages] in vibe.toml
	sample   sample // for examples in refusals
}

// sample is a tiny file of a language with a place of interest on its first
// line.
type sample struct {
	file, content string
	character     int
}

var languages = map[Language]languageInfo{
	TypeScript: {
		name:     "TypeScript",
		compiler: "tsc",
		binary:   "typescript-ai-native-tcg",
		server:   "typescript-ai-native-mcp",
		requires: `"stack:org.vibevm.ai-native/typescript-ai-native" = "^1.0.0"`,
		sample:   sample{file: "src/cart.ts", content: "export const total = 1;", character: 13},
	},
	Rust: {
		name:     "Rust",
		compiler: "rust-analyzer, rustc",
		binary:   "rust-ai-native-tcg",
		server:   "rust-ai-native-mcp",
		requires: `"stack:org.vibevm.ai-native/rust-ai-native" = "^1.0.0"`,
		sample:   sample{file: "src/cart.rs", content: "pub const TOTAL: u32 = 1;", character: 10},
	},
}

// Languages lists the supported set in the order it is shown.
func Languages() []Language { return []Language{TypeScript, Rust} }

// Known reports whether l is in the supported set.
func (l Language) Known() bool { _, ok := languages[l]; return ok }

// Binary is the name of the language's oracle executable.
func (l Language) Binary() string { return languages[l].binary }

// Server is the name of the language's standalone MCP server.
func (l Language) Server() string { return languages[l].server }

// RequiresLine is the [requires.packages] line that installs the language's
// stack in a vibe project.
func (l Language) RequiresLine() string { return languages[l].requires }

// supportedSet renders the supported languages for a sentence.
func supportedSet() string {
	var names []string
	for _, l := range Languages() {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}
