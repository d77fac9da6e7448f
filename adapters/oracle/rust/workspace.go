package rust

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// workspace is what cargo takes a file to belong to.
type workspace struct {
	root     string // absolute, symlinks resolved
	manifest string // its Cargo.toml; empty when no manifest covers the file
}

// locator finds workspaces. Cargo is asked again when a manifest changed.
type locator struct {
	known map[string]located // by the package's manifest
}

type located struct {
	workspace workspace
	manifests digest
}

// digest identifies the contents of files.
type digest [sha256.Size]byte

// digestOf is the digest of files, which need not exist.
func digestOf(paths []string) digest {
	h := sha256.New()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d %v\n", path, len(text), err == nil)
		h.Write(text)
	}
	return digest(h.Sum(nil))
}

// above lists where files of these names would be in a directory and in all
// above it.
func above(dir string, names ...string) []string {
	var paths []string
	for ; ; dir = filepath.Dir(dir) {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
		if dir == filepath.Dir(dir) {
			return paths
		}
	}
}

// toolchainOf identifies what chooses the toolchain of a directory.
func toolchainOf(dir string) digest {
	return digestOf(above(dir, "rust-toolchain.toml", "rust-toolchain"))
}

// locate finds the workspace of a file the way cargo does: the nearest
// manifest, and the workspace that has it as a member. Errors are
// *oracleproto.Error or the context's.
func (l *locator) locate(ctx context.Context, file string) (workspace, error) {
	dir := filepath.Dir(file)
	manifests := above(dir, "Cargo.toml")
	manifest := ""
	for _, path := range manifests {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			manifest = path
			break
		}
	}
	if manifest == "" {
		return workspace{root: dir}, nil
	}
	state := func(w workspace) digest {
		return digestOf(append(manifests, w.manifest))
	}
	if known, ok := l.known[manifest]; ok && known.manifests == state(known.workspace) {
		return known.workspace, nil
	}
	w, err := askCargo(ctx, manifest)
	if err != nil {
		return workspace{}, err
	}
	if l.known == nil {
		l.known = map[string]located{}
	}
	l.known[manifest] = located{w, state(w)}
	return w, nil
}

// askCargo has cargo find the workspace of a manifest.
func askCargo(ctx context.Context, manifest string) (workspace, error) {
	dir := filepath.Dir(manifest)
	cargo := lookTool("cargo")
	if cargo == "" {
		return workspace{}, &oracleproto.Error{
			Kind:   oracleproto.KindCargoMissing,
			Detail: "cargo is not on PATH",
			Recipe: "install Rust with rustup (https://rustup.rs), or put cargo's directory on PATH",
		}
	}
	out, err := run(ctx, dir, cargo, "locate-project", "--workspace", "--offline", "--message-format", "plain", "--color", "never", "--manifest-path", manifest)
	if err != nil {
		if ctx.Err() != nil {
			return workspace{}, ctx.Err()
		}
		return workspace{}, cargoError(err, manifest)
	}
	path, err := filepath.EvalSymlinks(strings.TrimSpace(out))
	if err != nil {
		return workspace{}, cargoError(err, manifest)
	}
	return workspace{root: filepath.Dir(path), manifest: path}, nil
}
