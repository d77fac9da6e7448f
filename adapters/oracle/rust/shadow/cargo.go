package shadow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// cargo is the absolute path of cargo.
func (c *Checker) cargo() (string, error) {
	if c.options.Cargo != "" {
		return c.options.Cargo, nil
	}
	path, err := child.LookPath("cargo")
	if err != nil {
		return "", &oracleproto.Error{
			Kind:   oracleproto.KindCargoMissing,
			Detail: "cargo is not on PATH",
			Recipe: "install Rust from rustup.rs, or put cargo's directory on PATH",
		}
	}
	return path, nil
}

// environment is ours without what would make cargo behave differently from
// the user's own run, and with what keeps it to itself.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "MAKEFLAGS", "MFLAGS", "CARGO_MAKEFLAGS": // a jobserver that we do not pass on
			return true
		}
		return false
	})
	return append(env,
		"CARGO_NET_OFFLINE=true",
		"RUSTUP_AUTO_INSTALL=0",
		"CARGO_TERM_PROGRESS_WHEN=never",
		"CARGO_TERM_QUIET=false",
		"CARGO_TERM_VERBOSE=false",
		// Build scripts may ask git about the checkout; it must not refresh
		// the user's index on the way.
		"GIT_OPTIONAL_LOCKS=0",
	)
}

// outsideConfiguration are the arguments that have cargo read the configuration
// files which it finds from the project and not from the shadow: those of the
// directories above the mirrored one, the closest last.
func (s *shadow) outsideConfiguration() []string {
	if _, below := within(s.tree.top, s.dir); below {
		return nil
	}
	var args []string
	for dir := filepath.Dir(s.tree.top); ; dir = filepath.Dir(dir) {
		for _, name := range []string{"config", "config.toml"} {
			path := filepath.Join(dir, ".cargo", name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && filepath.Dir(path) != cargoHome() {
				args = append([]string{"--config", path}, args...)
				break // cargo reads the one without an ending if there are both
			}
		}
		if dir == filepath.Dir(dir) {
			return args
		}
	}
}

// toolchain is the toolchain that rustup has chosen for a directory, by a file
// in or above it or by an override; empty without rustup.
func (c *Checker) toolchain(ctx context.Context, dir string) string {
	cargo, err := c.cargo()
	if err != nil {
		return ""
	}
	rustup := filepath.Join(filepath.Dir(cargo), "rustup"+filepath.Ext(cargo))
	if _, err := os.Stat(rustup); err != nil {
		return ""
	}
	out, err := child.Run(ctx, child.Spec{Path: rustup, Args: []string{"show", "active-toolchain"}, Dir: dir, Env: environment()}, nil)
	if err != nil {
		return "" // cargo will say why
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return name
}

// output runs cargo to its end and returns what it prints.
func (c *Checker) output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cargo, err := c.cargo()
	if err != nil {
		return nil, err
	}
	out, err := child.Run(ctx, child.Spec{Path: cargo, Args: args, Dir: dir, Env: environment()}, nil)
	exit := (*child.ExitError)(nil)
	switch {
	case errors.As(err, &exit):
		return nil, cargoError(exit.Stderr, exit.Status, dir)
	case err != nil && ctx.Err() == nil:
		return nil, startError(err)
	}
	return out, err
}

func startError(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return &oracleproto.Error{
			Kind:   oracleproto.KindCargoMissing,
			Detail: err.Error(),
			Recipe: "install Rust from rustup.rs, or put cargo's directory on PATH",
		}
	}
	return &oracleproto.Error{
		Kind:   oracleproto.KindCargoFailed,
		Detail: err.Error(),
		Recipe: "run `cargo check` in the project and see what it says",
	}
}

