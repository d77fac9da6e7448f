package rust

import (
	"errors"
	"path/filepath"
	"strings"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// cargoError is the error for a cargo that could not find a workspace.
func cargoError(err error, manifest string) error {
	dir := filepath.Dir(manifest)
	text := err.Error()
	if exit := (*child.ExitError)(nil); errors.As(err, &exit) && strings.TrimSpace(exit.Stderr) != "" {
		text = strings.TrimPrefix(strings.TrimSpace(exit.Stderr), "error: ")
	}
	for _, missing := range []string{"is not installed", "no default toolchain", "no override and no default", "could not choose"} {
		if strings.Contains(text, missing) {
			return &oracleproto.Error{
				Kind:   oracleproto.KindRustcMissing,
				Detail: "the toolchain of " + dir + " is not installed: " + text,
				Recipe: "run rustup toolchain install in " + dir,
			}
		}
	}
	return &oracleproto.Error{
		Kind:   oracleproto.KindManifestBroken,
		Detail: "cargo does not understand " + manifest + " and the workspace around it: " + text,
		Recipe: "run cargo metadata in " + dir + " and mend what it complains about",
	}
}
