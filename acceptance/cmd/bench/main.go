// Command bench measures two things and prints both as tables of medians with
// paired ratios: what the whole chain costs over talking to the compiler
// directly, and the transport against other MCP servers. `make bench` runs it.
//
// Contestants alternate within one run, and a ratio is the median over rounds
// of two figures of the same round: on a shared machine nothing else means
// much.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	only := flag.String("only", "", "measure only the `chain` or only the `core`")
	repo := flag.String("repo", "", "also measure the chain on the TypeScript repository in `DIR`")
	config := flag.String("config", "tsconfig.json", "the repository's tsconfig that tsc is timed with")
	rounds := flag.Int("rounds", 5, "rounds of the core's benchmark")
	samples := flag.Int("samples", 60, "questions of each kind in the chain's benchmark")
	flag.Parse()
	var errs []error
	if *only != "core" {
		errs = append(errs, benchChain(ctx, *repo, *config, *samples))
	}
	if *only != "chain" {
		errs = append(errs, benchCore(ctx, *rounds))
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
