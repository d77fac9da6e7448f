package mcppipe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Frame is one line of a server, already checked to be a JSON-RPC frame.
type Frame struct {
	// ID is the id's bytes as they came, "null" included; empty for a
	// notification.
	ID     string
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *Error
	// Raw is the line without its newline.
	Raw []byte
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error renders the code and the message.
func (e *Error) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", e.Code, e.Message) }

// parseFrame checks everything that holds for every frame a server may send.
func parseFrame(line []byte) (Frame, error) {
	raw := bytes.Clone(line)
	if !utf8.Valid(raw) {
		return Frame{}, fmt.Errorf("stdout line is not UTF-8: %.200q", raw)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return Frame{}, fmt.Errorf("stdout line is not a JSON object: %.200q", raw)
	}
	frame := Frame{ID: string(members["id"]), Params: members["params"], Result: members["result"], Raw: raw}
	if string(members["jsonrpc"]) != `"2.0"` {
		return Frame{}, fmt.Errorf("frame without jsonrpc 2.0: %.200q", raw)
	}
	if method, ok := members["method"]; ok {
		if err := json.Unmarshal(method, &frame.Method); err != nil {
			return Frame{}, fmt.Errorf("frame whose method is no string: %.200q", raw)
		}
		if frame.ID != "" {
			return Frame{}, fmt.Errorf("request from the server, which declared none: %.200q", raw)
		}
		return frame, nil
	}
	if problem := members["error"]; problem != nil {
		if err := json.Unmarshal(problem, &frame.Error); err != nil || frame.Error == nil {
			return Frame{}, fmt.Errorf("frame with a malformed error: %.200q", raw)
		}
	}
	switch {
	case frame.ID == "":
		return Frame{}, fmt.Errorf("frame with neither method nor id: %.200q", raw)
	case (frame.Result == nil) == (frame.Error == nil):
		return Frame{}, fmt.Errorf("answer without exactly one of result and error: %.200q", raw)
	case frame.ID == "null" && frame.Error == nil:
		return Frame{}, fmt.Errorf("result for no request: %.200q", raw)
	}
	return frame, nil
}

// ToolResult is the answer to a tools/call.
type ToolResult struct {
	// Text is the one text block.
	Text string
	// Structured is structuredContent; nil when absent.
	Structured json.RawMessage
	IsError    bool
}

// ParseToolResult reads the result of a tools/call, which must have exactly one
// content block, of type text, and structuredContent that is an object.
func ParseToolResult(result json.RawMessage) (ToolResult, error) {
	var answer struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    *bool           `json:"isError"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return ToolResult{}, fmt.Errorf("tool result %.200q: %w", result, err)
	}
	if len(answer.Content) != 1 || answer.Content[0].Type != "text" {
		return ToolResult{}, fmt.Errorf("tool result without exactly one text block: %.200q", result)
	}
	if len(answer.Structured) > 0 && answer.Structured[0] != '{' {
		return ToolResult{}, fmt.Errorf("structuredContent is no object: %.200q", answer.Structured)
	}
	return ToolResult{
		Text:       answer.Content[0].Text,
		Structured: answer.Structured,
		IsError:    answer.IsError != nil && *answer.IsError,
	}, nil
}

// Decode reads the structured content into v.
func (r ToolResult) Decode(v any) error {
	if r.Structured == nil {
		return errors.New("the answer has no structuredContent")
	}
	return json.Unmarshal(r.Structured, v)
}
