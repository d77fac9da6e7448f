package typescript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// configFiles lists a configuration file and the files it extends, existing or
// not, as far as they lie outside node_modules: whatever changes one of them
// changes the project. Packages that are extended change with an install.
func configFiles(path string) []string {
	var files []string
	var visit func(string)
	visit = func(path string) {
		if slices.Contains(files, path) {
			return
		}
		files = append(files, path)
		b, err := os.ReadFile(path)
		if err != nil {
			return
		}
		var parsed struct {
			Extends any `json:"extends"`
		}
		if json.Unmarshal(stripComments(b), &parsed) != nil {
			return
		}
		var bases []any
		switch e := parsed.Extends.(type) {
		case string:
			bases = []any{e}
		case []any:
			bases = e
		}
		for _, base := range bases {
			name, ok := base.(string)
			if !ok || !strings.HasPrefix(name, ".") && !filepath.IsAbs(name) {
				continue
			}
			if !filepath.IsAbs(name) {
				name = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
			}
			if !strings.HasSuffix(name, ".json") { // tsc tries both
				visit(name + ".json")
			}
			visit(name)
		}
	}
	visit(filepath.Clean(filepath.FromSlash(path)))
	return files
}

// stripComments turns the JSON of a tsconfig, which may have comments, trailing
// commas and a byte order mark, into plain JSON of the same meaning.
func stripComments(b []byte) []byte {
	s := strings.TrimPrefix(string(b), "\ufeff")
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			end := i + 1
			for end < len(s) && s[end] != '"' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(s)-1)
			out = append(out, s[i:end+1]...)
			i = end
		case strings.HasPrefix(s[i:], "//"):
			for i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case s[i] == ']' || s[i] == '}':
			trimmed := strings.TrimRight(string(out), " \t\r\n")
			out = append([]byte(strings.TrimSuffix(trimmed, ",")), s[i])
		default:
			out = append(out, s[i])
		}
	}
	return out
}
