package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// rpcClient is the client of both contestants, so that what it costs itself is
// the same on both sides. They differ in framing alone.
type rpcClient struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines bool // one message a line, as MCP has it; else with LSP's headers

	writing sync.Mutex
	mu      sync.Mutex
	pending map[int]chan rpcMessage
	next    int
}

type rpcMessage struct {
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

func startRPC(ctx context.Context, dir string, lines bool, path string, args ...string) (*rpcClient, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	in, out, err := startPiped(cmd)
	if err != nil {
		return nil, err
	}
	c := &rpcClient{cmd: cmd, in: in, lines: lines, pending: map[int]chan rpcMessage{}}
	go c.read(out)
	return c, nil
}

func (c *rpcClient) stop() { endPiped(c.cmd, c.in) }

func (c *rpcClient) write(message object) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.lines {
		_, err = c.in.Write(append(body, '\n'))
	} else {
		_, err = c.in.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	}
	return err
}

func (c *rpcClient) read(out *bufio.Reader) {
	for {
		body, err := c.readMessage(out)
		if err != nil {
			c.fail()
			return
		}
		var message rpcMessage
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

func (c *rpcClient) readMessage(out *bufio.Reader) ([]byte, error) {
	if c.lines {
		return out.ReadBytes('\n')
	}
	length := 0
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length:"); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	body := make([]byte, length)
	_, err := io.ReadFull(out, body)
	return body, err
}

// answer replies to the compiler's own requests; without settings it would wait.
func (c *rpcClient) answer(message rpcMessage) {
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
func (c *rpcClient) fail() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, waiting := range c.pending {
		close(waiting)
	}
	c.pending = map[int]chan rpcMessage{}
}

// send writes a request and returns the channel of its answer.
func (c *rpcClient) send(method string, params any) (<-chan rpcMessage, error) {
	answer := make(chan rpcMessage, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.pending[id] = answer
	c.mu.Unlock()
	return answer, c.write(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

func (c *rpcClient) request(method string, params any) (json.RawMessage, error) {
	answer, err := c.send(method, params)
	if err != nil {
		return nil, err
	}
	return receive(answer)
}

func receive(answer <-chan rpcMessage) (json.RawMessage, error) {
	select {
	case message, ok := <-answer:
		switch {
		case !ok:
			return nil, fmt.Errorf("the process ended")
		case message.Error != nil:
			return nil, fmt.Errorf("error %d: %s", message.Error.Code, message.Error.Message)
		}
		return message.Result, nil
	case <-time.After(2 * time.Minute):
		return nil, fmt.Errorf("no answer came")
	}
}
