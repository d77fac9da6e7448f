package tcgcli

import (
	"context"
	"errors"

	"vibevm.org/adapters/oracle/relay"
)

// serve speaks the oracle protocol until its peer ends the session.
func serve(ctx context.Context, inv *invocation) (int, error) {
	r := relay.New(inv.program.Language, inv.options.root)
	err := r.Serve(ctx, inv.streams.In, inv.streams.Out)
	return ExitClean, errors.Join(err, r.Close())
}
