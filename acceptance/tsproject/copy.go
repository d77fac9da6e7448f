package tsproject

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CopyRepository copies a repository to a directory that does not exist yet, so
// that it can be changed: sources as files of their own, installed packages as
// hard links where the file system allows them, symbolic links as they are, and
// nothing of its history.
func CopyRepository(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		case entry.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !entry.Type().IsRegular():
			return nil
		}
		installed := strings.Contains(filepath.ToSlash(rel), "node_modules/")
		if installed && !strings.HasPrefix(entry.Name(), ".") && os.Link(path, target) == nil {
			return nil
		}
		return copyFile(path, target)
	})
}
