package relay

import (
	"os"
	"path/filepath"
	"strings"

	"vibevm.org/adapters/oracle/disk"
)

// tree is the directory whose files decide the answers about a file: the
// checkout around the root, since a package of a monorepo reads its siblings
// and the configuration above it; without one, the outermost project directory
// around the root; else the root itself. A root that holds everything, such as
// "/" or a home directory, says nothing about the file, so its own surroundings
// count.
func (l Language) tree(root, file string) string {
	if disk.Wide(root) {
		dirs := []string{}
		for d := filepath.Dir(file); d != root && strings.HasPrefix(d, root); d = filepath.Dir(d) {
			dirs = append(dirs, d)
		}
		if len(dirs) == 0 {
			return ""
		}
		return l.outermost(dirs)
	}
	dirs := []string{root}
	for d := filepath.Dir(root); !disk.Wide(d); d = filepath.Dir(d) {
		dirs = append(dirs, d)
	}
	return l.outermost(dirs)
}

// outermost picks among a directory and those above it.
func (l Language) outermost(dirs []string) string {
	best := dirs[0]
	for _, d := range dirs {
		if exists(filepath.Join(d, ".git")) {
			return d
		}
		for _, name := range l.ProjectFiles {
			if exists(filepath.Join(d, name)) {
				best = d
			}
		}
	}
	return best
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
