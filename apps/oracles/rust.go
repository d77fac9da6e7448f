package oracles

import (
	"flag"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/adapters/oracle/rust"
	"vibevm.org/tcgfamily"
)

// Rust is the Rust oracle.
func Rust() relay.Language {
	options := rust.DefaultOptions()
	return relay.Language{
		Name:         string(tcgfamily.Rust),
		Extensions:   rust.Extensions(),
		ProjectFiles: rust.ProjectFiles(),
		UTF8:         true,
		Depths:       true,
		Clean:        rust.Clean,
		Flags: func(set *flag.FlagSet) {
			set.IntVar(&options.Analyzers.Max, "max-analyzers", options.Analyzers.Max, "let at most `N` analyzers run, one for each cargo workspace")
			set.DurationVar(&options.Analyzers.IdleAfter, "idle-after", options.Analyzers.IdleAfter, "stop an analyzer that nobody asked for `DURATION`")
			set.DurationVar(&options.FullBudget, "full-budget", options.FullBudget, "let cargo check confirm an all-clear of the analyzer for at most `DURATION`")
			set.BoolVar(&options.NoBuildScripts, "no-build-scripts", options.NoBuildScripts, "run no build scripts and procedural macros; what they generate is then unknown")
		},
		Backend: func(root string) oracle.Backend { return rust.New(root, options) },
	}
}
