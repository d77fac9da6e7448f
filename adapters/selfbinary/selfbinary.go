// Package selfbinary makes the running executable its own oracle: a standalone
// server starts itself again as `<self> tcg serve --root DIR`, so that it and
// the product share one child lifecycle, one respawn rule and one crash
// boundary.
package selfbinary

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
)

// Subcommand is the first argument that turns the executable into its oracle.
const Subcommand = "tcg"

// Binaries is the OracleBinaries of a standalone server.
type Binaries struct {
	language tcgfamily.Language
	flags    []string
}

var _ tcgfamily.OracleBinaries = Binaries{}

// New makes the running executable the oracle of one language, which is given
// the flags.
func New(language tcgfamily.Language, flags ...string) Binaries { return Binaries{language, flags} }

// Find returns the running executable. It is looked up on every call: an
// upgrade may have replaced it.
func (b Binaries) Find(_ context.Context, language tcgfamily.Language) (tcgfamily.Artifact, error) {
	if language != b.language {
		return tcgfamily.Artifact{}, &oracleproto.Error{
			Kind:   oracleproto.KindLanguageMismatch,
			Detail: fmt.Sprintf("this server is the oracle of %s, not of %s", b.language, language),
			Recipe: "add the server " + language.Server() + " to the agent's MCP configuration",
		}
	}
	self, err := os.Executable()
	if err == nil {
		_, err = os.Stat(self)
	}
	if err != nil {
		return tcgfamily.Artifact{}, &oracleproto.Error{
			Kind:   oracleproto.KindOracleMissing,
			Detail: fmt.Sprintf("the server's own executable cannot be found: %v", err),
			Recipe: "restart the MCP server",
		}
	}
	return tcgfamily.Artifact{
		Name:    filepath.Base(self),
		Path:    self,
		Args:    []string{Subcommand},
		Flags:   b.flags,
		Present: true,
	}, nil
}

// Build has nothing to build: the executable is running.
func (Binaries) Build(context.Context, tcgfamily.Artifact) error { return nil }
