package main

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
)

// lspClient talks to `tsc --lsp --stdio` directly: what an editor does, with
// nothing of ours in between.
type lspClient struct {
	*rpcClient
	dir     string
	version int
	open    map[string]bool
}

func startLSP(ctx context.Context, compiler, dir string) (*lspClient, error) {
	rpc, err := startRPC(ctx, dir, false, compiler, "--lsp", "--stdio")
	if err != nil {
		return nil, err
	}
	c := &lspClient{rpcClient: rpc, dir: dir, open: map[string]bool{}}
	_, err = c.request("initialize", object{
		"processId": nil, "rootUri": uriOf(dir),
		// As the chain asks: a compiler that logs answers later.
		"initializationOptions": object{"disablePushDiagnostics": false, "logVerbosity": 5},
		"capabilities": object{
			"general":   object{"positionEncodings": []string{"utf-16"}},
			"workspace": object{"configuration": true},
			"textDocument": object{
				"diagnostic": object{"relatedInformation": true},
				"hover":      object{"contentFormat": []string{"markdown"}},
				"completion": object{"completionItem": object{"resolveSupport": object{"properties": []string{"detail", "documentation"}}}},
			},
		},
	})
	if err != nil {
		return nil, err
	}
	return c, c.write(object{"jsonrpc": "2.0", "method": "initialized", "params": object{}})
}

func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// set makes text stand for a file.
func (c *lspClient) set(file, text string) error {
	c.version++
	uri := uriOf(filepath.Join(c.dir, file))
	if c.open[file] {
		return c.write(object{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": object{
			"textDocument":   object{"uri": uri, "version": c.version},
			"contentChanges": []object{{"text": text}},
		}})
	}
	c.open[file] = true
	language := "typescript"
	if strings.HasSuffix(file, "x") {
		language = "typescriptreact"
	}
	return c.write(object{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": object{
		"textDocument": object{"uri": uri, "languageId": language, "version": c.version, "text": text},
	}})
}

func (c *lspClient) document(file string) object {
	return object{"uri": uriOf(filepath.Join(c.dir, file))}
}

// validate sets the text and pulls the diagnostics; it returns how many there
// are of severity error or warning.
func (c *lspClient) validate(file, text string) (int, error) {
	if err := c.set(file, text); err != nil {
		return 0, err
	}
	raw, err := c.request("textDocument/diagnostic", object{"textDocument": c.document(file)})
	if err != nil {
		return 0, err
	}
	var report struct {
		Items []struct{ Severity int }
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return 0, err
	}
	found := 0
	for _, item := range report.Items {
		if item.Severity <= 2 {
			found++
		}
	}
	return found, nil
}

// complete sets the text, lists completions and resolves the first of them.
func (c *lspClient) complete(file, text string, line, character, limit int) (int, error) {
	if err := c.set(file, text); err != nil {
		return 0, err
	}
	raw, err := c.request("textDocument/completion", object{
		"textDocument": c.document(file), "position": object{"line": line - 1, "character": character},
	})
	if err != nil {
		return 0, err
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(raw, &list); err != nil {
		return 0, err
	}
	var answers []<-chan rpcMessage
	for _, item := range list.Items[:min(limit, len(list.Items))] {
		answer, err := c.send("completionItem/resolve", item)
		if err != nil {
			return 0, err
		}
		answers = append(answers, answer)
	}
	for _, answer := range answers {
		if _, err := receive(answer); err != nil {
			return 0, err
		}
	}
	return len(answers), nil
}

// hover sets the text and asks what stands at a place.
func (c *lspClient) hover(file, text string, line, character int) error {
	if err := c.set(file, text); err != nil {
		return err
	}
	_, err := c.request("textDocument/hover", object{
		"textDocument": c.document(file), "position": object{"line": line - 1, "character": character},
	})
	return err
}
