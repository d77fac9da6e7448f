package wire

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"

	"go.uber.org/fx"

	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/adapters/projecthost"
	"vibevm.org/adapters/selfbinary"
	"vibevm.org/adapters/tcgcli"
	"vibevm.org/apps/oracles"
	"vibevm.org/core"
	"vibevm.org/tcgfamily"
	"vibevm.org/workspace"
)

// RunStandalone is the whole of a standalone server's main: it serves one
// language over MCP on stdio and is its own oracle. It returns the exit code:
// 0 at the end of input or on a signal, 1 when the host vanished, 2 on usage.
func RunStandalone(language relay.Language, args []string, streams tcgcli.Streams) int {
	lang := tcgfamily.Language(language.Name)
	name := lang.Server()
	if len(args) > 0 && args[0] == selfbinary.Subcommand {
		return oracles.Run(language, name+" "+selfbinary.Subcommand, args[1:], streams)
	}
	opts, err := parseServer(language, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(streams.Out, serverUsage(language, name))
		return 0
	case err != nil:
		fmt.Fprintf(streams.Err, "%s: %s\n%s", name, tcgcli.Describe(err), serverUsage(language, name))
		return 2
	case opts.version:
		fmt.Fprintln(streams.Out, name, oracles.Version)
		return 0
	}
	log, err := newLogger(opts.log, streams.Err)
	if err != nil {
		fmt.Fprintf(streams.Err, "%s: %v\n", name, err)
		return 2
	}
	oracles.ShareMachine()
	return run(fx.New(Standalone(lang, opts, log, streams.Err), fx.Provide(core.Stdio)), streams.Err)
}

// Standalone is the object graph of a standalone server, short of its
// transport.
func Standalone(language tcgfamily.Language, opts ServerOptions, log *slog.Logger, stderr io.Writer) fx.Option {
	return fx.Options(
		server(language.Server()),
		fx.Supply(
			log,
			tcgfamily.Standalone(language),
			fx.Annotate(stderr, fx.As(new(io.Writer))),
			fx.Annotate(projecthost.New(opts.Root), fx.As(new(tcgfamily.TcgHost))),
			fx.Annotate(selfbinary.New(language, opts.OracleFlags...), fx.As(new(tcgfamily.OracleBinaries))),
		),
	)
}

// ServerOptions are a server's flags.
type ServerOptions struct {
	Root string // absolute
	// OracleFlags are the flags of the language that were set, for its oracle.
	OracleFlags []string

	log     string
	version bool
}

func serverFlags(language relay.Language, o *ServerOptions) *flag.FlagSet {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&o.Root, "path", ".", "project root `DIR` (default: the current directory)")
	set.StringVar(&o.log, "log", levelOf(os.Getenv("VIBE_LOG")), "log `LEVEL` (info or debug) to stderr; also VIBE_LOG")
	set.BoolVar(&o.version, "version", false, "print the version")
	oracleFlags(language).VisitAll(func(f *flag.Flag) { set.Var(f.Value, f.Name, f.Usage) })
	return set
}

// oracleFlags are the flags of the language.
func oracleFlags(language relay.Language) *flag.FlagSet {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	if language.Flags != nil {
		language.Flags(set)
	}
	return set
}

func parseServer(language relay.Language, args []string) (ServerOptions, error) {
	var o ServerOptions
	set := serverFlags(language, &o)
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if set.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	theirs := oracleFlags(language)
	set.Visit(func(f *flag.Flag) {
		if theirs.Lookup(f.Name) != nil {
			o.OracleFlags = append(o.OracleFlags, "--"+f.Name+"="+f.Value.String())
		}
	})
	root, err := workspace.AbsoluteRoot(o.Root)
	o.Root = root
	return o, err
}

func serverUsage(language relay.Language, name string) string {
	text := fmt.Sprintf("Usage: %s [flags]\n\nServes the %s type oracle over MCP on stdin and stdout.\n\nFlags:\n", name, language.Name)
	serverFlags(language, &ServerOptions{}).VisitAll(func(f *flag.Flag) {
		arg, usage := flag.UnquoteUsage(f)
		text += fmt.Sprintf("  --%-20s %s\n", f.Name+" "+arg, usage)
	})
	return text + fmt.Sprintf("\nRun %s %s --help for the oracle's own command line.\n", name, selfbinary.Subcommand)
}
