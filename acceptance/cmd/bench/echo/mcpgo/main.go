// Command mcpgo is the benchmark's echo server on mark3labs/mcp-go.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func echo(_ context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	text, err := call.RequireString("text")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return mcp.NewToolResultText(text), nil
}

func main() {
	s := server.NewMCPServer("mcpgo", "0")
	s.AddTool(mcp.NewTool("echo", mcp.WithDescription("answers its text"), mcp.WithString("text", mcp.Required())), echo)
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
