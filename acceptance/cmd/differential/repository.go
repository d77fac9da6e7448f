package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/acceptance/tsproject"
)

// copyRepository copies a repository: sources as they are, so that they can be
// changed, packages as hard links. What a package manager notes is copied too,
// since a link changes its inode, which reads as another installation.
func copyRepository(from, to string) (*tsproject.Project, error) {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, err
	}
	err := filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case entry.Name() == ".git":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		case entry.Type() == fs.ModeSymlink:
			to, err := os.Readlink(file)
			if err != nil {
				return err
			}
			return os.Symlink(to, target)
		case !entry.Type().IsRegular():
			return nil
		}
		packaged := strings.Contains(filepath.ToSlash(rel), "node_modules/") && !strings.HasPrefix(entry.Name(), ".")
		if packaged && os.Link(file, target) == nil {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		return nil, err
	}
	dir, err := filepath.EvalSymlinks(to)
	return &tsproject.Project{Dir: dir}, err
}

// replaceTypeScript makes another release the project's own.
func replaceTypeScript(project *tsproject.Project, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(project.Path("node_modules/typescript")); err != nil {
		return err
	}
	return tsproject.Release{Dir: dir}.LinkInto(project.Dir)
}

// releaseOf is the TypeScript of a configuration: the nearest upwards.
func releaseOf(project *tsproject.Project, config string) (tsproject.Release, error) {
	for dir := path.Dir(config); ; dir = path.Dir(dir) {
		text, err := project.Read(path.Join(dir, "node_modules/typescript/package.json"))
		if err == nil {
			var pkg struct{ Version string }
			if err := json.Unmarshal([]byte(text), &pkg); err != nil {
				return tsproject.Release{}, err
			}
			real, err := filepath.EvalSymlinks(project.Path(path.Join(dir, "node_modules/typescript")))
			return tsproject.Release{Version: pkg.Version, Dir: real}, err
		}
		if dir == "." {
			return tsproject.Release{}, fmt.Errorf("no typescript above %s; install the repository's packages first", config)
		}
	}
}

// covered lists the project's own files that a configuration covers.
func covered(ctx context.Context, project *tsproject.Project, release tsproject.Release, config string) ([]string, error) {
	args := []string{"-p", config, "--listFilesOnly"}
	cmd := exec.CommandContext(ctx, tsproject.Compiler(filepath.Dir(release.Dir)), args...)
	if !release.Native() {
		cmd = exec.CommandContext(ctx, "node", append([]string{filepath.Join(release.Dir, "lib", "tsc.js")}, args...)...)
	}
	cmd.Dir = project.Dir
	output, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	var files []string
	for line := range strings.Lines(string(output)) {
		file, err := filepath.Rel(project.Dir, strings.TrimSpace(line))
		file = filepath.ToSlash(file)
		if err == nil && !strings.HasPrefix(file, "../") && !strings.Contains(file, "node_modules/") && path.Ext(file) != ".json" && path.Ext(file) != "" && fileExists(project.Path(file)) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s covers no file; name one that does, such as one of its references, with CONFIG=\n%s", config, output)
	}
	slices.Sort(files)
	return files, nil
}

func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
