// Package coretest helps to test servers built on core: a scripted transport
// that replays canned lines, and tools made of functions.
package coretest

import (
	"context"
	"encoding/json"

	"vibevm.org/core"
)

// Func returns a tool of this name and JSON schema that runs run.
func Func(name, schema string, run func(ctx context.Context, args json.RawMessage) (core.Output, error)) core.Tool {
	return funcTool{
		descriptor: core.Descriptor{Name: name, Description: "test tool " + name, InputSchema: json.RawMessage(schema)},
		run:        run,
	}
}

type funcTool struct {
	descriptor core.Descriptor
	run        func(ctx context.Context, args json.RawMessage) (core.Output, error)
}

func (t funcTool) Descriptor() core.Descriptor { return t.descriptor }

func (t funcTool) Run(ctx context.Context, args json.RawMessage) (core.Output, error) {
	return t.run(ctx, args)
}
