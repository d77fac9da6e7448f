package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vibevm.org/acceptance/tsproject"
)

// contestant is an echo server and how it is run.
type contestant struct {
	name string
	argv []string
	// handshakeOnly is for servers without an echo tool.
	handshakeOnly bool
}

// metric is one column of the table.
type metric struct{ key, title string }

var coreMetrics = []metric{
	{"start", "start, ms"},
	{"p50", "call p50, µs"},
	{"p99", "call p99, µs"},
	{"rate", "pipelined, calls/s"},
	{"big", "1 MiB, ms"},
	{"rss0", "RSS at start, MiB"},
	{"rss", "RSS after calls, MiB"},
}

const (
	starts     = 10
	sequential = 2000
	pipelined  = 20000
	bigCalls   = 10
	bigSize    = 1 << 20
)

// benchCore compares the core's test server with other servers.
func benchCore(ctx context.Context, rounds int) error {
	contestants, err := prepareContestants(ctx)
	if err != nil {
		return err
	}
	figures := map[string][]map[string]float64{}
	for round := range rounds {
		for i := range contestants {
			c := contestants[(i+round)%len(contestants)] // everybody goes first in turn
			measured, err := measureContestant(ctx, c)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			figures[c.name] = append(figures[c.name], measured)
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, rounds, c.name)
		}
	}
	fmt.Printf("\nThe transport alone: medians of %d rounds, in brackets the paired ratio to %q\n\n", rounds, contestants[0].name)
	head := []string{"server"}
	for _, m := range coreMetrics {
		head = append(head, m.title)
	}
	rows := [][]string{head}
	base := figures[contestants[0].name]
	for _, c := range contestants {
		row := []string{c.name}
		for _, m := range coreMetrics {
			var values, ratios []float64
			for round, figure := range figures[c.name] {
				if value, ok := figure[m.key]; ok {
					values = append(values, value)
					ratios = append(ratios, value/base[round][m.key])
				}
			}
			cell := "–"
			if len(values) > 0 {
				cell = fmt.Sprintf("%.4g (%.2f×)", median(values), median(ratios))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	printTable(os.Stdout, rows)
	return nil
}

// prepareContestants builds the servers into .cache/bench.
func prepareContestants(ctx context.Context) ([]contestant, error) {
	root, err := tsproject.Repository()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, ".cache", "bench")
	if err := os.MkdirAll(filepath.Join(dir, "node"), 0o755); err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator),
		"./acceptance/cmd/bench/echo/plain", "./acceptance/cmd/bench/echo/gosdk", "./acceptance/cmd/bench/echo/mcpgo", "./core/coretest/testserver")
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	clients, err := tsproject.Installed("clients")
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(root, "acceptance", "cmd", "bench", "echo", "node", "sdk-v1.mjs"))
	if err != nil {
		return nil, err
	}
	// Beside the packages it imports.
	placed := filepath.Join(clients, "echo-sdk-v1.mjs")
	if err := os.WriteFile(placed, script, 0o600); err != nil {
		return nil, err
	}
	return []contestant{
		{name: "plain encoding/json", argv: []string{filepath.Join(dir, "plain")}},
		{name: "core", argv: []string{filepath.Join(dir, "testserver")}},
		{name: "go-sdk", argv: []string{filepath.Join(dir, "gosdk")}},
		{name: "mcp-go", argv: []string{filepath.Join(dir, "mcpgo")}},
		{name: "TypeScript SDK v1", argv: []string{"node", placed}},
		{name: "typescript-ai-native-mcp", argv: []string{filepath.Join(root, "bin", "typescript-ai-native-mcp"), "--path", root}, handshakeOnly: true},
	}, nil
}

// measureContestant is one round of one server.
func measureContestant(ctx context.Context, c contestant) (map[string]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var startups, rss []float64
	for range starts {
		began := time.Now()
		p, err := startPeer(ctx, c.argv)
		if err != nil {
			return nil, err
		}
		err = p.initialize()
		startups = append(startups, ms(began))
		rss = append(rss, p.peakRSS())
		p.stop()
		if err != nil {
			return nil, err
		}
	}
	figures := map[string]float64{"start": median(startups), "rss0": median(rss)}
	if c.handshakeOnly {
		return figures, nil
	}
	p, err := startPeer(ctx, c.argv)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	if err := p.initialize(); err != nil {
		return nil, err
	}
	if err := checkEcho(p, "hello"); err != nil {
		return nil, err
	}
	var taken []float64
	for i := range sequential + sequential/5 {
		began := time.Now()
		if _, err := p.echo("hello"); err != nil {
			return nil, err
		}
		if i >= sequential/5 { // the first fifth is to warm up
			taken = append(taken, us(began))
		}
	}
	figures["p50"], figures["p99"] = quantile(taken, 0.5), quantile(taken, 0.99)
	if figures["rate"], err = pipeline(p); err != nil {
		return nil, err
	}
	figures["rss"] = p.peakRSS()
	figures["big"], err = measureBig(ctx, c)
	return figures, err
}

// pipeline writes many calls without waiting and returns answers per second.
func pipeline(p *peer) (float64, error) {
	first := p.next + 1
	var frames []byte
	for i := range pipelined {
		frames = append(frames, echoFrame(first+i, "hello")...)
	}
	p.next += pipelined
	written := make(chan error, 1)
	began := time.Now()
	go func() {
		for rest := frames; len(rest) > 0; {
			n := min(len(rest), 64<<10)
			if _, err := p.in.Write(rest[:n]); err != nil {
				written <- err
				return
			}
			rest = rest[n:]
		}
		written <- nil
	}()
	answered := make([]bool, pipelined)
	for got := 0; got < pipelined; {
		line, err := p.out.ReadSlice('\n')
		if err != nil {
			return 0, fmt.Errorf("%d of %d pipelined calls answered: %w", got, pipelined, err)
		}
		if id, ok := idOf(line); ok && id >= first && id < first+pipelined && !answered[id-first] {
			answered[id-first] = true
			got++
		}
	}
	rate := pipelined / time.Since(began).Seconds()
	return rate, <-written
}

// measureBig is the median of calls with a megabyte each way, on a process of
// its own.
func measureBig(ctx context.Context, c contestant) (float64, error) {
	p, err := startPeer(ctx, c.argv)
	if err != nil {
		return 0, err
	}
	defer p.stop()
	if err := p.initialize(); err != nil {
		return 0, err
	}
	text := strings.Repeat("some \"quoted\" text & a <tag>, line after line\n", bigSize/46+1)[:bigSize]
	if err := checkEcho(p, text); err != nil {
		return 0, err
	}
	var taken []float64
	for range bigCalls {
		began := time.Now()
		if _, err := p.echo(text); err != nil {
			return 0, err
		}
		taken = append(taken, ms(began))
	}
	return median(taken), nil
}

// checkEcho makes sure that what is measured is the right answer.
func checkEcho(p *peer, text string) error {
	line, err := p.echo(text)
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if len(answer.Result.Content) != 1 || answer.Result.Content[0].Text != text {
		return fmt.Errorf("wrong answer: %.200s", line)
	}
	return nil
}
