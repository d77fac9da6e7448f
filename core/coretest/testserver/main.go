// Command testserver is a server built on core alone, for suites that want one
// at the other end of a pipe: the load generator, the edge cases, the official
// conformance scenarios. It exits 0 at the end of input and on SIGTERM or
// SIGINT, and 1 with the reason on standard error when the channel is dead.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"vibevm.org/core"
)

func main() {
	if err := serve(mounted()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(mounted []core.Tool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	tools, err := core.NewToolSet(mounted...)
	if err != nil {
		return err
	}
	stdio, err := core.Stdio()
	if err != nil {
		return err
	}
	defer func() { _ = stdio.Close() }()
	return core.NewServer(core.Info{Name: "testserver", Version: "0"}, tools, nil).Serve(ctx, stdio)
}
