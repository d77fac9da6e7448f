package oracles

import (
	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/adapters/oracle/typescript"
	"vibevm.org/tcgfamily"
)

// TypeScript is the TypeScript oracle.
func TypeScript() relay.Language {
	return relay.Language{
		Name:         string(tcgfamily.TypeScript),
		Extensions:   typescript.Extensions(),
		ProjectFiles: typescript.ProjectFiles(),
		Backend:      func(root string) oracle.Backend { return typescript.New(root) },
	}
}
