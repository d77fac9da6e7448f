package capture

import (
	"context"
	"encoding/json"
	"fmt"

	"vibevm.org/core"
)

// Tool returns t with a capture around each run: what the run and its children
// say on standard error stands at the end of the report. It is for tools that
// start noisy children; others do not need its price, some twenty microseconds
// and a temporary file a call.
func Tool(t core.Tool) core.Tool { return captured{t} }

type captured struct{ core.Tool }

func (c captured) Run(ctx context.Context, args json.RawMessage) (out core.Output, err error) {
	guard, err := Start()
	if err != nil {
		return core.Output{}, err
	}
	defer func() {
		p := recover()
		text, stopErr := guard.Stop()
		if p != nil { // its log is what explains a panic, so the report takes both
			out, err = core.Output{IsError: true, Report: fmt.Sprintf("tool panicked: %v", p)}, nil
		}
		if stopErr != nil {
			text += "\n" + stopErr.Error()
		}
		out, err = withText(ctx, out, err, text)
	}()
	return c.Tool.Run(ctx, args)
}

// withText adds captured text to what a run returned. The context's own error
// stays as it is: the server tells from it that the tool stopped when asked to.
func withText(ctx context.Context, out core.Output, err error, text string) (core.Output, error) {
	if text == "" || err != nil && ctx.Err() != nil {
		return out, err
	}
	if err != nil {
		out = core.Output{IsError: true, Report: err.Error()}
	}
	if out.Report != "" {
		out.Report += "\n\n"
	}
	out.Report += "standard error:\n" + text
	return out, nil
}
