package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// step is one question of a session.
type step struct {
	title string
	tool  string
	// content is the file's whole text; or text is what goes to the end of it.
	content, text string
	arguments     map[string]any
	show          string // the part of the content to print
	// judged questions are ones that the tool has an answer to as well.
	judged bool
}

// whole is the text that stands for the file.
func (h half) whole(project *tsproject.Project, s step) (string, error) {
	if s.text == "" {
		return s.content, nil
	}
	before, err := project.Read(h.file)
	return before + s.text, err
}

// converse starts the server, asks the questions and prints the transcript.
func (h half) converse(ctx context.Context, project *tsproject.Project, table *timings) error {
	path, err := built(h.server)
	if err != nil {
		return err
	}
	fmt.Printf("\n$ %s --path %s\n", short(path), short(project.Dir))
	server := mcppipe.Server{Path: path, Args: []string{"--path", project.Dir}}
	if h.environment != nil {
		server.Env = h.environment()
	}
	began := time.Now()
	session, err := mcppipe.Start(server)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close(ctx) }()
	if _, err := session.Initialize(ctx); err != nil {
		return err
	}
	fmt.Printf("initialized %.0f ms after the process was started\n", ms(time.Since(began)))

	asked := make([]map[string]any, len(h.steps))
	for i, s := range h.steps {
		content, err := h.whole(project, s)
		if err != nil {
			return err
		}
		arguments := map[string]any{"file": h.file, "content": content}
		maps.Copy(arguments, s.arguments)
		asked[i] = arguments
		began := time.Now()
		answer, err := session.CallTool(ctx, s.tool, arguments)
		if err != nil {
			return err
		}
		took := time.Since(began)
		fmt.Printf("\n──── %d. %s\n", i+1, s.title)
		fmt.Printf("→ %s %s%s\n", s.tool, h.file, at(s))
		fmt.Println(indent("  │ ", s.show))
		fmt.Printf("← isError: %v, %.1f ms\n", answer.IsError, ms(took))
		fmt.Println(indent("  ", answer.Text))
		table.rows = append(table.rows, timing{step: s, first: took})
	}
	// Now that everything is loaded, once more.
	for i := range table.rows {
		if table.rows[i].warm, err = repeat(ctx, session, h.steps[i].tool, asked[i]); err != nil {
			return err
		}
	}
	if err := session.Close(ctx); err != nil {
		return err
	}
	return session.Violation()
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

// built is a binary under demonstration.
func built(name string) (string, error) {
	root, err := tsproject.Repository()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "bin", name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is not built; run: make build", short(path))
	}
	return path, nil
}

// empty makes a directory, and removes what is in it but for one entry.
func empty(dir, keep string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == keep {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
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
	return prefix + strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "\n"+prefix)
}

// short names a path from the repository's root.
func short(path string) string {
	root, err := tsproject.Repository()
	if err != nil {
		return path
	}
	return strings.TrimPrefix(path, root+string(filepath.Separator))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
