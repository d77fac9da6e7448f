package tsproject

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Diagnostic is one message of tsc. Line is 1-based, Character 0-based in
// UTF-16 code units, as the oracle's answers have them.
type Diagnostic struct {
	File      string
	Line      int
	Character int
	Code      int
	// Message has one line per level of a message chain.
	Message string
}

// String renders the diagnostic the way tsc does, with a 0-based character.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s(%d:%d) TS%d: %s", d.File, d.Line, d.Character, d.Code, d.Message)
}

var (
	located = regexp.MustCompile(`^(.+?)\((\d+),(\d+)\): (?:error|warning) TS(\d+): (.*)$`)
	global  = regexp.MustCompile(`^(?:error|warning) TS(\d+): (.*)$`)
)

// Check runs `tsc --noEmit --pretty false -p CONFIG` in the project and returns
// what it says, in its order.
func Check(ctx context.Context, compiler, dir, config string) ([]Diagnostic, error) {
	cmd := exec.CommandContext(ctx, compiler, "--noEmit", "--pretty", "false", "-p", config)
	cmd.Dir = dir
	return run(cmd)
}

// run runs a compiler. One that fails without saying why has not judged
// anything.
func run(cmd *exec.Cmd) ([]Diagnostic, error) {
	output, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || len(output) == 0) {
		return nil, fmt.Errorf("%s in %s: %w", strings.Join(cmd.Args, " "), cmd.Dir, err)
	}
	diagnostics, parseErr := parse(output)
	if parseErr == nil && err != nil && len(diagnostics) == 0 {
		return nil, fmt.Errorf("tsc failed without a diagnostic: %s", output)
	}
	return diagnostics, parseErr
}

func parse(output []byte) ([]Diagnostic, error) {
	var found []Diagnostic
	for line := range strings.SplitSeq(string(bytes.TrimRight(output, "\r\n")), "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch match := located.FindStringSubmatch(line); {
		case line == "" && len(found) == 0:
		case match != nil:
			lineNumber, _ := strconv.Atoi(match[2])
			column, _ := strconv.Atoi(match[3])
			code, _ := strconv.Atoi(match[4])
			found = append(found, Diagnostic{filepath.ToSlash(match[1]), lineNumber, column - 1, code, match[5]})
		case global.MatchString(line):
			match := global.FindStringSubmatch(line)
			code, _ := strconv.Atoi(match[1])
			found = append(found, Diagnostic{Code: code, Message: match[2]})
		case len(found) > 0:
			found[len(found)-1].Message += "\n" + line
		default:
			return nil, fmt.Errorf("tsc printed something that is no diagnostic: %q", line)
		}
	}
	return found, nil
}
