package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// InitializeParams are what differs between servers; Initialize adds the rest.
type InitializeParams struct {
	// RootPath is the absolute path of the workspace folder.
	RootPath string
	// ClientName and ClientVersion introduce us.
	ClientName, ClientVersion string
	// Encodings are offered in this order; none means UTF-16 alone, which
	// every server must support.
	Encodings []Encoding
	// Capabilities are the ClientCapabilities without general.positionEncodings.
	Capabilities map[string]any
	// Options are the server's own initializationOptions.
	Options any
}

// InitializeResult is what the server said about itself.
type InitializeResult struct {
	Capabilities struct {
		PositionEncoding Encoding `json:"positionEncoding"`
	} `json:"capabilities"`
	ServerInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
	// Raw is the whole answer.
	Raw json.RawMessage `json:"-"`
}

// Initialize performs the handshake, `initialized` included. Our process id
// goes along, so that a server that watches its parent ends with us even if
// we are killed.
func (c *Client) Initialize(ctx context.Context, p InitializeParams) (InitializeResult, error) {
	encodings := p.Encodings
	if len(encodings) == 0 {
		encodings = []Encoding{UTF16}
	}
	capabilities := map[string]any{}
	for name, value := range p.Capabilities {
		capabilities[name] = value
	}
	capabilities["general"] = map[string]any{"positionEncodings": encodings}
	root := PathToURI(p.RootPath)
	params := map[string]any{
		"processId":             os.Getpid(),
		"clientInfo":            map[string]string{"name": p.ClientName, "version": p.ClientVersion},
		"rootUri":               root,
		"workspaceFolders":      []map[string]string{{"uri": root, "name": "root"}},
		"capabilities":          capabilities,
		"initializationOptions": p.Options,
	}
	var raw json.RawMessage
	if err := c.Call(ctx, "initialize", params, &raw); err != nil {
		return InitializeResult{}, err
	}
	result := InitializeResult{Raw: raw}
	if err := json.Unmarshal(raw, &result); err != nil {
		return InitializeResult{}, fmt.Errorf("initialize answer: %w", err)
	}
	chosen := result.Capabilities.PositionEncoding
	if chosen == "" { // LSP 3.17: an absent positionEncoding is utf-16
		chosen = UTF16
	}
	if chosen != UTF16 && !slices.Contains(encodings, chosen) {
		return InitializeResult{}, fmt.Errorf("the server chose the position encoding %q, which was not offered", chosen)
	}
	c.encoding.Store(chosen)
	return result, c.Notify("initialized", struct{}{})
}

// Encoding is the position encoding that was negotiated, UTF-16 before that.
func (c *Client) Encoding() Encoding { return c.encoding.Load().(Encoding) }
