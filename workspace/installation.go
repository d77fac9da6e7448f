package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// depsName is the directory of the installed packages.
const depsName = "vibedeps"

// Installation is what a project's vibe.lock and the slots say about installed
// packages and the executables they declare. It is the one place where a
// binary's name becomes a package, a slot and an artifact: the command line
// and the server both ask it.
type Installation struct {
	Root string
	// Locked is false when there is no vibe.lock: nothing is installed then.
	Locked bool
	// Slots are the locked packages in order of group and name, broken ones
	// included.
	Slots []Slot
	// Binaries are the executables of the slots that are in order, by name,
	// then package. One name may occur twice; Binary refuses it.
	Binaries []Binary
	// Warnings are what a newer vibe wrote into vibe.lock and was skipped, and
	// packages whose group is in doubt.
	Warnings []*Error

	// unusable says why a declared binary is not in Binaries; artifacts are
	// the reasons that are not the slot's.
	unusable  map[string]*Error
	artifacts []*Error
}

// Slot is the directory of an installed package.
type Slot struct {
	Package PackageID
	// Dir is absolute; for a missing slot, where it should be.
	Dir string
	// Manifest is the vibe.toml in it, nil when that cannot be read.
	Manifest *Manifest
	// Err says why nothing in the slot is used; nil when it is in order.
	Err *Error
}

// Open finds the project that a directory belongs to and reads what is
// installed in it: Discover, then ReadInstallation.
func Open(start string) (*Installation, error) {
	project, err := Discover(start)
	if err != nil {
		return nil, err
	}
	return ReadInstallation(project.Root)
}

// ReadInstallation reads the lock of a project root, as Project.Root, and the
// manifest of every slot. It is pure: nothing is written or started, nothing
// outside the root is read, and no state is kept.
//
// A broken slot is in Slots with its error, and does not keep the others from
// being used. The error is an *Error about vibe.lock or the root itself.
func ReadInstallation(root string) (*Installation, error) {
	in := &Installation{Root: root, unusable: map[string]*Error{}}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, &RootError{Path: root, Detail: "cannot be read: " + reason(err)}
	}
	defer func() { _ = dir.Close() }()
	lockPath := filepath.Join(root, LockName)
	text, err := readFile(dir, LockName)
	switch {
	case absent(err):
		return in, nil
	case err != nil:
		return nil, &Error{Code: CodeLockInvalid, Path: lockPath, Detail: "cannot be read: " + reason(err), Recipe: regenerate}
	}
	lock, warnings, err := ParseLock(lockPath, text)
	if err != nil {
		return nil, err
	}
	in.Locked, in.Warnings = true, warnings
	in.collect(readSlots(dir, root, lock.Packages))
	slices.SortStableFunc(in.Slots, func(a, b Slot) int { return compareIDs(a.Package, b.Package) })
	slices.SortStableFunc(in.Binaries, func(a, b Binary) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), compareIDs(a.Package, b.Package))
	})
	return in, nil
}

func compareIDs(a, b PackageID) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Name, b.Name))
}

// slotContents is a slot with the binaries it declares.
type slotContents struct {
	Slot
	binaries []declaredBinary
}

// readSlots reads the slots of all packages. Opening hundreds of files takes
// far longer than parsing them, so several are read at a time.
func readSlots(dir *os.Root, root string, packages []LockedPackage) []slotContents {
	slots := make([]slotContents, len(packages))
	deps, err := dir.OpenRoot(depsName)
	if err != nil {
		for i, p := range packages {
			s := &slots[i].Slot
			*s = Slot{Package: p.ID(), Dir: filepath.Join(root, depsName, filepath.FromSlash(slotPaths(p)[0]))}
			s.Err = slotMissing(*s)
			if !absent(err) {
				s.Err = slotInvalid(*s, depsName+" cannot be read: "+reason(err))
			}
		}
		return slots
	}
	defer func() { _ = deps.Close() }()
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(len(packages), runtime.GOMAXPROCS(0)) {
		readers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(packages); i = int(next.Add(1)) - 1 {
				slots[i].Slot = readSlot(dir, deps, filepath.Join(root, depsName), packages[i])
				slots[i].binaries = declaredBinaries(dir, root, slots[i].Slot)
			}
		})
	}
	readers.Wait()
	return slots
}

