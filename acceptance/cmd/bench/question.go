package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// chainQuestion is asked of both contestants. variant makes a new text for
// each sample, so that nothing can be answered from memory.
type chainQuestion struct {
	title, tool     string
	variant         func(i int) string
	line, character int
}

func questionsAbout(text string) []chainQuestion {
	text = strings.TrimRight(text, "\n") + "\n"
	with := func(format string) func(int) string {
		return func(i int) string { return text + fmt.Sprintf(format, i) }
	}
	last := strings.Count(text, "\n") + 1
	return []chainQuestion{
		{title: "validate, clean", tool: "tcg_validate", variant: with("export const sample%d = 1;\n")},
		{title: "validate, type error", tool: "tcg_validate", variant: with("export const sample%d: string = 1;\n")},
		{title: "validate, syntax error", tool: "tcg_validate", variant: with("export const sample%d: string = ;\n")},
		{title: "complete, 50 with types", tool: "tcg_complete", variant: with("export const sample%d = \"\".toUpperCase();\n\"\".\n"), line: last + 1, character: 3},
		{title: "type", tool: "tcg_type", variant: with("export const sample%d = 1;\n"), line: last, character: 14},
		{title: "scope", tool: "tcg_scope", variant: with("export const sample%d = 1;\n"), line: last, character: 0},
	}
}

// measure asks the chain and the compiler in turn.
func (q chainQuestion) measure(p pair, file string, samples int) (comparison, error) {
	var c comparison
	const warmUp = 5
	for i := range samples + warmUp {
		text := q.variant(i)
		var chain, lsp sample
		var err error
		ask := []func() error{
			func() error { chain, err = q.askChain(p.chain, file, text); return err },
			func() error { lsp, err = q.askLSP(p.lsp, file, text); return err },
		}
		if i%2 == 1 {
			slices.Reverse(ask)
		}
		for _, step := range ask {
			if err := step(); err != nil {
				return c, err
			}
		}
		if q.tool == "tcg_validate" && chain.found != lsp.found {
			return c, fmt.Errorf("the chain found %d errors, the compiler alone %d", chain.found, lsp.found)
		}
		if i < warmUp {
			continue
		}
		c.chain = append(c.chain, chain.ms)
		if q.tool != "tcg_scope" { // LSP has no such request
			c.lsp = append(c.lsp, lsp.ms)
		}
	}
	return c, nil
}

// sample is one answer: how long it took, and how many errors it found.
type sample struct {
	ms    float64
	found int
}

func (q chainQuestion) askChain(chain *rpcClient, file, text string) (sample, error) {
	arguments := object{"file": file, "content": text}
	if q.line > 0 {
		arguments["position"] = object{"line": q.line, "character": q.character}
	}
	began := time.Now()
	raw, err := chain.request("tools/call", object{"name": q.tool, "arguments": arguments})
	if err != nil {
		return sample{}, err
	}
	var result struct {
		StructuredContent struct {
			Error       json.RawMessage   `json:"error"`
			Diagnostics []json.RawMessage `json:"diagnostics"`
		} `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &result); err != nil || result.StructuredContent.Error != nil {
		return sample{}, fmt.Errorf("%s: %s", q.tool, raw)
	}
	return sample{ms(began), len(result.StructuredContent.Diagnostics)}, nil
}

func (q chainQuestion) askLSP(lsp *lspClient, file, text string) (sample, error) {
	var found int
	var err error
	began := time.Now()
	switch q.tool {
	case "tcg_validate":
		found, err = lsp.validate(file, text)
	case "tcg_complete":
		found, err = lsp.complete(file, text, q.line, q.character, 50)
	case "tcg_type":
		err = lsp.hover(file, text, q.line, q.character)
	}
	return sample{ms(began), found}, err
}
