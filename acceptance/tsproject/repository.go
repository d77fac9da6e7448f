package tsproject

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Repository finds the root of this repository, upwards from the working
// directory.
func Repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.work above the working directory; run this inside a checkout of the repository")
		}
		dir = parent
	}
}

// Installed is a folder of .cache/npm with its node_modules, installed by
// `make tools`.
func Installed(name string) (string, error) {
	root, err := Repository()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache", "npm", name)
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		return "", fmt.Errorf("npm packages %q are not installed; run: make tools-%s", name, name)
	}
	return dir, nil
}

// PlatformPackage is the name of typescript's package for this machine.
func PlatformPackage() string {
	system, arch := runtime.GOOS, runtime.GOARCH
	if system == "windows" {
		system = "win32"
	}
	if arch == "amd64" {
		arch = "x64"
	}
	return "@typescript/typescript-" + system + "-" + arch
}
