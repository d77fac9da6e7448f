package tcgcli

import (
	"context"
	"fmt"

	"vibevm.org/workspace"
)

// clean removes what earlier questions about a root left on disk.
func clean(_ context.Context, inv *invocation) (int, error) {
	root, err := workspace.ResolveRoot(inv.options.root)
	if err != nil {
		return ExitErrors, err
	}
	removed, err := inv.program.Language.Clean(root)
	for _, dir := range removed {
		fmt.Fprintf(inv.streams.Out, "removed %s\n", dir)
	}
	if len(removed) == 0 && err == nil {
		fmt.Fprintln(inv.streams.Out, "nothing to remove")
	}
	return ExitClean, err
}
