package oracleproto

import "encoding/json"

// Verdict is the judgement on a file.
type Verdict string

// Verdicts. Only a compiler that answered about the exact text leads to
// VerdictClean; a timeout, a crash or a half-ready server is VerdictUnknown.
const (
	VerdictClean   Verdict = "clean"
	VerdictErrors  Verdict = "errors"
	VerdictUnknown Verdict = "unknown"
)

// Reason says why a verdict is unknown.
type Reason string

// Reasons.
const (
	ReasonWarming       Reason = "warming"        // the oracle has not finished its first answer
	ReasonTimeout       Reason = "timeout"        // the call's deadline passed
	ReasonNotInProject  Reason = "not-in-project" // no project configuration covers the file
	ReasonProjectBroken Reason = "project-broken" // the project's configuration has errors
	ReasonOracleCrashed Reason = "oracle-crashed" // the oracle died and could not be brought back
	ReasonNotChecked    Reason = "not-checked"    // scope, complete and type do not judge the file
	ReasonNotReached    Reason = "not-reached"    // errors elsewhere stop the compiler before the file
	ReasonOverlayUnseen Reason = "overlay-unseen" // the compiler does not see a hypothetical file that may matter
)

// Coverage says which checks stand behind an answer.
type Coverage string

// Coverages.
const (
	CoverageCompiler Coverage = "compiler" // tsc semantics, everything tsc reports for the file
	CoverageNative   Coverage = "native"   // rust-analyzer's own checks
	CoverageRustc    Coverage = "rustc"    // cargo check
	CoverageNone     Coverage = "none"     // nothing was checked
)

// Source says where the judged text came from.
type Source string

// Sources.
const (
	SourceContent Source = "content" // the call's content
	SourceOverlay Source = "overlay" // a standing overlay set by update
	SourceDisk    Source = "disk"
)

// Engine is the compiler that answered.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Meta is the part every answer has in common.
type Meta struct {
	Verdict  Verdict  `json:"verdict"`
	Reason   Reason   `json:"reason,omitempty"`
	Engine   *Engine  `json:"engine"`
	Coverage Coverage `json:"coverage"`
	Source   Source   `json:"source"`
	// ConfigFile is the project configuration that governed the answer,
	// root-relative with forward slashes; empty when none did.
	ConfigFile string `json:"config_file"`
	// ElapsedMS is the time the relay took, in milliseconds.
	ElapsedMS float64 `json:"elapsed_ms"`
}

// Diagnostic is one message of the compiler about the asked file.
type Diagnostic struct {
	Code     Code   `json:"code"`
	Category string `json:"category"` // "error" or "warning"
	// Message is the compiler's text; a message chain has one line per level,
	// indented by two spaces.
	Message string `json:"message"`
	// Line is 1-based, Character 0-based in UTF-16 code units; both are 0 for
	// a message without a place. The end is exclusive.
	Line         int `json:"line"`
	Character    int `json:"character"`
	EndLine      int `json:"end_line"`
	EndCharacter int `json:"end_character"`
	// Related are places that explain the message.
	Related []Related `json:"related,omitempty"`
}

// Related is a further place a diagnostic points at.
type Related struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Character int    `json:"character"`
	Message   string `json:"message"`
}

// Finding is a violated policy rule.
type Finding struct {
	Rule      string `json:"rule"`
	Message   string `json:"message"`
	Line      int    `json:"line"`
	Baselined bool   `json:"baselined"`
}

// ValidateResult answers `validate`. Slices are never null on the wire.
type ValidateResult struct {
	Meta
	File        string       `json:"file"`
	Diagnostics []Diagnostic `json:"diagnostics"`
	// ProjectErrors are errors of the project's configuration, which make the
	// compiler fail whatever the file says.
	ProjectErrors   []Diagnostic      `json:"project_errors,omitempty"`
	ConformFindings []Finding         `json:"conform_findings"`
	Advice          []string          `json:"advice"`
	Facts           []json.RawMessage `json:"facts"`
	Markers         []json.RawMessage `json:"markers"`
	// Degraded is true when the facts could not be read from the text.
	Degraded bool `json:"degraded"`
}

// Symbol is a name in scope.
type Symbol struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	TypeText string `json:"type_text"`
}

// Branded is a nominal type found in a seam file.
type Branded struct {
	Name      string `json:"name"`
	Seam      string `json:"seam"`
	Heuristic bool   `json:"heuristic"`
}

// ScopeResult answers `scope`.
type ScopeResult struct {
	Meta
	File     string    `json:"file"`
	Symbols  []Symbol  `json:"symbols"`
	Globals  []string  `json:"globals,omitempty"`
	Cell     *string   `json:"cell"`
	SeamFile *string   `json:"seam_file"`
	Branded  []Branded `json:"branded"`
	Advice   []string  `json:"advice"`
}

// Entry is one completion.
type Entry struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	TypeText string `json:"type_text"`
	// Unsafe marks entries that weaken type safety, such as those typed any.
	Unsafe bool `json:"unsafe"`
}

// CompleteResult answers `complete`.
type CompleteResult struct {
	Meta
	File    string  `json:"file"`
	Entries []Entry `json:"entries"`
	// Total counts the entries that matched the prefix before Max cut them.
	Total  int      `json:"total"`
	Advice []string `json:"advice"`
}

// TypeResult answers `type`; both texts are empty where there is nothing at
// the position.
type TypeResult struct {
	Meta
	File          string   `json:"file"`
	Display       string   `json:"display"`
	Documentation string   `json:"documentation"`
	Advice        []string `json:"advice"`
}
