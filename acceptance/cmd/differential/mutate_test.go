package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sample = `// await import("in a comment") { 1 "text" }
import type { Money } from "./money";
import { add, times as multiply } from './money';

/* return function ( string */
export const greeting = ` + "`hello ${add({ a: `nested ${1}` }.a, 2)} {`" + `, pattern = /["')/]+/g;

export class Purse {
  private readonly coins: number[] = [];

  async count(most: number, least: Money): Promise<string> {
    let total = 0;
    const coin = this.coins[0]!;
    for (const each of this.coins) {
      total += multiply(each, 2);
    }
    const limit = total === most ? least?.cents : total / 2;
    await add({ deep: 1, coin }, limit ?? 3);
    greeting.toString();
    return "it's " + total;
  }
}
`

func TestLexingLosesNothing(t *testing.T) {
	for _, text := range []string{sample, "", "'", "`${", "/* ", "a\n'b\nc", "😀 /x", "#!/usr/bin/env node\nx / y / z"} {
		var joined strings.Builder
		for _, token := range lex(text) {
			assert.Equal(t, token.text, text[token.from:token.to])
			joined.WriteString(token.text)
		}
		assert.Equal(t, text, joined.String())
	}
	var found []string
	for _, token := range lex(sample) {
		if token.kind == template || token.kind == regex || token.kind == text && strings.Contains(token.text, "it") {
			found = append(found, token.text)
		}
	}
	assert.Equal(t, []string{"`hello ${add({ a: `nested ${1}` }.a, 2)} {`", `/["')/]+/g`, `"it's "`}, found)
}

// Every kind finds a place in the sample, changes it, and hits code: comments
// stay, unless whole lines go.
func TestEveryRuleChangesCode(t *testing.T) {
	require.GreaterOrEqual(t, len(rules), 40)
	names := map[string]bool{}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			assert.False(t, names[r.name], "two rules of one name")
			names[r.name] = true
			for seed := range uint64(50) {
				random := rand.New(rand.NewPCG(seed, 0))
				mutated, ok := mutate(newSource(sample), r, random)
				require.True(t, ok)
				require.NotEqual(t, sample, mutated)
				for line := range strings.Lines("// await import(\"in a comment\") { 1 \"text\" }\n/* return function ( string */\n") {
					assert.Contains(t, strings.ReplaceAll(mutated, "\r\n", "\n"), line)
				}
				again, _ := mutate(newSource(sample), r, rand.New(rand.NewPCG(seed, 0)))
				require.Equal(t, mutated, again, "a seed makes the same mutation")
			}
		})
	}
}
