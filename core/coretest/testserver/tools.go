package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"vibevm.org/core"
	"vibevm.org/core/capture"
	"vibevm.org/core/coretest"
)

const noArguments = `{"type":"object","properties":{}}`

// mounted returns the tools: five for the edge cases and the load generator,
// and the three the conformance suite calls, with the texts it asks for.
func mounted() []core.Tool {
	return []core.Tool{
		coretest.Func("echo", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, echo),
		coretest.Func("slow", `{"type":"object","properties":{"ms":{"type":"integer"}}}`, slow),
		coretest.Func("fail", noArguments, fail("tool failed on purpose")),
		coretest.Func("boom", noArguments, func(context.Context, json.RawMessage) (core.Output, error) { panic("boom") }),
		capture.Tool(coretest.Func("noisy", noArguments, noisy)),

		coretest.Func("test_simple_text", noArguments, say("This is a simple text response for testing.")),
		coretest.Func("test_error_handling", noArguments, fail("This tool intentionally returns an error for testing")),
		coretest.Func("json_schema_2020_12_tool", schema2020, say("ok")),
	}
}

// schema2020 holds what a server that rewrites schemas would lose.
const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
	`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`

// echo answers its text.
func echo(_ context.Context, args json.RawMessage) (core.Output, error) {
	var in struct {
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return core.Output{}, err
	}
	if in.Text == nil {
		return core.Output{}, errors.New("the argument text is missing")
	}
	return core.Output{Report: *in.Text}, nil
}

// slow answers after ms milliseconds, or stops when it is cancelled.
func slow(ctx context.Context, args json.RawMessage) (core.Output, error) {
	var in struct {
		MS int `json:"ms"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return core.Output{}, err
	}
	select {
	case <-time.After(time.Duration(in.MS) * time.Millisecond):
		return core.Output{Report: "slept"}, nil
	case <-ctx.Done():
		return core.Output{}, ctx.Err()
	}
}

// noisy writes to the process's standard error.
func noisy(context.Context, json.RawMessage) (core.Output, error) {
	fmt.Fprintln(os.Stderr, "stray stderr")
	return core.Output{Report: "ok"}, nil
}

func say(text string) func(context.Context, json.RawMessage) (core.Output, error) {
	return func(context.Context, json.RawMessage) (core.Output, error) {
		return core.Output{Report: text}, nil
	}
}

func fail(text string) func(context.Context, json.RawMessage) (core.Output, error) {
	return func(context.Context, json.RawMessage) (core.Output, error) {
		return core.Output{}, errors.New(text)
	}
}
