package workspace

import (
	"fmt"
	"os"
	"path/filepath"
)

// RootError says why a directory cannot be a project root.
type RootError struct {
	Path   string // as given
	Detail string
}

// Error renders the path and what is wrong with it.
func (e *RootError) Error() string { return fmt.Sprintf("project root %s %s", e.Path, e.Detail) }

// Fix is what a person can do about it.
func (e *RootError) Fix() string { return "name an existing directory as the project root" }

// AbsoluteRoot makes a root as a user typed it absolute. The directory need
// not exist: a server starts anyway and says so in its answers.
func AbsoluteRoot(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", &RootError{Path: path, Detail: "cannot be made absolute: " + err.Error()}
	}
	return abs, nil
}

// ResolveRoot returns the root with its symlinks resolved. The error is a
// *RootError when it does not exist or is no directory.
func ResolveRoot(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return "", &RootError{Path: path, Detail: "does not exist"}
	case err != nil:
		return "", &RootError{Path: path, Detail: "cannot be read: " + err.Error()}
	case !info.IsDir():
		return "", &RootError{Path: path, Detail: "is not a directory"}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &RootError{Path: path, Detail: "cannot be resolved: " + err.Error()}
	}
	return filepath.Abs(real)
}
