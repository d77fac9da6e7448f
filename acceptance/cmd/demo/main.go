// Command demo holds real MCP sessions with bin/typescript-ai-native-mcp and
// bin/rust-ai-native-mcp about code that is not on disk, and prints what was
// asked, what was answered, and how long it took, beside what the compiler takes
// for the same question. `make demo` runs it.
//
// A language whose own tools are missing is left out, with what to install. The
// exit status is 1 if a session failed, or if there was none.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"vibevm.org/acceptance/tsproject"
)

// half is what is shown of one language.
type half struct {
	language string
	server   string // in bin/
	// tool is what would be asked without an oracle.
	tool string
	// file is what the session is about.
	file  string
	steps []step
	// prepare makes a fresh project, and says in one line what it is.
	prepare func(context.Context) (project *tsproject.Project, about string, err error)
	// built is the directory of the project that compilers write to; empty for
	// none. The server's part of it is a folder of its own.
	built string
	// environment is the server's; nil for ours.
	environment func() []string
	// measure runs the tool on the file with this text on disk.
	measure func(ctx context.Context, project *tsproject.Project, content string) error
}

// missing is the error of a half whose tools are not installed.
type missing struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	shown := 0
	for _, h := range []half{typescript, rust} {
		fmt.Printf("════ %s\n\n", h.language)
		err := h.show(ctx)
		if without := (missing{}); errors.As(err, &without) {
			fmt.Printf("Left out: %v\n\n", without)
			continue
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "demo:", err)
			os.Exit(1)
		}
		shown++
	}
	if shown == 0 {
		fmt.Fprintln(os.Stderr, "demo: there was nothing to show")
		os.Exit(1)
	}
}

// checksum is the project's but for what is built in it.
func (h half) checksum(project *tsproject.Project) (string, error) {
	if h.built == "" {
		return project.Checksum()
	}
	return project.Checksum(h.built)
}

func (h half) show(ctx context.Context) error {
	project, about, err := h.prepare(ctx)
	if err != nil {
		return err
	}
	before, err := h.checksum(project)
	if err != nil {
		return err
	}
	fmt.Printf("The project: %s, in %s\n", about, short(project.Dir))
	fmt.Printf("Its checksum before the session: %.16s\n", before)

	var table timings
	if err := h.converse(ctx, project, &table); err != nil {
		return err
	}
	after, err := h.checksum(project)
	if err != nil {
		return err
	}
	fmt.Printf("\nThe project's checksum after the session: %.16s\n", after)
	if before != after {
		return errors.New("the session wrote into the project")
	}
	if h.built == "" {
		fmt.Println("Nothing was written.")
	} else {
		fmt.Printf("Nothing was written outside of %s.\n", h.built)
	}
	if err := table.measure(ctx, h, project); err != nil {
		return err
	}
	table.print(os.Stdout, h.tool)
	return nil
}
