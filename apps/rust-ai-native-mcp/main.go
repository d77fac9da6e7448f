// Command rust-ai-native-mcp is a standalone MCP server: the Rust type oracle for
// coding agents, on stdio.
package main

import (
	"os"

	"vibevm.org/adapters/tcgcli"
	"vibevm.org/apps/oracles"
	"vibevm.org/apps/wire"
)

func main() {
	streams := tcgcli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(wire.RunStandalone(oracles.Rust(), os.Args[1:], streams))
}
