// Package mcptools mounts the tcg tool family on an MCP server. It is the only
// place where core and tcgfamily meet, and all it does is translate between
// their types.
package mcptools

import (
	"context"
	"encoding/json"

	"vibevm.org/core"
	"vibevm.org/tcgfamily"
)

// Tools wraps the family's tools for a core.Server.
func Tools(family *tcgfamily.Family) []core.Tool {
	var tools []core.Tool
	for _, d := range family.Tools() {
		tools = append(tools, tool{family, d})
	}
	return tools
}

type tool struct {
	family     *tcgfamily.Family
	descriptor tcgfamily.Descriptor
}

var _ core.Tool = tool{}

// Descriptor translates the family's description.
func (t tool) Descriptor() core.Descriptor {
	return core.Descriptor{
		Name:        t.descriptor.Name,
		Title:       t.descriptor.Title,
		Description: t.descriptor.Description,
		InputSchema: t.descriptor.InputSchema,
		Annotations: &core.Annotations{
			ReadOnlyHint:    t.descriptor.ReadOnly,
			DestructiveHint: t.descriptor.Destructive,
			IdempotentHint:  t.descriptor.Idempotent,
			OpenWorldHint:   t.descriptor.OpenWorld,
		},
	}
}

// Run calls the family. Its only error is the context's own after the caller
// gave the call up, which core expects as it is.
func (t tool) Run(ctx context.Context, args json.RawMessage) (core.Output, error) {
	// How long an oracle takes is unknown, so progress has no total.
	var reports float64
	answer, err := t.family.Call(ctx, t.descriptor.Name, args, func(message string) {
		reports++
		core.ReportProgress(ctx, message, reports, 0)
	})
	if err != nil {
		return core.Output{}, err
	}
	return core.Output{Report: answer.Text, Structured: answer.Structured, IsError: answer.IsError}, nil
}
