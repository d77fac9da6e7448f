// Command bench measures four things and prints them as tables: what the whole
// chain costs over talking to the compiler directly, the transport against
// other MCP servers, both as medians with paired ratios, the times that the
// documentation promises, and a repository with each version of TypeScript.
// `make bench` runs it.
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
	only := flag.String("only", "", "measure only one `PART`: chain, core, promises or releases")
	repo := flag.String("repo", "", "also measure the chain on the TypeScript repository in `DIR`")
	config := flag.String("config", "tsconfig.json", "the repository's tsconfig that tsc is timed with")
	pkg := flag.String("package", ".", "the package of the repository, a `DIR` in it, whose files are measured with each version of TypeScript")
	rounds := flag.Int("rounds", 5, "rounds of the core's benchmark")
	samples := flag.Int("samples", 60, "questions of each kind in the chain's benchmark")
	flag.Parse()
	var errs []error
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"chain", func() error { return benchChain(ctx, *repo, *config, *samples) }},
		{"promises", func() error { return benchPromises(ctx) }},
		{"core", func() error { return benchCore(ctx, *rounds) }},
		{"releases", func() error { return benchReleases(ctx, *repo, *pkg, *config, *samples) }},
	} {
		if *only == part.name || *only == "" && (part.name != "releases" || *repo != "") {
			errs = append(errs, part.run())
		}
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