// slotPaths are the directories below vibedeps where a package may be, in the
// order they are tried: group.name/version; for a package that is used in
// place, group.name; and kind-name/version, as older vibes laid them out.
func slotPaths(p LockedPackage) []string {
	named := string(p.Group) + "." + string(p.Name)
	version := string(p.Version)
	paths := []string{path.Join(named, version), path.Join(string(p.Kind)+"-"+string(p.Name), version)}
	if p.inPlace() {
		paths = append([]string{named}, paths...)
	}
	return paths
}

// readSlot finds a package's slot and reads its manifest. A slot that is there
// is the one, whatever is wrong with it: what an older vibe left beside it
// must not be used instead.
func readSlot(dir, deps *os.Root, base string, p LockedPackage) Slot {
	paths := slotPaths(p)
	s := Slot{Package: p.ID(), Dir: filepath.Join(base, filepath.FromSlash(paths[0]))}
	for _, slot := range paths {
		text, err := readFile(deps, path.Join(slot, ManifestName))
		if err != nil && !absent(err) {
			// A link to elsewhere in the project, such as a package that is
			// developed there.
			text, err = readFile(dir, path.Join(depsName, slot, ManifestName))
		}
		if absent(err) {
			_, statErr := deps.Stat(filepath.FromSlash(slot))
			if versions := !strings.Contains(slot, "/"); versions || absent(statErr) {
				continue
			}
		}
		s.Dir = filepath.Join(base, filepath.FromSlash(slot))
		switch {
		case absent(err):
			s.Err = slotInvalid(s, "has no "+ManifestName)
		case err != nil:
			s.Err = slotInvalid(s, ManifestName+" cannot be read: "+reason(err))
		default:
			s.read(text, p.inPlace())
		}
		return s
	}
	s.Err = slotMissing(s)
	return s
}

// read takes the manifest in and checks that it is of the package the lock
// means. The group may differ, which costs the package its trust.
func (s *Slot) read(text string, inPlace bool) {
	file := filepath.Join(s.Dir, ManifestName)
	m, err := ParseManifest(file, text)
	if invalid := (*Error)(nil); errors.As(err, &invalid) {
		s.Err = &Error{Code: CodeSlotInvalid, Path: file, Line: invalid.Line, Detail: invalid.Detail, Recipe: reinstall}
		return
	}
	s.Manifest = m
	if m.Package == nil {
		s.Err = slotInvalid(*s, ManifestName+" has no [package]")
		return
	}
	version := m.Package.Version
	if inPlace { // a checkout, which moves on
		version = s.Package.Version
	}
	if m.Package.Name != s.Package.Name || version != s.Package.Version {
		s.Err = &Error{
			Code: CodeSlotMismatch, Path: file,
			Detail: fmt.Sprintf("is of %s %s, but %s has %s %s there", m.Package.Name, version, LockName, s.Package.Name, s.Package.Version),
			Recipe: reinstall,
		}
	}
}

// groupMismatch is the warning for a package that lock and manifest have in
// different groups, as one that moved between them leaves behind.
func (s *Slot) groupMismatch() *Error {
	if s.Manifest == nil || s.Manifest.Package == nil || s.Manifest.Package.Group == s.Package.Group {
		return nil
	}
	return &Error{
		Code: CodeGroupMismatch, Path: filepath.Join(s.Dir, ManifestName),
		Detail: fmt.Sprintf("is of the group %s, but %s has %s in %s; it is not built without a person's word", s.Manifest.Package.Group, LockName, s.Package.Name, s.Package.Group),
		Recipe: "run vibe install",
	}
}

// reinstall is the fix for a slot that is not what the lock says.
const reinstall = "remove the directory and run vibe install"

func slotMissing(s Slot) *Error {
	return &Error{
		Code: CodeSlotMissing, Path: s.Dir,
		Detail: s.Package.String() + " " + string(s.Package.Version) + " is in " + LockName + ", but is not installed",
		Recipe: "run vibe install",
	}
}

func slotInvalid(s Slot, detail string) *Error {
	return &Error{Code: CodeSlotInvalid, Path: s.Dir, Detail: detail, Recipe: reinstall}
}
