package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lspClient talks to `tsc --lsp --stdio` directly: what an editor does, with
// nothing of ours in between.
type lspClient struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	dir string

	writing sync.Mutex
	mu      sync.Mutex
	pending map[int]chan lspMessage
	next    int
	version int
	open    map[string]bool
}

type lspMessage struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

type object = map[string]any

func startLSP(ctx context.Context, compiler, dir string) (*lspClient, error) {
	cmd := exec.CommandContext(ctx, compiler, "--lsp", "--stdio")
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &lspClient{cmd: cmd, in: in, dir: dir, pending: map[int]chan lspMessage{}, open: map[string]bool{}}
	go c.read(bufio.NewReaderSize(out, 1<<20))
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

func (c *lspClient) stop() {
	_ = c.in.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_ = c.cmd.Wait()
}

func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

func (c *lspClient) write(message object) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.in.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return err
}

func (c *lspClient) read(out *bufio.Reader) {
	for {
		length := 0
		for {
			line, err := out.ReadString('\n')
			if err != nil {
				c.fail()
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if value, ok := strings.CutPrefix(line, "Content-Length:"); ok {
				length, _ = strconv.Atoi(strings.TrimSpace(value))
			}
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(out, body); err != nil {
			c.fail()
			return
		}
		var message lspMessage
		if json.Unmarshal(body, &message) != nil {
			continue
		}
		switch {
		case message.Method != "" && message.ID != nil:
			c.answer(message)
		case message.ID != nil:
			id, _ := strconv.Atoi(string(message.ID))
			c.mu.Lock()
			waiting := c.pending[id]
			delete(c.pending, id)
			c.mu.Unlock()
			if waiting != nil {
				waiting <- message
			}
		}
	}
}

// answer replies to the compiler's own requests; without settings it would wait.
func (c *lspClient) answer(message lspMessage) {
	var result any
	if message.Method == "workspace/configuration" {
		var params struct{ Items []any }
		_ = json.Unmarshal(message.Params, &params)
		settings := object{
			"suggest":                     object{"autoImports": false},
			"tsserver":                    object{"automaticTypeAcquisition": object{"enabled": false}},
			"reportStyleChecksAsWarnings": false,
		}
		list := []any{}
		for range params.Items {
			list = append(list, settings)
		}
		result = list
	}
	_ = c.write(object{"jsonrpc": "2.0", "id": message.ID, "result": result})
}

// fail ends every waiting request when the compiler is gone.
func (c *lspClient) fail() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, waiting := range c.pending {
		close(waiting)
	}
	c.pending = map[int]chan lspMessage{}
}

// send writes a request and returns the channel of its answer.
func (c *lspClient) send(method string, params any) (<-chan lspMessage, error) {
	answer := make(chan lspMessage, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.pending[id] = answer
	c.mu.Unlock()
	return answer, c.write(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

func (c *lspClient) request(method string, params any) (json.RawMessage, error) {
	answer, err := c.send(method, params)
	if err != nil {
		return nil, err
	}
	return receive(answer)
}

func receive(answer <-chan lspMessage) (json.RawMessage, error) {
	select {
	case message, ok := <-answer:
		switch {
		case !ok:
			return nil, fmt.Errorf("the compiler ended")
		case message.Error != nil:
			return nil, fmt.Errorf("LSP error %d: %s", message.Error.Code, message.Error.Message)
		}
		return message.Result, nil
	case <-time.After(2 * time.Minute):
		return nil, fmt.Errorf("the compiler did not answer")
	}
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
	var answers []<-chan lspMessage
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
