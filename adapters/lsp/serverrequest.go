package lsp

import (
	"context"
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// serverHandler answers the server's requests from the reading goroutine: a
// server may refuse to go on until, for example, workspace/configuration is
// answered. Replies are queued, so this never blocks.
type serverHandler struct {
	opts Options
}

// Handle implements jsonrpc2.Handler.
func (h *serverHandler) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	var params json.RawMessage
	if req.Params != nil {
		params = *req.Params
	}
	if req.Notif {
		if req.Method != "window/logMessage" && req.Method != "$/logTrace" && h.opts.Notify != nil {
			h.opts.Notify(req.Method, params)
		}
		return
	}
	// A reply can only fail on a closed connection, where nobody waits for it.
	if result, ok := h.answer(req.Method, params); ok {
		_ = conn.Reply(ctx, req.ID, result)
		return
	}
	_ = conn.ReplyWithError(ctx, req.ID, &jsonrpc2.Error{
		Code: jsonrpc2.CodeMethodNotFound, Message: "method not supported by this client: " + req.Method,
	})
}

// answer gives the result for a server's request; false for an unknown method.
func (h *serverHandler) answer(method string, params json.RawMessage) (any, bool) {
	switch method {
	case "workspace/configuration":
		return h.configuration(params), true
	case "workspace/applyEdit":
		return applyEditResult{FailureReason: "this client never edits"}, true
	case "window/showDocument":
		return showDocumentResult{}, true
	case "client/registerCapability", "client/unregisterCapability",
		"window/workDoneProgress/create", "window/showMessageRequest",
		"workspace/workspaceFolders",
		"workspace/codeLens/refresh", "workspace/diagnostic/refresh", "workspace/foldingRange/refresh",
		"workspace/inlayHint/refresh", "workspace/inlineValue/refresh", "workspace/semanticTokens/refresh":
		return nil, true
	}
	return nil, false
}

type applyEditResult struct {
	Applied       bool   `json:"applied"`
	FailureReason string `json:"failureReason"`
}

type showDocumentResult struct {
	Success bool `json:"success"`
}

// configuration answers one value per asked item, in order; an item without an
// answer is null (LSP 3.17, "Configuration Request").
func (h *serverHandler) configuration(params json.RawMessage) []any {
	var asked struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	_ = json.Unmarshal(params, &asked)
	values := make([]any, len(asked.Items))
	for i, item := range asked.Items {
		if h.opts.Configuration != nil {
			values[i] = h.opts.Configuration(item.Section)
		}
	}
	return values
}
