package oracles

import (
	"flag"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/adapters/oracle/typescript"
	"vibevm.org/tcgfamily"
)

// TypeScript is the TypeScript oracle.
func TypeScript() relay.Language {
	options := typescript.DefaultOptions()
	return relay.Language{
		Name:         string(tcgfamily.TypeScript),
		Extensions:   typescript.Extensions(),
		LineEnds:     typescript.LineEnds(),
		ProjectFiles: typescript.ProjectFiles(),
		Packages:     typescript.Packages(),
		Flags: func(set *flag.FlagSet) {
			set.IntVar(&options.Max, "max-compilers", options.Max, "let at most `N` compilers run, one for each installed typescript")
			set.DurationVar(&options.IdleAfter, "idle-after", options.IdleAfter, "stop a compiler that nobody asked for `DURATION`")
		},
		Backend: func(root string) oracle.Backend { return typescript.New(root, options) },
	}
}
