package rsproject

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"vibevm.org/acceptance/tsproject"
)

// Copy copies the sample workspace's sources to dir.
func Copy(dir string) (*tsproject.Project, error) { return tsproject.CopyNamed("rs-shop", dir) }

// Analyzer is the path of the rust-analyzer that `make tools` has installed, or
// of the one in the directory that TCG_TEST_RUST_ANALYZER names.
func Analyzer() (string, error) {
	dir := os.Getenv("TCG_TEST_RUST_ANALYZER")
	if dir == "" {
		root, err := tsproject.Repository()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, ".cache", "rust-analyzer")
	}
	path := filepath.Join(dir, "bin", "rust-analyzer")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("rust-analyzer is not installed (%w); run: make tools-rust-analyzer", err)
	}
	return path, nil
}

// ErrNoCargo is the error of everything here that needs cargo.
var ErrNoCargo = errors.New("cargo is missing; install Rust from rustup.rs")

// cargo is cargo's path.
func cargo() (string, error) {
	path, err := exec.LookPath("cargo")
	if err != nil {
		return "", ErrNoCargo
	}
	return path, nil
}

// Path is what a Rust server needs on PATH: rust-analyzer, cargo, and the
// system's linker for build scripts. Directories that are given come first.
func Path(first ...string) (string, error) {
	analyzer, err := Analyzer()
	if err != nil {
		return "", err
	}
	cargo, err := cargo()
	if err != nil {
		return "", err
	}
	dirs := append(first, filepath.Dir(analyzer), filepath.Dir(cargo))
	if runtime.GOOS == "windows" {
		dirs = append(dirs, os.Getenv("PATH"))
	} else {
		dirs = append(dirs, "/usr/bin", "/bin")
	}
	return strings.Join(dirs, string(os.PathListSeparator)), nil
}

// Homes are the variables that let rustup and cargo find what they have
// installed when HOME is another, and that keep them from downloading.
func Homes() []string {
	homes := []string{"RUSTUP_AUTO_INSTALL=0"}
	home, _ := os.UserHomeDir()
	for name, dir := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"} {
		value := os.Getenv(name)
		if value == "" {
			value = filepath.Join(home, dir)
		}
		homes = append(homes, name+"="+value)
	}
	for _, name := range []string{"RUSTUP_TOOLCHAIN", "RUST_SRC_PATH"} {
		if value := os.Getenv(name); value != "" {
			homes = append(homes, name+"="+value)
		}
	}
	return homes
}
