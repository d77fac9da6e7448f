package main

import (
	"fmt"
	"slices"
	"strings"

	"vibevm.org/acceptance/differential"
	"vibevm.org/acceptance/tsproject"
)

// comparison is one question with both answers.
type comparison struct {
	edit   differential.Edit
	answer differential.Answer
	said   []tsproject.Diagnostic
}

// difference names how the server's answer differs from what tsc printed; empty
// when it does not.
func (c comparison) difference() string {
	said, answered := differential.Render(c.said), differential.Render(c.answer.Diagnostics)
	switch {
	case c.answer.Verdict == "unknown":
		return "no verdict: " + c.answer.Reason
	case said == answered && (c.answer.Verdict == "clean") != (len(c.said) == 0):
		return "verdict " + c.answer.Verdict
	case said == answered:
		return ""
	case len(c.said) == 0:
		return "only the server finds errors"
	case len(c.answer.Diagnostics) == 0:
		return "only tsc finds errors"
	case places(c.said) != places(c.answer.Diagnostics):
		return "other places or codes"
	case slices.Equal(words(said), words(answered)):
		return "order of the words in a message"
	default:
		return "other messages"
	}
}

func places(list []tsproject.Diagnostic) string {
	var out strings.Builder
	for _, d := range list {
		fmt.Fprintf(&out, "%d:%d TS%d\n", d.Line, d.Character, d.Code)
	}
	return out.String()
}

func words(message string) []string {
	list := strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune(" |&;,", r) })
	slices.Sort(list)
	return list
}

// print shows a difference: the lines only one of both has.
func (c comparison) print(n int) {
	fmt.Printf("\n#%d %s: %s: %s (%s)\n", n, c.edit.File, c.edit.Name, c.difference(), c.answer.Config)
	said, answered := strings.Split(differential.Render(c.said), "\n"), strings.Split(differential.Render(c.answer.Diagnostics), "\n")
	for _, line := range said {
		if line != "" && !slices.Contains(answered, line) {
			fmt.Println("  tsc:   ", line)
		}
	}
	for _, line := range answered {
		if line != "" && !slices.Contains(said, line) {
			fmt.Println("  server:", line)
		}
	}
}

// report prints every difference and the share that has none; it is true when
// that is all of them.
func report(what string, list []comparison) bool {
	kinds := map[string]int{}
	equal, clean := 0, 0
	for n, c := range list {
		if len(c.said) == 0 {
			clean++
		}
		if c.difference() == "" {
			equal++
			continue
		}
		kinds[c.difference()]++
		c.print(n)
	}
	fmt.Printf("\n%d of %d %s equal (%.1f %%); tsc finds nothing in %d of them\n", equal, len(list), what, 100*float64(equal)/float64(max(1, len(list))), clean)
	for kind, count := range kinds {
		fmt.Printf("  %d × %s\n", count, kind)
	}
	return equal == len(list)
}
