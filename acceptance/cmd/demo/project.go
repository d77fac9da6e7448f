package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"vibevm.org/acceptance/tsproject"
)

// prepare makes a fresh copy of the sample project under .cache and installs
// its dependencies with npm, unless an earlier demo did.
func prepare(ctx context.Context) (*tsproject.Project, error) {
	root, err := tsproject.Repository()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, ".cache", "demo", "ts-shop")
	lock := "package-lock.json"
	wanted, err := os.ReadFile(filepath.Join(root, "acceptance", "testdata", "projects", "ts-shop", lock))
	if err != nil {
		return nil, err
	}
	installed, _ := os.ReadFile(filepath.Join(dir, lock))
	if string(installed) != string(wanted) {
		// Another version, or half an installation.
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.Name() == "node_modules" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return nil, err
		}
	}
	shop, err := tsproject.Copy(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(tsproject.Compiler(shop.Path("node_modules"))); err == nil {
		return shop, nil
	}
	fmt.Printf("$ npm ci    (in %s)\n", short(dir))
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir, npm.Stdout, npm.Stderr = dir, os.Stdout, os.Stderr
	if err := npm.Run(); err != nil {
		return nil, fmt.Errorf("npm ci in %s: %w; is Node.js 20 or newer installed?", dir, err)
	}
	return shop, nil
}

// server is the binary under demonstration.
func server() (string, error) {
	root, err := tsproject.Repository()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "bin", "typescript-ai-native-mcp")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is not built; run: make build", short(path))
	}
	return path, nil
}

// short names a path from the repository's root.
func short(path string) string {
	root, err := tsproject.Repository()
	if err != nil {
		return path
	}
	return strings.TrimPrefix(path, root+string(filepath.Separator))
}
