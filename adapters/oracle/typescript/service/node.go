package service

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// Node is an installed node that can run the script.
type Node struct {
	Path    string
	Version string
	// Memory is what the machine, or the container we are in, has, in MiB.
	Memory int
}

// oldestNode is the oldest major version that can run the script.
const oldestNode = 18

// probeTime is what a candidate gets to say its version.
const probeTime = 10 * time.Second

// FindNode finds a node that can run the script: on PATH first, then where
// version managers and installers put it, since a program that was started by a
// desktop has a short PATH. A candidate counts only if it really runs. The
// error is an *oracleproto.Error that lists what was tried, or the context's.
func FindNode(ctx context.Context) (Node, error) {
	home, _ := os.UserHomeDir() // without one, only the rest is searched
	return newNodeSearch(runtime.GOOS, home, os.Getenv).find(ctx, probe)
}

// find tries candidates until one is good enough.
func (s *nodeSearch) find(ctx context.Context, probe func(context.Context, string) (Node, error)) (Node, error) {
	var rejected []string
	seen := map[string]bool{}
	for _, c := range s.candidates() {
		if seen[c.path] {
			continue
		}
		seen[c.path] = true
		if c.unfit != "" {
			rejected = append(rejected, c.path+" ("+c.origin+"): "+c.unfit)
			continue
		}
		node, err := probe(ctx, c.path)
		if ctx.Err() != nil {
			return Node{}, ctx.Err()
		}
		if err == nil {
			err = recent(node.Version)
		}
		if err == nil {
			return node, nil
		}
		rejected = append(rejected, fmt.Sprintf("%s (%s): %v", c.path, c.origin, err))
	}
	detail := fmt.Sprintf("TypeScript 5 and 6 run in node %d or newer, and none was found", oldestNode)
	if len(rejected) > 0 {
		detail += "; tried " + strings.Join(rejected, ", ")
	}
	return Node{}, &oracleproto.Error{
		Kind:   oracleproto.KindNodeMissing,
		Detail: detail + "; looked on PATH and in " + strings.Join(s.places, ", "),
		Recipe: "install node from https://nodejs.org, or put the directory of an installed one on PATH for this server",
	}
}

// recent is nil for a version that can run the script.
func recent(version string) error {
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return fmt.Errorf("%q is no version", version)
	}
	if n < oldestNode {
		return fmt.Errorf("version %s is too old", version)
	}
	return nil
}

// probe runs a candidate. Whatever answers like node is one, also under an old
// version that knows no containers.
func probe(ctx context.Context, path string) (Node, error) {
	const question = `JSON.stringify({version: process.versions.node, total: require('os').totalmem(), limit: process.constrainedMemory ? process.constrainedMemory() : 0})`
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	out, err := child.Run(ctx, child.Spec{Path: path, Args: []string{"-p", question}, Env: environment()}, nil)
	if err != nil {
		return Node{}, err
	}
	var answer struct {
		Version string
		Total   float64 // bytes
		Limit   float64 // bytes; 0 or beyond the total for none
	}
	if err := json.Unmarshal(out, &answer); err != nil || answer.Version == "" {
		return Node{}, fmt.Errorf("it answered %.60q", strings.TrimSpace(string(out)))
	}
	memory := answer.Total
	if answer.Limit > 0 {
		memory = min(memory, answer.Limit)
	}
	return Node{Path: path, Version: answer.Version, Memory: int(memory / (1 << 20))}, nil
}

// environment is ours without what would make node run more than the script.
func environment() []string {
	var env []string
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); !strings.EqualFold(name, "NODE_OPTIONS") {
			env = append(env, e)
		}
	}
	return env
}
