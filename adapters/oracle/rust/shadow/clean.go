package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Clean removes the shadows of all workspaces of a project root, wherever they
// lie, and returns the directories it removed. cacheDir is
// Options.CacheDir. A shadow that a running server uses is left, and named by
// the error.
func Clean(root, cacheDirOption string) (removed []string, err error) {
	shadows := inTargets(root)
	if cache, err := cacheDir(cacheDirOption); err == nil {
		shadows = append(shadows, inCache(cache, root)...)
	}
	var failed []error
	for _, dir := range shadows {
		gone, err := removeShadow(dir)
		switch {
		case err != nil:
			failed = append(failed, err)
		case !gone:
			failed = append(failed, fmt.Errorf("%s is in use: stop the server that uses it and clean again", dir))
		default:
			removed = append(removed, dir)
			_ = os.Remove(filepath.Dir(dir)) // succeeds for the last one
		}
	}
	return removed, errors.Join(failed...)
}

// inTargets finds the shadows in the target directories under root.
func inTargets(root string) []string {
	var found []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return nil
		case entry.Name() == "target":
			shadows, _ := filepath.Glob(filepath.Join(escapeGlob(path), "tcg", "*", lockName))
			for _, lock := range shadows {
				found = append(found, filepath.Dir(lock))
			}
			return fs.SkipDir
		case path != root && opaque(path):
			return fs.SkipDir
		}
		return nil
	})
	return found
}

// inCache finds the shadows in the cache directory of workspaces under root
// and around it.
func inCache(cache, root string) []string {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return nil
	}
	var found []string
	for _, entry := range entries {
		dir := filepath.Join(cache, entry.Name())
		origin, err := os.ReadFile(filepath.Join(dir, originName))
		if err != nil {
			continue
		}
		workspace := strings.TrimSuffix(string(origin), "\n")
		_, inside := within(root, workspace)
		if _, around := within(workspace, root); inside || around {
			found = append(found, dir)
		}
	}
	return found
}

// escapeGlob makes a path match itself.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // Windows has no escapes
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
