package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"vibevm.org/acceptance/tsproject"
)

var typescript = half{
	language: "TypeScript",
	server:   "typescript-ai-native-mcp",
	tool:     "tsc --noEmit",
	file:     "src/pricing/gift-wrap.tsx", // not on disk, and it never will be
	prepare:  prepareTypeScript,
	measure: func(ctx context.Context, project *tsproject.Project, content string) error {
		if err := project.Write("src/pricing/gift-wrap.tsx", content); err != nil {
			return err
		}
		_, err := tsproject.Check(ctx, tsproject.Compiler(project.Path("node_modules")), project.Dir, "tsconfig.json")
		return err
	},
	steps: []step{
		{
			title: "A file with two mistakes: would it compile?", tool: "tcg_validate",
			content: wrappingBroken, show: wrappingBroken, judged: true,
		},
		{
			title: "The same file, mended", tool: "tcg_validate",
			content: wrapping, show: `money("EUR", 3_50) … label="Wrapped"`, judged: true,
		},
		{
			title: "What is in scope inside the function?", tool: "tcg_scope",
			content: wrapping, show: "  return add(price, wrapping);\n  ^ here",
			arguments: map[string]any{"position": map[string]any{"line": 9, "character": 2}},
		},
		{
			title: "What can be called on a price?", tool: "tcg_complete",
			content: wrappingUnfinished, show: "  return price.\n               ^ here",
			arguments: map[string]any{"position": "9:15"},
		},
		{
			title: "What does add() take, here?", tool: "tcg_type",
			content: wrapping, show: "  return add(price, wrapping);\n         ^ here",
			arguments: map[string]any{"position": "9:9"},
		},
	},
}

const wrappingBroken = `import { add, money, type Money } from "@shop/money";
import { PriceTag } from "@shop/view/price-tag";

/** What wrapping a gift adds to its price. */
export const wrapping = money("USD", 3_50);

/** The price of a gift, wrapped. */
export function wrapped(price: Money<"EUR">): Money<"EUR"> {
  return add(price, wrapping);
}

export const WrappedTag = ({ price }: { readonly price: Money<"EUR"> }) => (
  <PriceTag amount={wrapped(price)} caption="Wrapped" />
);
`

var wrapping = strings.NewReplacer(`money("USD", 3_50)`, `money("EUR", 3_50)`, `caption="Wrapped"`, `label="Wrapped"`).Replace(wrappingBroken)

// wrappingUnfinished stops after the dot that completion is asked about.
var wrappingUnfinished = strings.Replace(wrapping, "return add(price, wrapping);", "return price.", 1)

// prepareTypeScript makes a fresh copy of the sample project under .cache and
// installs its dependencies with npm, unless an earlier demo did.
func prepareTypeScript(ctx context.Context) (*tsproject.Project, string, error) {
	const about = "ts-shop with typescript 7.0.2"
	root, err := tsproject.Repository()
	if err != nil {
		return nil, "", err
	}
	dir := filepath.Join(root, ".cache", "demo", "ts-shop")
	lock := "package-lock.json"
	wanted, err := os.ReadFile(filepath.Join(root, "acceptance", "testdata", "projects", "ts-shop", lock))
	if err != nil {
		return nil, "", err
	}
	keep := "node_modules"
	if installed, _ := os.ReadFile(filepath.Join(dir, lock)); string(installed) != string(wanted) {
		keep = "" // another version, or half an installation
	}
	if err := empty(dir, keep); err != nil {
		return nil, "", err
	}
	shop, err := tsproject.Copy(dir)
	if err != nil {
		return nil, "", err
	}
	if _, err := os.Stat(tsproject.Compiler(shop.Path("node_modules"))); err == nil {
		return shop, about, nil
	}
	exe, err := exec.LookPath("npm")
	if err != nil {
		return nil, "", missing{fmt.Errorf("npm is missing; install Node.js 20 or newer")}
	}
	fmt.Printf("$ npm ci    (in %s)\n", short(dir))
	npm := exec.CommandContext(ctx, exe, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir, npm.Stdout, npm.Stderr = dir, os.Stdout, os.Stderr
	if err := npm.Run(); err != nil {
		return nil, "", fmt.Errorf("npm ci in %s: %w; is Node.js 20 or newer installed?", short(dir), err)
	}
	return shop, about, nil
}
