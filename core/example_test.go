package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"vibevm.org/core"
	"vibevm.org/core/coretest"
)

// shout is a whole tool: what it says of itself, and what it does.
type shout struct{}

func (shout) Descriptor() core.Descriptor {
	return core.Descriptor{
		Name:        "shout",
		Description: "Answers a text in capitals.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
	}
}

func (shout) Run(_ context.Context, args json.RawMessage) (core.Output, error) {
	var in struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return core.Output{}, err // the caller reads it as an error result
	}
	return core.Output{Report: strings.ToUpper(in.Text)}, nil
}

// A server with one tool. In a program the transport is core.Stdio(); here a
// script plays the agent host.
func Example() {
	tools, err := core.NewToolSet(shout{})
	if err != nil {
		fmt.Println(err)
		return
	}
	host := coretest.NewReplay(
		coretest.Line(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`),
		coretest.Line(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
		coretest.Line(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shout","arguments":{"text":"hello"}}}`),
	)
	server := core.NewServer(core.Info{Name: "shouting", Version: "1.0.0"}, tools, nil)
	if err := server.Serve(context.Background(), host); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(host.Output())
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","serverInfo":{"name":"shouting","version":"1.0.0"},"capabilities":{"tools":{"listChanged":false}}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"HELLO"}],"isError":false}}
}
