package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// The file the session is about. It is not on disk, and never will be.
const file = "src/pricing/gift-wrap.tsx"

const broken = `import { add, money, type Money } from "@shop/money";
import { PriceTag } from "@shop/view/price-tag";

/** What wrapping a gift adds to its price. */
export const wrapping = money("USD", 3_50);

/** The price of a gift, wrapped. */
export function wrapped(price: Money<"EUR">): Money<"EUR"> {
  return add(price, wrapping);
}

export const WrappedTag = ({ price }: { readonly price: Money<"EUR"> }) => (
  <PriceTag amount={wrapped(price)} caption="Wrapped" />
);
`

var fixed = strings.NewReplacer(`money("USD", 3_50)`, `money("EUR", 3_50)`, `caption="Wrapped"`, `label="Wrapped"`).Replace(broken)

// unfinished stops after the dot that completion is asked about.
var unfinished = strings.Replace(fixed, "return add(price, wrapping);", "return price.", 1)

// step is one question of the session.
type step struct {
	title     string
	tool      string
	content   string
	arguments map[string]any
	show      string // the part of the content to print
	// judged questions are ones that tsc has an answer to as well.
	judged bool
}

var steps = []step{
	{
		title: "A file with two mistakes: would it compile?", tool: "tcg_validate",
		content: broken, show: broken, judged: true,
	},
	{
		title: "The same file, mended", tool: "tcg_validate",
		content: fixed, show: `money("EUR", 3_50) … label="Wrapped"`, judged: true,
	},
	{
		title: "What is in scope inside the function?", tool: "tcg_scope",
		content: fixed, show: "  return add(price, wrapping);\n  ^ here",
		arguments: map[string]any{"position": map[string]any{"line": 9, "character": 2}},
	},
	{
		title: "What can be called on a price?", tool: "tcg_complete",
		content: unfinished, show: "  return price.\n               ^ here",
		arguments: map[string]any{"position": "9:15"},
	},
	{
		title: "What does add() take, here?", tool: "tcg_type",
		content: fixed, show: "  return add(price, wrapping);\n         ^ here",
		arguments: map[string]any{"position": "9:9"},
	},
}

// converse starts the server, asks the questions and prints the transcript.
func converse(ctx context.Context, shop *tsproject.Project, table *timings) error {
	path, err := server()
	if err != nil {
		return err
	}
	fmt.Printf("\n$ %s --path %s\n", short(path), short(shop.Dir))
	began := time.Now()
	session, err := mcppipe.Start(mcppipe.Server{Path: path, Args: []string{"--path", shop.Dir}})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close(ctx) }()
	if _, err := session.Initialize(ctx); err != nil {
		return err
	}
	fmt.Printf("initialized %.0f ms after the process was started\n", ms(time.Since(began)))

	for i, s := range steps {
		arguments := map[string]any{"file": file, "content": s.content}
		for name, value := range s.arguments {
			arguments[name] = value
		}
		began := time.Now()
		answer, err := session.CallTool(ctx, s.tool, arguments)
		if err != nil {
			return err
		}
		took := time.Since(began)
		fmt.Printf("\n──── %d. %s\n", i+1, s.title)
		fmt.Printf("→ %s %s%s\n", s.tool, file, at(s))
		fmt.Println(indent("  │ ", s.show))
		fmt.Printf("← isError: %v, %.1f ms\n", answer.IsError, ms(took))
		fmt.Println(indent("  ", answer.Text))
		warm, err := repeat(ctx, session, s.tool, arguments)
		if err != nil {
			return err
		}
		table.add(s, took, warm)
	}
	if err := session.Close(ctx); err != nil {
		return err
	}
	return errors.Join(session.Violation())
}

// repeat asks a question again, ten times, and returns the median.
func repeat(ctx context.Context, session *mcppipe.Session, tool string, arguments map[string]any) (time.Duration, error) {
	var taken []time.Duration
	text := arguments["content"].(string)
	for i := range 10 {
		// Another text each time, so that nothing can be answered from memory.
		arguments["content"] = fmt.Sprintf("%s// %d\n", text, i)
		began := time.Now()
		if _, err := session.CallTool(ctx, tool, arguments); err != nil {
			return 0, err
		}
		taken = append(taken, time.Since(began))
	}
	return median(taken), nil
}

func at(s step) string {
	switch position := s.arguments["position"].(type) {
	case string:
		return " at " + position
	case map[string]any:
		return fmt.Sprintf(" at %v:%v", position["line"], position["character"])
	}
	return ""
}

func indent(prefix, text string) string {
	return prefix + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+prefix)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
