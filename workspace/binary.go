package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Binary is an executable that an installed package declares in [[binary]].
type Binary struct {
	Name        string
	Description string
	// Package declares it, under the name the lock has for it.
	Package PackageID
	// ManifestGroup is the group that the slot's manifest claims; it should be
	// Package's.
	ManifestGroup Group
	// Slot is the package's directory, absolute.
	Slot string
	// Crate is the directory of the sources in the slot, with forward
	// slashes; "." is the slot itself.
	Crate string
	// Artifact is the absolute path of the executable: the release build, or
	// the debug build when that is the only one. When nothing is built it is
	// where the release build will be.
	Artifact string
	// Built says whether the artifact is there.
	Built bool
}

// Release is where the release build of the binary is, or will be.
func (b Binary) Release() string { return filepath.Join(b.Slot, artifactPath("release", b.Name)) }

// Trusted reports whether the binary may be built with no person present. That
// takes the group of the lock and of the manifest: either alone could be
// edited to lend a package another's.
func (b Binary) Trusted() bool {
	return b.Package.Group == b.ManifestGroup && StandingConsent(string(b.Package.Group))
}

// ConsentRequired is the refusal to build a binary that is not trusted.
func (b Binary) ConsentRequired() *Error {
	why := fmt.Sprintf("its group %s needs a person's consent for that", b.Package.Group)
	if b.ManifestGroup != b.Package.Group {
		why = fmt.Sprintf("that needs a person's consent, since %s has it in the group %s and its own %s in %s", LockName, b.Package.Group, ManifestName, b.ManifestGroup)
	}
	return &Error{
		Code:   CodeConsentRequired,
		Detail: fmt.Sprintf("building %s runs the build scripts of %s %s; %s", b.Name, b.Package, b.Package.Version, why),
		Recipe: b.BuildCommand(),
	}
}

// NotBuilt is the error for who needs the artifact of a binary that has none.
func (b Binary) NotBuilt() *Error {
	return &Error{
		Code: CodeBinaryNotBuilt, Path: b.Artifact,
		Detail: fmt.Sprintf("%s of %s %s is not built", b.Name, b.Package, b.Package.Version), Recipe: b.BuildCommand(),
	}
}

// BuildCommand is what a person types to build the binary, consent included.
func (b Binary) BuildCommand() string {
	command := "vibe bin build " + b.Name
	if !b.Trusted() {
		command += " --assume-yes"
	}
	return command
}

// artifactPath is relative to the slot.
func artifactPath(profile, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join("target", profile, name)
}

// declaredBinary is an entry of [[binary]]; err says why it cannot be used.
type declaredBinary struct {
	Binary
	err *Error
}

// declaredBinaries finds the artifacts of what a slot declares.
func declaredBinaries(dir *os.Root, root string, s Slot) []declaredBinary {
	if s.Manifest == nil {
		return nil
	}
	var declared []declaredBinary
	if s.Manifest.Package == nil {
		return nil // nor are there binaries then
	}
	for _, table := range s.Manifest.Binaries {
		b := declaredBinary{Binary: Binary{
			Name: string(table.Name), Description: table.Description, Package: s.Package, ManifestGroup: s.Manifest.Package.Group,
			Slot: s.Dir, Crate: string(table.Crate),
		}, err: s.Err}
		if b.err == nil {
			b.err = b.locate(dir, root)
		}
		declared = append(declared, b)
	}
	return declared
}

// collect takes the slots and their binaries in.
func (in *Installation) collect(slots []slotContents) {
	for _, s := range slots {
		in.Slots = append(in.Slots, s.Slot)
		if doubt := s.groupMismatch(); doubt != nil {
			in.Warnings = append(in.Warnings, doubt)
		}
		for _, b := range s.binaries {
			switch {
			case b.err == nil:
				in.Binaries = append(in.Binaries, b.Binary)
				continue
			case s.Err == nil:
				in.artifacts = append(in.artifacts, b.err)
			}
			in.unusable[b.Name] = b.err
		}
	}
}

