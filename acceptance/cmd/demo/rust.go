package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"vibevm.org/acceptance/rsproject"
	"vibevm.org/acceptance/tsproject"
)

const quoteFile = "crates/checkout/src/quote.rs"

var rust = half{
	language: "Rust",
	server:   "rust-ai-native-mcp",
	tool:     "cargo check",
	file:     quoteFile,
	prepare:  prepareRust,
	built:    "target",
	environment: func() []string {
		env := os.Environ()
		if analyzer, err := rsproject.Analyzer(); err == nil {
			env = append(env, "PATH="+filepath.Dir(analyzer)+string(os.PathListSeparator)+os.Getenv("PATH"))
		}
		return env
	},
	measure: func(ctx context.Context, project *tsproject.Project, content string) error {
		if err := project.Write(quoteFile, content); err != nil {
			return err
		}
		_, err := rsproject.Check(ctx, project.Dir)
		return err
	},
	steps: []step{
		{
			title: "A function more, with a wrong type: would it compile?", tool: "tcg_validate",
			text: laterMistyped, show: laterMistyped, judged: true,
		},
		{
			title: "The type is right, but the cart was given away", tool: "tcg_validate",
			text: laterMoved, show: laterMoved, judged: true,
		},
		{
			title: "Counted before it is given away", tool: "tcg_validate",
			text: later, show: later, judged: true,
		},
		{
			title: "What is in scope inside the function?", tool: "tcg_scope",
			text: later, show: "    (lines, quoting)\n    ^ here",
			arguments: map[string]any{"position": "52:4"},
		},
		{
			title: "What can be called on a cart?", tool: "tcg_complete",
			text: laterUnfinished, show: "    let lines = cart.\n                     ^ here",
			arguments: map[string]any{"position": "50:21", "max": 8},
		},
		{
			title: "What type does the thread have, here?", tool: "tcg_type",
			text: later, show: "    (lines, quoting)\n            ^ here",
			arguments: map[string]any{"position": "52:12"},
		},
	},
}

// Texts that go to the end of the file.
const later = `
/// Counts the lines of a cart and quotes it on a thread of its own.
pub fn quote_later(cart: Cart) -> (usize, thread::JoinHandle<Result<Quote, Error>>) {
    let lines = cart.lines().count();
    let quoting = thread::spawn(move || Quote::of(&cart));
    (lines, quoting)
}
`

var (
	laterMistyped   = strings.Replace(later, "(lines, quoting)\n", "(cart.lines(), quoting)\n", 1)
	laterMoved      = strings.NewReplacer("    let lines = cart.lines().count();\n", "", "(lines, quoting)\n", "(cart.lines().count(), quoting)\n").Replace(later)
	laterUnfinished = strings.Replace(later, "cart.lines().count();", "cart.", 1)
)

// prepareRust makes a fresh copy of the sample workspace under .cache, checked
// once as its user would have.
func prepareRust(ctx context.Context) (*tsproject.Project, string, error) {
	root, err := tsproject.Repository()
	if err != nil {
		return nil, "", err
	}
	version, err := exec.CommandContext(ctx, "rustc", "--version").Output()
	if err != nil {
		return nil, "", missing{rsproject.ErrNoCargo}
	}
	if err := findAnalyzer(ctx); err != nil {
		return nil, "", missing{err}
	}
	dir := filepath.Join(root, ".cache", "demo", "rs-shop")
	if err := empty(dir, ""); err != nil {
		return nil, "", err
	}
	shop, err := rsproject.Copy(dir)
	if err != nil {
		return nil, "", err
	}
	fmt.Printf("$ cargo check    (in %s)\n", short(dir))
	if _, err := rsproject.Check(ctx, dir); err != nil {
		return nil, "", err
	}
	words := strings.Fields(string(version))
	return shop, fmt.Sprintf("rs-shop with rustc %s", words[min(1, len(words)-1)]), nil
}

// findAnalyzer makes sure that the server will find a rust-analyzer: the one of
// `make tools`, rustup's, or another on PATH.
func findAnalyzer(ctx context.Context) error {
	if _, err := rsproject.Analyzer(); err == nil {
		return nil
	}
	if exec.CommandContext(ctx, "rustup", "which", "rust-analyzer").Run() == nil || exec.CommandContext(ctx, "rust-analyzer", "--version").Run() == nil {
		return nil
	}
	return fmt.Errorf("rust-analyzer is missing; run: rustup component add rust-analyzer rust-src, or: make tools-rust-analyzer")
}
