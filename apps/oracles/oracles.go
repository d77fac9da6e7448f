// Package oracles has the language oracles and the main function of an oracle
// binary. It knows nothing of MCP: an oracle binary must not link the server.
package oracles

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/adapters/tcgcli"
)

// ShareMachine leaves the processor to the compiler. Servers and relays do
// little but wait for it, and every further thread they may use is woken at
// each hand-over between goroutines, which on two cores costs the compiler
// more time than all of their own work (ADR 0011). A GOMAXPROCS in the
// environment wins.
func ShareMachine() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}

// Run is the whole of an oracle binary's main: name is how the program is
// called, args come after it. SIGINT, SIGTERM and SIGHUP end it together with
// its compilers. It returns the exit code.
func Run(language relay.Language, name string, args []string, streams tcgcli.Streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ShareMachine()
	if in, ok := streams.In.(*os.File); ok {
		streams.In = pollable(in)
	}
	return tcgcli.Main(ctx, tcgcli.Program{Name: name, Version: Version, Language: language}, args, streams)
}
