package oracleproto

// Kind is the stable code of a failure.
type Kind string

// Kinds. Environment and session kinds come from the oracle, argument kinds
// from either side.
const (
	// KindProtocol: the frame, its version or its operation was not understood.
	KindProtocol Kind = "protocol"
	// KindOracleCrashed: the oracle or its compiler died. The only kind after
	// which a registry starts the oracle again.
	KindOracleCrashed Kind = "oracle-crashed"
	// KindTimeout: no answer within the budget; the oracle goes on.
	KindTimeout Kind = "timeout"
	// KindCancelled: the caller gave the request up.
	KindCancelled Kind = "cancelled"

	// KindBadArguments: a missing, unknown or ill-typed argument.
	KindBadArguments Kind = "bad-arguments"
	// KindLanguageUnsupported: no oracle for the language.
	KindLanguageUnsupported Kind = "language-unsupported"
	// KindLanguageMismatch: this server serves another language.
	KindLanguageMismatch Kind = "language-mismatch"

	// KindRootMissing: the project root does not exist or is no directory.
	KindRootMissing Kind = "root-missing"
	// KindOutsideRoot: the file lies outside the project root.
	KindOutsideRoot Kind = "outside-root"
	// KindFileMissing: no such file, and the call brought no content.
	KindFileMissing Kind = "file-missing"
	// KindNotAFile: the path names a directory or a device.
	KindNotAFile Kind = "not-a-file"
	// KindNotText: the text is not UTF-8 source (NUL bytes, binary).
	KindNotText Kind = "not-text"
	// KindTooLarge: the text is over the size limit.
	KindTooLarge Kind = "too-large"
	// KindFileUnreadable: the operating system refused to read the file.
	KindFileUnreadable Kind = "file-unreadable"
	// KindFileUnsupported: the language's compiler does not take such files.
	KindFileUnsupported Kind = "file-unsupported"

	// KindTypeScriptMissing: no typescript package is found from the file.
	KindTypeScriptMissing Kind = "typescript-unresolvable"
	// KindTypeScriptPlatformMissing: typescript 7 is installed without the
	// executable for this platform.
	KindTypeScriptPlatformMissing Kind = "typescript-platform-missing"
	// KindTypeScriptUnsupported: this version cannot be driven.
	KindTypeScriptUnsupported Kind = "typescript-unsupported"
	// KindYarnPnP: the packages are in Yarn's archives, out of the compiler's
	// reach.
	KindYarnPnP Kind = "yarn-pnp"
	// KindNodeMissing: TypeScript 5 or 6 is installed, and no node to run it.
	KindNodeMissing Kind = "node-missing"

	// KindRustAnalyzerMissing: no rust-analyzer that runs is installed.
	KindRustAnalyzerMissing Kind = "rust-analyzer-missing"
	// KindCargoMissing: there is no cargo.
	KindCargoMissing Kind = "cargo-missing"
	// KindRustcMissing: cargo has no toolchain to work with.
	KindRustcMissing Kind = "rustc-missing"
	// KindManifestMissing: no Cargo.toml covers the file.
	KindManifestMissing Kind = "manifest-missing"
	// KindManifestBroken: cargo does not understand the project's manifests.
	KindManifestBroken Kind = "manifest-broken"
	// KindDependenciesMissing: a dependency is not there, and nothing is ever
	// downloaded for the user.
	KindDependenciesMissing Kind = "dependencies-missing"
	// KindBuildScriptsOff: the package needs build scripts or procedural
	// macros, which are switched off.
	KindBuildScriptsOff Kind = "build-scripts-off"
	// KindShadowDiskFull: no space is left for the shadow of cargo check.
	KindShadowDiskFull Kind = "shadow-disk-full"
	// KindShadowUnavailable: the shadow of cargo check cannot be written.
	KindShadowUnavailable Kind = "shadow-unavailable"
	// KindCargoFailed: cargo failed for a reason of its own.
	KindCargoFailed Kind = "cargo-failed"

	// KindOracleMissing: the oracle's binary is not installed or not built.
	KindOracleMissing Kind = "oracle-missing"
	// KindConsentRequired: building the oracle needs a human's consent.
	KindConsentRequired Kind = "consent-required"
	// KindBuildFailed: building the oracle failed.
	KindBuildFailed Kind = "build-failed"
	// KindClosed: the registry is shutting down.
	KindClosed Kind = "closed"
	// KindInternal: a defect of ours.
	KindInternal Kind = "internal"
)

// Error is a failure with a stable kind, what happened, and one fix a person
// can type. Detail and Recipe are sentences without a trailing full stop.
type Error struct {
	Kind   Kind   `json:"kind"`
	Detail string `json:"detail"`
	Recipe string `json:"recipe,omitempty"`
}

// Error renders "kind: detail".
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Detail }

// Fix is the recipe; it lets renderers find the fix of any error structurally.
func (e *Error) Fix() string { return e.Recipe }
