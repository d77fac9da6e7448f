package workspace

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Project is a tree with one vibe.lock.
type Project struct {
	// Root is the absolute path of the directory of vibe.lock and vibedeps,
	// symlinks resolved.
	Root string
	// Manifest is the vibe.toml there.
	Manifest *Manifest
}

// Discover finds the project that a directory belongs to: the directory of the
// nearest vibe.toml, upwards from start, or the topmost workspace above it
// that counts this directory among its members.
//
// Of the directories above the nearest vibe.toml nothing but their vibe.toml
// is looked at, and one that cannot be read is as good as none: it need not
// concern this project. The error is a *RootError, or an *Error with
// CodeProjectMissing or CodeManifestInvalid.
func Discover(start string) (*Project, error) {
	start, err := ResolveRoot(start)
	if err != nil {
		return nil, err
	}
	dir := start
	for !hasManifest(dir) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, &Error{
				Code: CodeProjectMissing, Path: start, Detail: "there is no vibe.toml here or in a directory above",
				Recipe: "run vibe init in the project's directory, or name it with --path DIR",
			}
		}
		dir = parent
	}
	manifest, err := readManifestIn(dir)
	if err != nil {
		return nil, err
	}
	found := &Project{Root: dir, Manifest: manifest}
	// Workspaces met on the way up that contain the directory; the last is the
	// topmost.
	within := []*Project{found}
	for above := filepath.Dir(dir); above != filepath.Dir(above); above = filepath.Dir(above) {
		if !hasManifest(above) {
			continue
		}
		m, err := readManifestIn(above)
		if err != nil || m.Workspace == nil {
			continue
		}
		for _, member := range within {
			// A nested workspace brings its own members.
			if (member == found || member.Manifest.Workspace != nil) && m.Workspace.contains(above, member.Root) {
				within = append(within, &Project{Root: above, Manifest: m})
				break
			}
		}
	}
	return within[len(within)-1], nil
}

func hasManifest(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ManifestName))
	return err == nil && !info.IsDir()
}

// readManifestIn reads the vibe.toml of a directory.
func readManifestIn(dir string) (*Manifest, error) {
	name := filepath.Join(dir, ManifestName)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer func() { _ = root.Close() }()
	text, err := readFile(root, ManifestName)
	if err != nil {
		return nil, unreadable(name, err)
	}
	return ParseManifest(name, text)
}

func unreadable(path string, err error) *Error {
	if errors.Is(err, io.EOF) {
		err = errors.New("the file is empty")
	}
	return &Error{Code: CodeManifestInvalid, Path: path, Detail: "cannot be read: " + reason(err), Recipe: "make it a readable file inside the project"}
}

// contains reports whether dir, below base, is one of the members.
func (w *MembersTable) contains(base, dir string) bool {
	rel, err := filepath.Rel(base, dir)
	if err != nil {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for _, member := range w.Members {
		pattern := path.Clean(strings.ReplaceAll(member, "\\", "/"))
		if matches(strings.Split(pattern, "/"), parts) {
			return true
		}
	}
	return false
}

// matches takes the segments of a glob and of a path; "**" is any number of
// segments.
func matches(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		for i := range len(parts) + 1 {
			if matches(pattern[1:], parts[i:]) {
				return true
			}
		}
		return false
	}
	if len(parts) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], parts[0])
	return err == nil && ok && matches(pattern[1:], parts[1:])
}
