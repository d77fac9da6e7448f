// Package tcgcli is the command line of an oracle binary
// (`<lang>-ai-native-tcg`): `serve` for servers, and each question as a
// one-shot command for people and scripts.
package tcgcli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/workspace"
)

// Exit codes of every command.
const (
	ExitClean   = 0 // clean, or the question was answered
	ExitErrors  = 1 // error diagnostics or new findings, or the question failed
	ExitUsage   = 2 // the command line was not understood
	ExitUnknown = 3 // no verdict, or no answer in time: the reason is printed
)

// defaultTimeout is how long a question may take, the same as over MCP.
const defaultTimeout = 45 * time.Second

// Program is one oracle binary.
type Program struct {
	// Name is how the command is called, for usage texts.
	Name     string
	Version  string
	Language relay.Language
}

// Streams are the process's ends; the package touches no others.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// command is one subcommand.
type command struct {
	name, args, summary string
	flags               func(*flag.FlagSet, *options)
	run                 func(context.Context, *invocation) (int, error)
}

// options are the values of all flags; each command registers its own.
type options struct {
	root        string
	json        bool
	contentFrom string
	position    string
	prefix      string
	max         int
	globals     bool
	depth       string
	tests       bool
	timeout     time.Duration
}

// invocation is a parsed command line.
type invocation struct {
	program Program
	streams Streams
	options options
	file    string
}

func commands(language relay.Language) []command {
	root := func(f *flag.FlagSet, o *options) {
		f.StringVar(&o.root, "root", ".", "project root `DIR` (default: the current directory); FILE is looked up in it")
	}
	question := func(f *flag.FlagSet, o *options) {
		root(f, o)
		f.BoolVar(&o.json, "json", false, "print the protocol's result object instead of text")
		f.DurationVar(&o.timeout, "timeout", defaultTimeout, "give up after `DURATION`, such as 90s")
		f.StringVar(&o.contentFrom, "content-from", "", "judge the text of `PATH` (- for standard input) instead of the file's own")
	}
	position := func(f *flag.FlagSet, o *options) {
		f.StringVar(&o.position, "position", "", "`LINE:CHARACTER`, line from 1, character from 0 in UTF-16 units")
	}
	list := []command{
		{"serve", "", "answer the oracle protocol on stdin and stdout", root, serve},
		{"validate", "FILE", "type check a file or hypothetical content", func(f *flag.FlagSet, o *options) {
			question(f, o)
			if language.Depths {
				f.StringVar(&o.depth, "depth", string(oracleproto.DepthAuto), "check with `DEPTH`: native asks the analyzer alone, full the compiler, auto the compiler where the analyzer finds nothing")
				f.BoolVar(&o.tests, "tests", false, "have the compiler check test code too")
			}
		}, ask(oracleproto.OpValidate)},
		{"scope", "FILE", "list the names visible at a position", func(f *flag.FlagSet, o *options) {
			question(f, o)
			position(f, o)
			f.BoolVar(&o.globals, "globals", false, "list the names of the global scope too")
		}, ask(oracleproto.OpScope)},
		{"complete", "FILE", "list completions at a position", func(f *flag.FlagSet, o *options) {
			question(f, o)
			position(f, o)
			f.StringVar(&o.prefix, "prefix", "", "keep names that start with `TEXT`")
			f.IntVar(&o.max, "max", oracleproto.DefaultMaxEntries, "list at most `N` entries")
		}, ask(oracleproto.OpComplete)},
		{"type", "FILE", "show the type and documentation at a position", func(f *flag.FlagSet, o *options) {
			question(f, o)
			position(f, o)
		}, ask(oracleproto.OpType)},
	}
	if language.Clean != nil {
		list = append(list, command{"clean", "", "remove what questions about the project left on disk", root, clean})
	}
	return list
}

