package differential

import (
	"context"
	"encoding/json"
	"fmt"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// Answer is what tcg_validate says about an edit.
type Answer struct {
	// Verdict is clean, errors or unknown, the last with a reason.
	Verdict, Reason string
	// Config is the tsconfig that governed the answer, relative to the project.
	Config string
	// Version is the compiler's.
	Version string
	// Diagnostics are sorted and free of the project's directory.
	Diagnostics []tsproject.Diagnostic
	// ProjectErrors is how many errors the tsconfig itself has.
	ProjectErrors int
	// Text is the answer as a model reads it.
	Text string
}

// budget keeps an answer from being shortened.
const budget = 200_000

// Ask asks a server about an edit of the project in dir.
func Ask(ctx context.Context, session *mcppipe.Session, dir string, edit Edit) (Answer, error) {
	result, err := session.CallTool(ctx, "tcg_validate", map[string]any{"file": edit.File, "content": edit.Text, "budget": budget})
	if err != nil {
		return Answer{}, err
	}
	var said struct {
		File, Verdict, Reason string
		Config                string `json:"config_file"`
		Engine                struct{ Version string }
		Diagnostics           []struct {
			Line, Character int
			Code            int
			Message         string
		}
		ProjectErrors []json.RawMessage `json:"project_errors"`
		Truncated     json.RawMessage
		Error         *struct{ Kind, Detail string }
	}
	if err := result.Decode(&said); err != nil {
		return Answer{}, fmt.Errorf("%w: %.300s", err, result.Text)
	}
	if said.Error != nil {
		return Answer{}, fmt.Errorf("%s: the server refused: %s: %s", edit.File, said.Error.Kind, said.Error.Detail)
	}
	if len(said.Truncated) > 0 && string(said.Truncated) != "null" {
		return Answer{}, fmt.Errorf("%s: the answer was shortened: %s", edit.File, said.Truncated)
	}
	answer := Answer{
		Verdict: said.Verdict, Reason: said.Reason, Config: said.Config, Version: said.Engine.Version,
		ProjectErrors: len(said.ProjectErrors), Text: result.Text,
	}
	var found []tsproject.Diagnostic
	for _, d := range said.Diagnostics {
		found = append(found, tsproject.Diagnostic{File: edit.File, Line: d.Line, Character: d.Character, Code: d.Code, Message: d.Message})
	}
	answer.Diagnostics = about(edit.File, dir, found)
	if isError := said.Verdict == "errors"; result.IsError != isError {
		return Answer{}, fmt.Errorf("%s: isError is %v for the verdict %q", edit.File, result.IsError, said.Verdict)
	}
	return answer, nil
}
