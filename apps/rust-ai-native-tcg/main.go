// Command rust-ai-native-tcg is the Rust type oracle: a relay for servers
// (serve) and one-shot questions for people and scripts.
package main

import (
	"os"

	"vibevm.org/adapters/tcgcli"
	"vibevm.org/apps/oracles"
)

func main() {
	streams := tcgcli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(oracles.Run(oracles.Rust(), "rust-ai-native-tcg", os.Args[1:], streams))
}
