package oracleproto

import "encoding/json"

// Version is the `proto` member of every frame, both ways.
const Version = 1

// Operations of the protocol.
const (
	OpInit     = "init"
	OpUpdate   = "update"
	OpValidate = "validate"
	OpScope    = "scope"
	OpComplete = "complete"
	OpType     = "type"
	OpShutdown = "shutdown"
	// OpCancel asks the relay to give up the request named by
	// CancelParams.ID. It has no answer of its own; the cancelled request is
	// answered with KindCancelled unless it finished first.
	OpCancel = "cancel"
)

// Operations lists the operations that are answered, in documentation order.
func Operations() []string {
	return []string{OpInit, OpUpdate, OpValidate, OpScope, OpComplete, OpType, OpShutdown}
}

// Request is one frame to the relay. Requests may be pipelined; they are
// answered one at a time, first in first out.
type Request struct {
	Proto  int             `json:"proto"`
	ID     uint64          `json:"id"`
	Op     string          `json:"op"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Response is one frame from the relay. ID is nil only for a frame that could
// not be read as a request.
type Response struct {
	Proto  int             `json:"proto"`
	ID     *uint64         `json:"id"`
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// InitResult describes the session. `init` takes no params and forgets all
// overlays.
type InitResult struct {
	Root     string   `json:"root"`
	Language string   `json:"language"`
	Ops      []string `json:"ops"`
}

// UpdateParams set (Content non-nil) or clear (nil) the standing overlay of a
// file.
type UpdateParams struct {
	File    string  `json:"file"`
	Content *string `json:"content"`
}

// UpdateResult carries the overlay's version: session-monotonic, 0 once
// cleared.
type UpdateResult struct {
	Version int `json:"version"`
}

// ValidateParams ask for the diagnostics of a file. The text judged is
// Content, else the standing overlay, else the disk. Content is forgotten
// after the answer.
type ValidateParams struct {
	File    string  `json:"file"`
	Content *string `json:"content,omitempty"`
	// Depth and Tests are for Rust; TypeScript has one depth and no test code.
	Depth Depth `json:"depth,omitempty"`
	Tests bool  `json:"tests,omitempty"`
}

// Depth says how thoroughly a file is validated.
type Depth string

// Depths. The empty Depth is DepthAuto.
const (
	// DepthAuto answers what the analyzer finds by itself at once, and has the
	// compiler confirm an all-clear within a budget.
	DepthAuto Depth = "auto"
	// DepthNative asks the analyzer alone.
	DepthNative Depth = "native"
	// DepthFull waits for the compiler.
	DepthFull Depth = "full"
)

// ScopeParams ask for the names visible at a position (default: the end of
// the file).
type ScopeParams struct {
	File     string    `json:"file"`
	Position *Position `json:"position,omitempty"`
	Content  *string   `json:"content,omitempty"`
	// Globals adds the names of the global scope, without types.
	Globals bool `json:"globals,omitempty"`
}

// DefaultMaxEntries is how many completion entries are answered when
// CompleteParams.Max is absent.
const DefaultMaxEntries = 50

// CompleteParams ask for the completions at a position.
type CompleteParams struct {
	File     string    `json:"file"`
	Position *Position `json:"position"`
	Content  *string   `json:"content,omitempty"`
	// Prefix keeps only names that start with it, case-sensitively.
	Prefix string `json:"prefix,omitempty"`
	// Max bounds the entries; 0 means DefaultMaxEntries.
	Max int `json:"max,omitempty"`
}

// TypeParams ask for the type and documentation at a position.
type TypeParams struct {
	File     string    `json:"file"`
	Position *Position `json:"position"`
	Content  *string   `json:"content,omitempty"`
}

// CancelParams name the request to give up.
type CancelParams struct {
	ID uint64 `json:"id"`
}
