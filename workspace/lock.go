package workspace

import (
	"fmt"

	"vibevm.org/workspace/internal/tomltree"
)

// LockName is the name of the file that says which packages are installed.
const LockName = "vibe.lock"

// LockSchema is the one schema of vibe.lock that is read.
const LockSchema = 5

// regenerate is the fix for a lock that cannot be used.
const regenerate = "run vibe install in the project to write vibe.lock anew"

// Lock is a vibe.lock.
type Lock struct {
	Meta     LockMeta        `toml:"meta,required"`
	Packages []LockedPackage `toml:"package"`
}

// LockMeta is [meta].
type LockMeta struct {
	GeneratedBy   string `toml:"generated_by,required"`
	GeneratedAt   string `toml:"generated_at,required"`
	SchemaVersion int64  `toml:"schema_version,required"`
	Solver        string `toml:"solver"`
	// RootDependencies may name packages that have no entry: a lock keeps the
	// roots of earlier generations.
	RootDependencies    []string            `toml:"root_dependencies"`
	LanguageChain       []string            `toml:"language_chain"`
	ActiveFeatures      []string            `toml:"active_features"`
	VirtualCapabilities []VirtualCapability `toml:"virtual_capabilities"`
}

// VirtualCapability is an entry of [[meta.virtual_capabilities]].
type VirtualCapability struct {
	Name      string `toml:"name,required"`
	Emitter   string `toml:"emitter,required"`
	TraceID   string `toml:"trace_id,required"`
	EmittedAt string `toml:"emitted_at,required"`
}

// LockedPackage is an entry of [[package]]. Group and name identify it; the
// kind is metadata and may differ from the manifest's.
type LockedPackage struct {
	// Kind is the kind at the time of locking, a word of old slot paths.
	Kind           Word           `toml:"kind,required"`
	Name           Name           `toml:"name,required"`
	Group          Group          `toml:"group,required"`
	Version        Version        `toml:"version,required"`
	Registry       string         `toml:"registry"`
	SourceURL      string         `toml:"source_url,required"`
	SourceRef      string         `toml:"source_ref"`
	ResolvedCommit string         `toml:"resolved_commit"`
	ContentHash    string         `toml:"content_hash,required"`
	BootSnippet    string         `toml:"boot_snippet"`
	FilesWritten   []string       `toml:"files_written"`
	Dependencies   []string       `toml:"dependencies"`
	Overridden     bool           `toml:"overridden"`
	SourceKind     string         `toml:"source_kind"`
	ViaRedirect    string         `toml:"via_redirect"`
	Features       []string       `toml:"features"`
	Subskills      []LockSubskill `toml:"subskills_active"`
	Describes      string         `toml:"describes"`
	Language       string         `toml:"language"`
	// Materialization is a word; one that is not known counts as copy.
	Materialization string `toml:"materialization"`
}

// LockSubskill is an entry of [[package.subskills_active]].
type LockSubskill struct {
	Path         string   `toml:"path,required"`
	Delivery     string   `toml:"delivery,required"`
	Describes    string   `toml:"describes"`
	FilesWritten []string `toml:"files_written"`
	CacheFiles   []string `toml:"cache_files"`
}

// ID is the package's group and name.
func (p LockedPackage) ID() PackageID { return PackageID{p.Group, p.Name, p.Version} }

// PackageID identifies an installed package.
type PackageID struct {
	Group   Group
	Name    Name
	Version Version
}

// String is group/name.
func (id PackageID) String() string { return string(id.Group) + "/" + string(id.Name) }

// ParseLock reads the text of a vibe.lock; path is named in errors.
//
// Keys and words that a newer vibe wrote are skipped and returned as warnings
// (CodeLockUnknownKey): they must not stop a server that does not need them.
// The error is an *Error with CodeLockSchema or CodeLockInvalid.
func ParseLock(path, text string) (lock *Lock, warnings []*Error, err error) {
	tree, err := parseTOML(path, text, CodeLockInvalid, regenerate)
	if err != nil {
		return nil, nil, err
	}
	if err := checkSchema(path, tree); err != nil {
		return nil, nil, err
	}
	lock = new(Lock)
	d := new(decoder)
	d.value(valueOf(lock), tree)
	d.checkIdentities(lock, tree)
	if len(d.problems) > 0 {
		return nil, nil, d.failure(path, CodeLockInvalid, regenerate)
	}
	for _, unknown := range d.unknown {
		warnings = append(warnings, &Error{
			Code: CodeLockUnknownKey, Path: path, Line: unknown.line, Detail: unknown.detail + "; skipped",
			Recipe: "update vibe if something does not work",
		})
	}
	return lock, warnings, nil
}

// checkSchema comes before everything else: a lock of another schema need not
// look like one of this.
func checkSchema(path string, tree *tomltree.Node) error {
	failure := &Error{Code: CodeLockInvalid, Path: path, Recipe: regenerate}
	meta := tree.Get("meta")
	if meta == nil || meta.Kind != tomltree.Table {
		failure.Detail = "the file has no [meta]"
		return failure
	}
	version := meta.Get("schema_version")
	switch {
	case version == nil || version.Kind != tomltree.Integer:
		failure.Line, failure.Detail = meta.Line, "meta has no schema_version that is a number"
	case version.Int != LockSchema:
		failure.Code, failure.Line = CodeLockSchema, version.Line
		failure.Detail = fmt.Sprintf("the lock is of schema %d, but schema %d is needed", version.Int, LockSchema)
		if version.Int > LockSchema {
			failure.Recipe += ", or use a newer vibe"
		}
	default:
		return nil
	}
	return failure
}

// checkIdentities refuses a package that is locked twice, as a merge of two
// locks leaves it.
func (d *decoder) checkIdentities(lock *Lock, tree *tomltree.Node) {
	lines := make(map[PackageID]int, len(lock.Packages))
	for i, n := range items(tree, "package") {
		id := lock.Packages[i].ID()
		id.Version = ""
		if before := lines[id]; before != 0 && id.Name != "" {
			d.failAt(n, fmt.Sprintf("package[%d]", i), "is %s, which line %d locks already", quoted(id.String()), before)
		}
		lines[id] = n.Line
	}
}

// inPlace reports whether the package's directory has no version in it.
func (p LockedPackage) inPlace() bool {
	return Materialization(p.Materialization) == MaterializedInPlace
}
