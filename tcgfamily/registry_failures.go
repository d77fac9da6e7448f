package tcgfamily

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// The failures of the registry and its oracles, each with one fix that a
// person can type.

func unsupportedLanguage(language Language) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindLanguageUnsupported,
		Detail: fmt.Sprintf("there is no oracle for %.40q", language),
		Recipe: "use one of " + supportedSet(),
	}
}

func rootMissing(root string) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindRootMissing,
		Detail: fmt.Sprintf("the project root %s is no directory", root),
		Recipe: "start the server with --path DIR, where DIR is the project's folder",
	}
}

func closedError() *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindClosed,
		Detail: "the server is shutting down",
		Recipe: "start the server again",
	}
}

// replacedError ends a question that came upon an oracle just being replaced.
// It counts as a crash, so the question is put to the new oracle.
func replacedError(name string) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindOracleCrashed,
		Detail: name + " was replaced by another build of it",
		Recipe: "call again",
	}
}

func consentRequired(a Artifact) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindConsentRequired,
		Detail: fmt.Sprintf("%s has to be built first, which runs the build scripts of %s; a server never asks, so that takes your consent", a.Name, packageOf(a)),
		Recipe: buildRecipe(a),
	}
}

func buildFailed(ctx context.Context, a Artifact, err error) *ToolError {
	if ctx.Err() != nil {
		return closedError()
	}
	if failure := (*ToolError)(nil); errors.As(err, &failure) {
		return failure
	}
	return &ToolError{
		Kind:   oracleproto.KindBuildFailed,
		Detail: fmt.Sprintf("building %s failed: %v", a.Name, err),
		Recipe: buildRecipe(a),
	}
}

func notThereAfterBuild(a Artifact) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindBuildFailed,
		Detail: fmt.Sprintf("building %s succeeded, but %s is not there", a.Name, a.Path),
		Recipe: buildRecipe(a),
	}
}

func notStartable(a Artifact, err error) *ToolError {
	failure := &ToolError{
		Kind:   oracleproto.KindOracleMissing,
		Detail: fmt.Sprintf("%s cannot be started: %v", a.Name, err),
		Recipe: "install the server again",
	}
	if a.Package != "" {
		failure.Recipe = buildRecipe(a)
	}
	return failure
}

// crashError describes a relay that ended by itself: the first line of the
// detail says how, the rest is the end of its stderr.
func crashError(name, exit, stderr string) *ToolError {
	failure := &ToolError{
		Kind:   oracleproto.KindOracleCrashed,
		Detail: fmt.Sprintf("%s ended (%s)", name, exit),
	}
	if last := lastLines(stderr); last != "" {
		failure.Detail += "\nstderr: " + last
	}
	return failure
}

// crashedAgain describes an oracle that died again after its restart, with the
// one-shot command that shows why unless the oracle knows better.
func crashedAgain(failure *ToolError, a Artifact, root, op string, params any) *ToolError {
	again := *failure
	how, stderr, found := strings.Cut(failure.Detail, "\n")
	again.Detail = how + " (after one respawn)"
	if found {
		again.Detail += "\n" + stderr
	}
	if again.Recipe == "" {
		command := []string{quote(a.Path)}
		for _, arg := range a.Args {
			command = append(command, quote(arg))
		}
		command = append(command, op, "--root", quote(root))
		var asked struct{ File string }
		if raw, err := json.Marshal(params); err == nil && json.Unmarshal(raw, &asked) == nil && asked.File != "" {
			command = append(command, quote(asked.File))
		}
		again.Recipe = "run this in a terminal to see why: " + strings.Join(command, " ")
	}
	return &again
}

// protocolError describes a relay that does not speak the protocol.
func protocolError(name, sent string) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindProtocol,
		Detail: fmt.Sprintf("%s sent %s", name, sent),
		Recipe: "use server and oracle of the same release: vibe bin build " + name,
	}
}

func frameTooLarge(op string) *ToolError {
	return &ToolError{
		Kind:   oracleproto.KindTooLarge,
		Detail: fmt.Sprintf("the %s request is over %d MiB", op, maxFrame>>20),
		Recipe: "ask about a smaller file",
	}
}

// portError passes on what a port of the host refused with.
func portError(ctx context.Context, doing string, err error) error {
	if failure := (*ToolError)(nil); errors.As(err, &failure) {
		return failure
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return internalError(doing + ": " + err.Error())
}

func buildRecipe(a Artifact) string {
	return fmt.Sprintf("run in a terminal: vibe bin build %s --assume-yes", a.Name)
}

func packageOf(a Artifact) string {
	if a.Package == "" {
		return "its package"
	}
	return a.Group + "/" + a.Package
}

// lastLines is the end of a stderr tail, short enough for an answer.
func lastLines(stderr string) string {
	const maxLines, maxBytes = 8, 800
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	text := strings.Join(lines[max(0, len(lines)-maxLines):], "\n")
	if over := len(text) - maxBytes; over > 0 {
		text = "…" + strings.ToValidUTF8(text[over:], "")
	}
	return text
}

// quote makes a word of a POSIX shell command.
func quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`*?[]{}()<>|&;#~!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