// cargoErrors tell by what cargo and rustup print why there is no verdict. The
// first match counts; texts are those of cargo 1.56 to 1.95 and rustup 1.25 to
// 1.29.
var cargoErrors = []struct {
	kind   oracleproto.Kind
	recipe string // DIR stands for the workspace
	texts  []string
}{
	{
		oracleproto.KindRustcMissing, "run `rustup toolchain install` in DIR, or `rustup show` to see what is missing",
		[]string{"(never executed)", "is not installed", "no default toolchain", "no override and no default", "rustup could not choose", "failed to run `rustc` to learn about"},
	},
	{
		oracleproto.KindManifestBroken, "correct rust-toolchain.toml; `rustup show` in DIR checks it",
		[]string{"override file"},
	},
	{
		oracleproto.KindDependenciesMissing, "run `cargo fetch` in DIR and ask again",
		[]string{"--offline", "offline mode", "failed to download", "unable to get packages from source", "unable to update registry", "failed to query replaced source", "can't checkout from", "failed to fetch"},
	},
	{
		oracleproto.KindManifestBroken, "correct it; `cargo metadata` in DIR checks manifests without compiling",
		[]string{
			"Cargo.toml", "Cargo.lock", "failed to parse lock file", "manifest", "Cargo configuration", "failed to get `", "failed to select a version",
			"no matching package", "does not contain this feature", "package ID specification", "config.toml", "no targets specified",
			"requires rustc", "multiple packages", "package collision", "cyclic package dependency",
		},
	},
}

// cargoError is the error for a cargo that ended without compiling anything.
func cargoError(stderr, status, dir string) error {
	text := plainError(stderr)
	if text == "" {
		text = "cargo: " + status
	}
	if saysDiskFull(text) {
		return diskFull(text)
	}
	for _, known := range cargoErrors {
		for _, part := range known.texts {
			if strings.Contains(text, part) {
				return &oracleproto.Error{Kind: known.kind, Detail: text, Recipe: strings.ReplaceAll(known.recipe, "DIR", dir)}
			}
		}
	}
	return &oracleproto.Error{
		Kind: oracleproto.KindCargoFailed, Detail: text,
		Recipe: "run `cargo check` in " + dir + " and see what it says",
	}
}

// saysDiskFull reports that a program could not write for want of space or
// quota.
func saysDiskFull(text string) bool {
	return strings.Contains(text, "No space left on device") || strings.Contains(text, "Disk quota exceeded") ||
		strings.Contains(text, "not enough space on the disk")
}

// plainError is the error in what cargo printed, without progress, warnings
// and backtraces.
func plainError(stderr string) string {
	stderr, _, _ = strings.Cut(stderr, "Stack backtrace:") // rustup's
	stderr, _, _ = strings.Cut(stderr, "stack backtrace:") // a build script's
	if i := strings.Index("\n"+stderr, "\nerror"); i >= 0 {
		stderr = stderr[i:]
	}
	stderr = strings.TrimPrefix(strings.TrimSpace(stderr), "error: ")
	const most = 2000 // bytes; a few screens of a failed build script
	if len(stderr) > most {
		stderr = strings.ToValidUTF8(stderr[:most], "") + " ..."
	}
	return strings.TrimSuffix(stderr, ".")
}

// rustcVersion is the version of the rustc that cargo uses in a directory;
// empty when it does not say.
func (c *Checker) rustcVersion(ctx context.Context, dir string) string {
	rustc := os.Getenv("RUSTC")
	if rustc == "" {
		cargo, err := c.cargo()
		if err != nil {
			return ""
		}
		rustc = filepath.Join(filepath.Dir(cargo), "rustc"+filepath.Ext(cargo))
	}
	out, err := child.Run(ctx, child.Spec{Path: rustc, Args: []string{"--version"}, Dir: dir, Env: environment()}, nil)
	if err != nil {
		return ""
	}
	// rustc 1.95.0 (59807616e 2026-04-14)
	version, _, _ := strings.Cut(strings.TrimPrefix(string(out), "rustc "), " ")
	return strings.TrimSpace(version)
}