// Main runs the command line args (without the program's name) and returns the
// exit code. When ctx ends, what runs is given up and its processes are gone
// before Main returns.
func Main(ctx context.Context, p Program, args []string, streams Streams) int {
	if len(args) == 0 {
		fmt.Fprint(streams.Err, usage(p))
		return ExitUsage
	}
	switch args[0] {
	case "--help", "-help", "-h", "help":
		fmt.Fprint(streams.Out, usage(p))
		return ExitClean
	case "--version", "-version", "version":
		fmt.Fprintln(streams.Out, p.Name, p.Version)
		return ExitClean
	}
	for _, c := range commands(p.Language) {
		if c.name == args[0] {
			return c.main(ctx, p, args[1:], streams)
		}
	}
	fmt.Fprintf(streams.Err, "%s: unknown command %q; run %s --help\n", p.Name, args[0], p.Name)
	return ExitUsage
}

func (c command) main(ctx context.Context, p Program, args []string, streams Streams) int {
	inv := &invocation{program: p, streams: streams}
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	c.flags(set, &inv.options)
	if p.Language.Flags != nil {
		p.Language.Flags(set)
	}
	err := inv.parse(c, set, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(streams.Out, c.usage(p, set))
		return ExitClean
	}
	if err != nil {
		fmt.Fprintf(streams.Err, "%s %s: %s\n%s", p.Name, c.name, Describe(err), c.usage(p, set))
		return ExitUsage
	}
	code, err := c.run(ctx, inv)
	if err != nil {
		fmt.Fprintf(streams.Err, "%s %s: %s\n", p.Name, c.name, Describe(err))
		if code == ExitClean {
			code = ExitErrors
		}
	}
	return code
}

// parse reads flags before and after the file's name.
func (inv *invocation) parse(c command, set *flag.FlagSet, args []string) error {
	var rest []string
	for {
		if err := set.Parse(args); err != nil {
			return err
		}
		if set.NArg() == 0 {
			break
		}
		rest, args = append(rest, set.Arg(0)), set.Args()[1:]
	}
	switch want := strings.Fields(c.args); {
	case len(rest) > len(want):
		return fmt.Errorf("unexpected argument %q", rest[len(want)])
	case len(rest) < len(want):
		return fmt.Errorf("%s is missing", want[len(rest)])
	case len(rest) == 1:
		inv.file = rest[0]
	}
	root, err := workspace.AbsoluteRoot(inv.options.root)
	inv.options.root = root
	return err
}

// Describe renders a failure for a person: its code and what happened, then the
// fix of the first error in the chain that has one, found by its method
// Fix() string.
func Describe(err error) string {
	text := err.Error()
	if e := (interface{ Fix() string })(nil); errors.As(err, &e) && e.Fix() != "" {
		text += "\nfix: " + e.Fix()
	}
	return text
}

func usage(p Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s COMMAND [flags]\n\nThe %s type oracle. Nothing it does writes to the project's sources.\n\nCommands:\n", p.Name, p.Language.Name)
	for _, c := range commands(p.Language) {
		fmt.Fprintf(&b, "  %-14s %s\n", strings.TrimSpace(c.name+" "+c.args), c.summary)
	}
	fmt.Fprintf(&b, "\nRun %s COMMAND --help for the flags, %s --version for the version.\n", p.Name, p.Name)
	fmt.Fprintf(&b, "Exit codes: %d clean or answered, %d errors, new findings or failure, %d usage, %d no verdict or no answer in time.\n", ExitClean, ExitErrors, ExitUsage, ExitUnknown)
	return b.String()
}

func (c command) usage(p Program, set *flag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s %s [flags]\n\n%s.\n\nFlags:\n", p.Name, strings.TrimSpace(c.name+" "+c.args), strings.ToUpper(c.summary[:1])+c.summary[1:])
	set.VisitAll(func(f *flag.Flag) {
		arg, text := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  --%-24s %s\n", strings.TrimSpace(f.Name+" "+arg), text)
	})
	return b.String()
}
