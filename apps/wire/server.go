package wire

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"vibevm.org/adapters/mcptools"
	"vibevm.org/adapters/tcgcli"
	"vibevm.org/apps/oracles"
	"vibevm.org/core"
	"vibevm.org/tcgfamily"
)

// stopTimeout bounds a shutdown: hosts send the next signal soon after the
// first.
const stopTimeout = 2 * time.Second

// server is what every MCP server here consists of. What differs is supplied:
// the TcgHost, the OracleBinaries, the tcgfamily.Mode, the transport, and the
// name.
func server(name string) fx.Option {
	return fx.Options(
		fx.WithLogger(func() fxevent.Logger { return fxevent.NopLogger }),
		fx.StopTimeout(stopTimeout),
		fx.Provide(
			newRegistry,
			fx.Annotate(func(r *tcgfamily.OracleRegistry) *tcgfamily.OracleRegistry { return r }, fx.As(new(tcgfamily.Oracles))),
			tcgfamily.New,
			newToolSet,
			func(tools *core.ToolSet, log *slog.Logger) *core.Server {
				return core.NewServer(core.Info{Name: name, Version: oracles.Version}, tools, &core.Options{Log: log})
			},
		),
		fx.Invoke(serve),
	)
}

// newRegistry makes the registry and closes it, oracles included, at the stop.
func newRegistry(lc fx.Lifecycle, host tcgfamily.TcgHost, binaries tcgfamily.OracleBinaries, log *slog.Logger) *tcgfamily.OracleRegistry {
	registry := tcgfamily.NewOracleRegistry(host, binaries, tcgfamily.WithLog(log))
	lc.Append(fx.StopHook(registry.Close))
	return registry
}

// newToolSet mounts the family's tools.
func newToolSet(family *tcgfamily.Family) (*core.ToolSet, error) {
	return core.NewToolSet(mcptools.Tools(family)...)
}

// serve runs the loop from start to stop; when the loop ends by itself, at the
// end of input or on a dead channel, so does the program.
func serve(lc fx.Lifecycle, shutdown fx.Shutdowner, server *core.Server, transport core.Transport, registry *tcgfamily.OracleRegistry, log *slog.Logger, stderr io.Writer) {
	_ = registry // depended on, so that it closes after the loop has ended
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	lc.Append(fx.Hook{
		OnStart: func(context.Context) error {
			go func() {
				defer close(ended)
				code := 0
				if err := server.Serve(ctx, transport); err != nil {
					code = 1
					fmt.Fprintln(stderr, tcgcli.Describe(err))
				}
				log.Info("serving ended", "exit", code)
				_ = shutdown.Shutdown(fx.ExitCode(code)) // fails only before the start
			}()
			return nil
		},
		OnStop: func(stop context.Context) error {
			cancel()
			select {
			case <-ended:
			case <-stop.Done():
			}
			return transport.Close()
		},
	})
}

// run starts the app, waits for a signal or the end of the loop, stops it and
// returns the exit code.
func run(app *fx.App, stderr io.Writer) int {
	if err := app.Start(context.Background()); err != nil {
		fmt.Fprintln(stderr, tcgcli.Describe(err))
		return 1
	}
	signal := <-app.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := app.Stop(ctx); err != nil {
		fmt.Fprintln(stderr, tcgcli.Describe(err))
		return max(signal.ExitCode, 1)
	}
	return signal.ExitCode
}
