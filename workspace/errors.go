package workspace

import "fmt"

// Code is the stable name of a failure; docs/workspace.md lists them.
type Code string

// Codes.
const (
	// CodeProjectMissing: no vibe.toml in the directory or above it.
	CodeProjectMissing Code = "project-missing"
	// CodeManifestInvalid: a vibe.toml cannot be read as one.
	CodeManifestInvalid Code = "manifest-invalid"
	// CodeLockInvalid: vibe.lock cannot be read as one.
	CodeLockInvalid Code = "lock-invalid"
	// CodeLockSchema: vibe.lock is of a schema other than LockSchema.
	CodeLockSchema Code = "lock-schema"
	// CodeLockUnknownKey: a warning; vibe.lock holds something a newer vibe
	// wrote, which was skipped.
	CodeLockUnknownKey Code = "lock-unknown-key"
	// CodeSlotMissing: a locked package is not there.
	CodeSlotMissing Code = "slot-missing"
	// CodeSlotInvalid: a locked package's directory or manifest is unusable.
	CodeSlotInvalid Code = "slot-invalid"
	// CodeSlotMismatch: the slot holds another package than the lock says.
	CodeSlotMismatch Code = "slot-mismatch"
	// CodeGroupMismatch: a warning; lock and manifest have the package in
	// different groups, so neither is trusted.
	CodeGroupMismatch Code = "group-mismatch"
	// CodeBinaryUnknown: no installed package declares the binary.
	CodeBinaryUnknown Code = "binary-unknown"
	// CodeBinaryAmbiguous: several packages declare the binary.
	CodeBinaryAmbiguous Code = "binary-ambiguous"
	// CodeBinaryNotBuilt: the binary has no artifact yet.
	CodeBinaryNotBuilt Code = "binary-not-built"
	// CodeConsentRequired: building needs a person's word.
	CodeConsentRequired Code = "consent-required"
	// CodeNotBuildable: the binary's sources are of no known build tool.
	CodeNotBuildable Code = "not-buildable"
	// CodeToolMissing: the build tool is not on PATH.
	CodeToolMissing Code = "tool-missing"
	// CodeBuildFailed: the build tool failed or made no artifact.
	CodeBuildFailed Code = "build-failed"
)

// Error is a failure: what happened to which file, and one fix that a person
// can type.
type Error struct {
	Code Code
	// Path is the file or directory at fault; empty when none is.
	Path string
	// Line is the line in Path, from 1; 0 when the whole file is meant.
	Line int
	// Detail says what happened.
	Detail string
	// Recipe is the fix.
	Recipe string
}

// Error is the place, as editors and terminals link it, and what happened
// there.
func (e *Error) Error() string {
	switch {
	case e.Path == "":
		return e.Detail
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.Path, e.Detail)
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Detail)
}

// Fix is what a person can do about it.
func (e *Error) Fix() string { return e.Recipe }
