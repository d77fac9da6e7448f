package native

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// unlinked explains that the document belongs to no crate.
func (s *session) unlinked() string {
	if s.project.Manifest == "" {
		return "no Cargo.toml covers the file, and it is no crate of its own"
	}
	return Unlinked(s.doc.Path, s.project.Root, s.backend.overlays)
}

// Unlinked explains why a file of a workspace belongs to no crate: which line
// is missing, or leaves it out. Overlays are the texts that stand for files.
func Unlinked(path, root string, overlays map[string]string) string {
	if isTargetDir(filepath.Dir(path)) && !exists(path) {
		return "cargo makes a file here a target of its own once it is on disk: write it, or ask with depth full"
	}
	name, parents := parentsOf(path)
	for _, parent := range parents {
		text, overlaid := overlays[parent]
		if !overlaid {
			var err error
			if text, err = readDisk(parent); err != nil {
				continue
			}
		}
		where := relative(root, parent)
		if line, attribute := modLine(text, name); line > 0 {
			if attribute != "" {
				return fmt.Sprintf("the file is left out of its crate: line %d of %s declares it under %s, which is off here; nobody checks it in this configuration", line, where, attribute)
			}
			return fmt.Sprintf("line %d of %s declares the file, but that is left out of its crate itself: look for a cfg that is off, or for the mod line of %s", line, where, where)
		}
		return fmt.Sprintf("the file is part of no crate, so nobody checks it: add `mod %s;` to %s", name, where)
	}
	if len(parents) == 0 {
		return "the file is part of no crate, so nobody checks it: name it in a target of Cargo.toml"
	}
	return fmt.Sprintf("the file is part of no crate, so nobody checks it: make %s with the line `mod %s;`", relative(root, parents[0]), name)
}

// relative shows a path from the workspace's root.
func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// isTargetDir reports the directories in which cargo takes every file for a
// target (Cargo book, "Target auto-discovery").
func isTargetDir(dir string) bool {
	switch filepath.Base(dir) {
	case "tests", "examples", "benches":
		return exists(filepath.Join(filepath.Dir(dir), "Cargo.toml"))
	case "bin":
		return filepath.Base(filepath.Dir(dir)) == "src" && exists(filepath.Join(dir, "..", "..", "Cargo.toml"))
	}
	return false
}

// parentsOf is the module name of a file and the files that could declare it,
// those a reader would expect first (Rust reference, "Module source filenames").
func parentsOf(path string) (name string, parents []string) {
	dir, base := filepath.Dir(path), filepath.Base(path)
	name = strings.TrimSuffix(base, filepath.Ext(base))
	if name == "mod" {
		name, dir = filepath.Base(dir), filepath.Dir(dir)
	}
	if name == "lib" || name == "main" {
		return name, nil
	}
	for _, root := range []string{"mod.rs", "lib.rs", "main.rs"} {
		parents = append(parents, filepath.Join(dir, root))
	}
	beside := dir + ".rs"
	if filepath.Base(dir) == "src" {
		return name, []string{filepath.Join(dir, "lib.rs"), filepath.Join(dir, "main.rs")}
	}
	// The style with a file beside the directory comes first, unless the
	// directory has a mod.rs.
	if exists(parents[0]) {
		return name, append(parents, beside)
	}
	return name, append([]string{beside}, parents...)
}

// modLine finds the declaration of a module, and the cfg right above it.
func modLine(text, name string) (line int, attribute string) {
	declares := regexp.MustCompile(`^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(?:r#)?` + regexp.QuoteMeta(name) + `\s*;`)
	for i, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		if rest, ok := strings.CutPrefix(trimmed, "#["); ok {
			if end := strings.LastIndex(rest, "]"); end >= 0 && strings.HasPrefix(rest, "cfg(") {
				attribute = "#[" + rest[:end] + "]"
				if declares.MatchString(rest[end+1:]) {
					return i + 1, attribute
				}
			}
			continue
		}
		if declares.MatchString(l) {
			return i + 1, attribute
		}
		if trimmed != "" && !strings.HasPrefix(trimmed, "//") {
			attribute = ""
		}
	}
	return 0, ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
