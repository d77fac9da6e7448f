package core

import (
	"context"
	"encoding/json"
)

// Tool is one callable of the server (MCP-CORE §3 p17).
type Tool interface {
	// Descriptor is asked once, when the tool is registered.
	Descriptor() Descriptor
	// Run answers one call. args is the raw `arguments` value of the call,
	// "{}" when the caller sent none or null; it is the tool's to keep.
	//
	// A failure the caller should read is an Output with IsError set, not an
	// error: an error is rendered into such an Output with its text. The one
	// exception is the context's own error after the caller cancelled the
	// call, which leaves the call unanswered (docs/adr: cancelled calls).
	//
	// Calls never overlap: the loop runs one tool at a time, which is the
	// licence for the capture guard (MCP-CORE §4 p24).
	Run(ctx context.Context, args json.RawMessage) (Output, error)
}

// Descriptor is what tools/list says about a tool.
type Descriptor struct {
	// Name is 1 to 128 of A-Z a-z 0-9 _ . -
	Name string `json:"name"`
	// Title is a short name for people; optional.
	Title string `json:"title,omitempty"`
	// Description is what a host's tool search matches and a model reads.
	Description string `json:"description"`
	// InputSchema is a JSON Schema whose top-level "type" is "object". It goes
	// out byte for byte.
	InputSchema json.RawMessage `json:"inputSchema"`
	// Annotations are hints for the host; nil leaves them out.
	Annotations *Annotations `json:"annotations,omitempty"`
}

// Annotations are the MCP tool hints. They are advice to hosts, never checked.
type Annotations struct {
	ReadOnlyHint    bool `json:"readOnlyHint"`
	DestructiveHint bool `json:"destructiveHint"`
	IdempotentHint  bool `json:"idempotentHint"`
	OpenWorldHint   bool `json:"openWorldHint"`
}

// Output is the result of a tool run.
type Output struct {
	// Report is the text shown to the model. Invalid UTF-8 is replaced and
	// more than 4 MiB is cut in the middle, saying so (docs/wire.md).
	Report string
	// Structured is the machine-readable twin of Report, a JSON object, sent
	// as structuredContent. Nil leaves the member out: structured content is
	// additive to MCP-CORE (PROP-026 §2 asks for it).
	Structured json.RawMessage
	// IsError marks a tool-level failure: a result, never a protocol error
	// (MCP-CORE §3 p19).
	IsError bool
}
