package childtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func table() ([]Entry, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // ended meanwhile
		}
		// The second field is the program's name in parentheses, which may
		// itself hold spaces and parentheses.
		head, rest, ok := cutLast(string(line), ") ")
		var e Entry
		if !ok {
			return nil, fmt.Errorf("%s: unexpected %q", file, line)
		}
		if _, err := fmt.Sscanf(head, "%d ", &e.Pid); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if _, err := fmt.Sscanf(rest, "%s %d", &e.State, &e.Parent); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
