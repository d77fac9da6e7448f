package rust

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vibevm.org/adapters/oracle/rust/shadow"
)

// analyzerDir is the name of an analyzer's target directory in target/tcg, and
// of the directory in the user's cache that holds those of workspaces which
// have no place for one.
const analyzerDir = "analyzer"

// originName is a file in a cached target directory with the workspace's path.
const originName = "origin"

// targetDir is where the analyzer of a workspace builds what it needs: in the
// workspace's own target directory, if it has one and lies in the project's
// root; else in the user's cache.
func targetDir(root, workspace string) string {
	target := filepath.Join(workspace, "target")
	if info, err := os.Lstat(target); err == nil && info.IsDir() && within(root, workspace) {
		return filepath.Join(target, "tcg", analyzerDir)
	}
	sum := digestOf([]string{workspace})
	dir := filepath.Join(cacheDir(), hex.EncodeToString(sum[:6]))
	// Without it the directory is of use all the same; it is just not cleaned.
	if os.MkdirAll(dir, 0o755) == nil {
		_ = os.WriteFile(filepath.Join(dir, originName), []byte(workspace+"\n"), 0o644)
	}
	return dir
}

// cacheDir holds the target directories without a place in their workspace.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "rust-ai-native-tcg", analyzerDir)
}

// Clean removes all that questions about a project left on disk, and returns
// the directories it removed. What a running server uses is left, and named by
// the error.
func Clean(root string) (removed []string, err error) {
	removed, err = shadow.Clean(root, "")
	for _, dir := range append(analyzersIn(root), cachedFor(root)...) {
		if e := os.RemoveAll(dir); e != nil {
			err = errors.Join(err, e)
			continue
		}
		removed = append(removed, dir)
		_ = os.Remove(filepath.Dir(dir)) // succeeds for the last one
	}
	return removed, err
}

// analyzersIn finds analyzers' directories in the target directories under root.
func analyzersIn(root string) []string {
	var found []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return nil
		case entry.Name() == "target":
			dir := filepath.Join(path, "tcg", analyzerDir)
			if info, err := os.Lstat(dir); err == nil && info.IsDir() {
				found = append(found, dir)
			}
			return fs.SkipDir
		case entry.Name() == ".git" || entry.Name() == "node_modules":
			return fs.SkipDir
		}
		return nil
	})
	return found
}

// cachedFor finds analyzers' directories in the cache, of workspaces under root
// and around it.
func cachedFor(root string) []string {
	entries, err := os.ReadDir(cacheDir())
	if err != nil {
		return nil
	}
	var found []string
	for _, entry := range entries {
		dir := filepath.Join(cacheDir(), entry.Name())
		origin, err := os.ReadFile(filepath.Join(dir, originName))
		workspace := strings.TrimSuffix(string(origin), "\n")
		if err == nil && (within(root, workspace) || within(workspace, root)) {
			found = append(found, dir)
		}
	}
	return found
}

// within reports that a path is a directory or lies in it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
