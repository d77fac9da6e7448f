package tsproject

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Project is a copy of a sample project, or another project in a folder of its own.
type Project struct {
	// Dir is its root, absolute and free of symbolic links.
	Dir string
}

// Copy copies the sample project's sources to dir, without dependencies.
func Copy(dir string) (*Project, error) { return CopyNamed("ts-shop", dir) }

// CopyNamed copies the sources of a project in testdata/projects to dir,
// without dependencies.
func CopyNamed(name, dir string) (*Project, error) {
	root, err := Repository()
	if err != nil {
		return nil, err
	}
	source := filepath.Join(root, "acceptance", "testdata", "projects", name)
	err = filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, rel)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		return copyFile(path, target)
	})
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return &Project{Dir: dir}, nil
}

// Install puts the packages of a node_modules folder into the project, as hard
// links where the file system allows them. What a package manager notes there
// is copied: another link to it would change its inode's time, which reads as
// another installation.
func (p *Project) Install(nodeModules string) error {
	return filepath.WalkDir(nodeModules, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(nodeModules, path)
		if err != nil {
			return err
		}
		target := filepath.Join(p.Dir, "node_modules", rel)
		switch {
		case entry.IsDir() && entry.Name() == ".bin":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		}
		if !strings.HasPrefix(entry.Name(), ".") && os.Link(path, target) == nil {
			return nil
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Path is the absolute path of a file of the project.
func (p *Project) Path(file string) string { return filepath.Join(p.Dir, filepath.FromSlash(file)) }

// Read returns a file's text.
func (p *Project) Read(file string) (string, error) {
	text, err := os.ReadFile(p.Path(file))
	return string(text), err
}

// Write puts a text into a file, making its folder.
func (p *Project) Write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(p.Path(file)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(p.Path(file), []byte(text), 0o644)
}

// Checksum is a digest over the names, modes, modification times and contents
// of everything in the project, dependencies included, except for what is in
// these directories and in these files.
func (p *Project) Checksum(except ...string) (string, error) {
	digest := sha256.New()
	err := filepath.WalkDir(p.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(except, func(name string) bool { return path == p.Path(name) }) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(digest, path, info.Mode(), info.ModTime().UnixNano())
		if !info.Mode().IsRegular() {
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(digest, file)
		return err
	})
	return hex.EncodeToString(digest.Sum(nil)), err
}

// Compiler is the path of the native compiler that is installed in a
// node_modules folder.
func Compiler(nodeModules string) string {
	exe := "tsc"
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	return filepath.Join(nodeModules, filepath.FromSlash(PlatformPackage()), "lib", exe)
}