// locate finds the artifact: release before debug, so that what vibe builds is
// what runs.
func (b *Binary) locate(dir *os.Root, root string) *Error {
	b.Artifact = b.Release()
	for _, profile := range []string{"release", "debug"} {
		at := filepath.Join(b.Slot, artifactPath(profile, b.Name))
		rel, err := filepath.Rel(root, at)
		var info fs.FileInfo
		if err == nil {
			info, err = dir.Stat(rel)
		}
		switch {
		case absent(err):
			continue
		case err != nil:
			return &Error{Code: CodeSlotInvalid, Path: at, Detail: "cannot be used: " + reason(err), Recipe: "remove it and run " + b.BuildCommand()}
		case !info.Mode().IsRegular():
			return &Error{Code: CodeSlotInvalid, Path: at, Detail: "is no executable file", Recipe: "remove it and run " + b.BuildCommand()}
		}
		b.Artifact, b.Built = at, true
		return nil
	}
	return nil
}

// Binary finds an executable by name. The error is an *Error: of the slot that
// declares it when that slot is broken, else CodeBinaryUnknown or
// CodeBinaryAmbiguous.
func (in *Installation) Binary(name string) (Binary, error) {
	var found []Binary
	for _, b := range in.Binaries {
		if b.Name == name {
			found = append(found, b)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if err := in.unusable[name]; err != nil {
			return Binary{}, err
		}
		return Binary{}, in.unknownBinary(name)
	}
	return Binary{}, ambiguous(found)
}

// Problems are all that keeps parts of the installation from being used:
// broken slots, artifacts that are no files, names that several packages
// declare.
func (in *Installation) Problems() []*Error {
	var problems []*Error
	for _, s := range in.Slots {
		if s.Err != nil {
			problems = append(problems, s.Err)
		}
	}
	problems = append(problems, in.artifacts...)
	for i := 0; i < len(in.Binaries); {
		end := i + 1
		for end < len(in.Binaries) && in.Binaries[end].Name == in.Binaries[i].Name {
			end++
		}
		if end-i > 1 {
			problems = append(problems, ambiguous(in.Binaries[i:end]))
		}
		i = end
	}
	return problems
}

func ambiguous(found []Binary) *Error {
	var packages []string
	for _, b := range found {
		packages = append(packages, b.Package.String()+" "+string(b.Package.Version))
	}
	return &Error{
		Code:   CodeBinaryAmbiguous,
		Detail: fmt.Sprintf("%s is declared by %s", found[0].Name, strings.Join(packages, " and by ")),
		Recipe: fmt.Sprintf("remove one of them from [requires.packages] in %s and run vibe install", ManifestName),
	}
}

// unknownBinary names what might declare the binary but could not be read.
func (in *Installation) unknownBinary(name string) *Error {
	err := &Error{Code: CodeBinaryUnknown, Detail: fmt.Sprintf("no installed package declares a binary %s", quoted(name)), Recipe: "vibe bin list shows the binaries there are"}
	if !in.Locked {
		err.Detail += fmt.Sprintf("; there is no %s in %s", LockName, in.Root)
		err.Recipe = "run vibe install"
		return err
	}
	names := make([]string, 0, len(in.Binaries))
	for _, b := range in.Binaries {
		names = append(names, b.Name)
	}
	if near := nearest(name, names); near != "" {
		err.Detail += "; did you mean " + near + "?"
	}
	var broken []*Error
	for _, s := range in.Slots {
		if s.Err != nil {
			broken = append(broken, s.Err)
		}
	}
	if len(broken) > 0 {
		err.Detail += fmt.Sprintf("; of %d installed packages %d cannot be used: %s", len(in.Slots), len(broken), broken[0])
		if len(broken) > 1 {
			err.Detail += "; …"
		}
		err.Recipe = broken[0].Recipe
	}
	return err
}
