package workspace

import (
	"fmt"
	"os"
	"path/filepath"
)

// Consent says on whose word a package's build may run its build scripts.
type Consent int

// The two grounds for a build.
const (
	// Standing is the rule of StandingConsent; nobody is asked.
	Standing Consent = iota
	// AssumeYes is a person's word for this one build, given on the command
	// line. It is not remembered.
	AssumeYes
)

// BuildPlan is how a binary is built: one command, and where its result goes.
type BuildPlan struct {
	Binary Binary
	// Tool is the program, "cargo" or "go", to be found on PATH.
	Tool string
	Args []string
	// Dir is the working directory.
	Dir string
	// Env is what is set on top of the environment. An empty value means that
	// the variable is taken out of it.
	Env map[string]string
	// Output is what the tool writes. When it has succeeded, Output is moved
	// to Artifact; with cargo, which moves a finished build there itself, the
	// two are one.
	Output, Artifact string
}

// PlanBuild plans the build of a binary. It reads which build tool the sources
// are for and starts nothing.
//
// The error is an *Error: CodeConsentRequired when consent is Standing and
// the binary is not trusted, CodeNotBuildable when the sources have
// neither a Cargo.toml nor a go.mod.
func PlanBuild(b Binary, consent Consent) (BuildPlan, error) {
	if consent != AssumeYes && !b.Trusted() {
		return BuildPlan{}, b.ConsentRequired()
	}
	slot, err := os.OpenRoot(b.Slot)
	if err != nil {
		return BuildPlan{}, notBuildable(b, "cannot be read: "+reason(err))
	}
	defer func() { _ = slot.Close() }()
	if _, err := slot.Stat(filepath.Dir(artifactPath("release", b.Name))); err != nil && !absent(err) {
		return BuildPlan{}, notBuildable(b, "its target directory cannot be used: "+reason(err))
	}
	sources := filepath.FromSlash(b.Crate)
	switch {
	case isFile(slot, filepath.Join(sources, "Cargo.toml")):
		return planCargo(b, slot), nil
	case isFile(slot, filepath.Join(sources, "go.mod")):
		return planGo(b), nil
	}
	return BuildPlan{}, notBuildable(b, fmt.Sprintf("%s has neither Cargo.toml nor go.mod, so %s cannot be built", quoted(b.Crate), b.Name))
}

func notBuildable(b Binary, detail string) *Error {
	return &Error{Code: CodeNotBuildable, Path: b.Slot, Detail: detail, Recipe: reinstall}
}

func isFile(root *os.Root, path string) bool {
	info, err := root.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// planCargo builds from the slot's own Cargo.toml, which is the workspace of
// the crate, or from the crate's when the slot has none.
func planCargo(b Binary, slot *os.Root) BuildPlan {
	manifest := filepath.Join(b.Slot, "Cargo.toml")
	if !isFile(slot, "Cargo.toml") {
		manifest = filepath.Join(b.Slot, filepath.FromSlash(b.Crate), "Cargo.toml")
	}
	return BuildPlan{
		Binary: b,
		Tool:   "cargo",
		Args:   []string{"build", "--release", "--manifest-path", manifest, "--bin", b.Name},
		// Here the package's rust-toolchain.toml is the one that counts.
		Dir: b.Slot,
		Env: map[string]string{
			// A person's settings must not send the artifact elsewhere.
			"CARGO_TARGET_DIR":       filepath.Join(b.Slot, "target"),
			"CARGO_BUILD_TARGET_DIR": "",
			"CARGO_BUILD_TARGET":     "",
			"GIT_TERMINAL_PROMPT":    "0",
		},
		Output:   b.Release(),
		Artifact: b.Release(),
	}
}

func planGo(b Binary) BuildPlan {
	release := b.Release()
	output := filepath.Join(filepath.Dir(release), ".building-"+filepath.Base(release))
	return BuildPlan{
		Binary: b,
		Tool:   "go",
		Args:   []string{"build", "-trimpath", "-o", output, "."},
		Dir:    filepath.Join(b.Slot, filepath.FromSlash(b.Crate)),
		Env: map[string]string{
			// The package is no part of the project's own Go workspace, nor is
			// the project's history the package's version.
			"GOWORK":              "off",
			"GOFLAGS":             "-buildvcs=false",
			"GOOS":                "",
			"GOARCH":              "",
			"GIT_TERMINAL_PROMPT": "0",
		},
		Output:   output,
		Artifact: release,
	}
}
