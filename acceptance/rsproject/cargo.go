package rsproject

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// Diagnostic is one error or warning of rustc. Line is 1-based, Character
// 0-based in UTF-16 code units, as the oracle's answers have them.
type Diagnostic struct {
	// File is relative to the workspace, with slashes.
	File      string
	Line      int
	Character int
	// Code is E0308, the name of a lint, or empty.
	Code string
	// Level is error or warning.
	Level string
	// Message is rustc's first line.
	Message string
}

// String renders the diagnostic in one line.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s:%d:%d %s %s: %s", d.File, d.Line, d.Character, d.Level, d.Code, d.Message)
}

// message is one line of cargo's output, as far as it matters here.
type message struct {
	Reason  string
	Message *struct {
		Message, Level string
		Code           *struct{ Code string }
		Spans          []struct {
			FileName    string `json:"file_name"`
			LineStart   int    `json:"line_start"`
			ColumnStart int    `json:"column_start"` // 1-based, in characters
			IsPrimary   bool   `json:"is_primary"`
			Text        []struct{ Text string }
		}
	}
	Success *bool
}

// Check runs `cargo check` in a workspace and returns what it says about its
// files, in its order, each message once. A cargo that fails without saying
// why has not judged anything.
func Check(ctx context.Context, dir string, args ...string) ([]Diagnostic, error) {
	exe, err := cargo()
	if err != nil {
		return nil, err
	}
	args = append([]string{"check", "--workspace", "--offline", "--quiet", "--message-format", "json"}, args...)
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = dir
	output, failed := cmd.Output()
	var exit *exec.ExitError
	if failed != nil && !errors.As(failed, &exit) {
		return nil, failed
	}
	found, finished, err := parse(output)
	if err != nil {
		return nil, err
	}
	blamed := slices.ContainsFunc(found, func(d Diagnostic) bool { return d.Level == "error" })
	if !finished || (failed != nil) != blamed {
		said := ""
		if exit != nil {
			said = string(exit.Stderr)
		}
		return nil, fmt.Errorf("cargo %s came to no verdict: %w: %s", strings.Join(args, " "), failed, said)
	}
	return found, nil
}

// parse reads cargo's output. finished reports that cargo came to its end.
func parse(output []byte) (found []Diagnostic, finished bool, err error) {
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var m message
		if err := decoder.Decode(&m); err != nil {
			return nil, false, err
		}
		switch {
		case m.Reason == "build-finished":
			finished = true
		case m.Reason == "compiler-message" && (m.Message.Level == "error" || m.Message.Level == "warning"):
			if d, ok := diagnostic(m); ok && !slices.Contains(found, d) {
				found = append(found, d)
			}
		}
	}
	return found, finished, nil
}

// diagnostic is a message at its first place; false for one without any, like
// the count of errors at the end.
func diagnostic(m message) (Diagnostic, bool) {
	first, _, _ := strings.Cut(m.Message.Message, "\n")
	d := Diagnostic{Level: m.Message.Level, Message: first}
	if m.Message.Code != nil {
		d.Code = m.Message.Code.Code
	}
	for _, span := range m.Message.Spans {
		if !span.IsPrimary {
			continue
		}
		d.File, d.Line = filepath.ToSlash(span.FileName), span.LineStart
		if len(span.Text) > 0 {
			line := []rune(span.Text[0].Text)
			d.Character = len(utf16.Encode(line[:min(span.ColumnStart-1, len(line))]))
		}
		return d, true
	}
	return d, false
}
