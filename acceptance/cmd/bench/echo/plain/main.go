// Command plain is an MCP server in the plainest Go: bufio, encoding/json, one
// write per frame. It is the base of the benchmark's ratios.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// A server that mounts any tool cannot know the arguments' types before it has
// read the method and the tool's name, so frames are parsed in three steps.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type echoArguments struct {
	Text string `json:"text"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

type object = map[string]any

func main() {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var req request
		if err := json.Unmarshal(line, &req); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		if len(req.ID) == 0 {
			continue
		}
		res := response{Version: "2.0", ID: req.ID}
		switch req.Method {
		case "initialize":
			res.Result = object{
				"protocolVersion": "2024-11-05", "serverInfo": object{"name": "plain", "version": "0"},
				"capabilities": object{"tools": object{"listChanged": false}},
			}
		case "tools/call":
			res.Result, res.Error = call(req.Params)
		default:
			res.Error = object{"code": -32601, "message": "method not found"}
		}
		frame, err := json.Marshal(res)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if _, err := os.Stdout.Write(append(frame, '\n')); err != nil {
			os.Exit(1)
		}
	}
}

// call answers a tools/call.
func call(raw json.RawMessage) (result, failure any) {
	var params callParams
	if err := json.Unmarshal(raw, &params); err != nil || params.Name != "echo" {
		return nil, object{"code": -32602, "message": "there is one tool: echo"}
	}
	var arguments echoArguments
	if err := json.Unmarshal(params.Arguments, &arguments); err != nil {
		return nil, object{"code": -32602, "message": err.Error()}
	}
	return object{"content": []object{{"type": "text", "text": arguments.Text}}}, nil
}
