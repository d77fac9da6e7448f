package native

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// tsconfig is what a configuration file and those it extends say about
// files.
type tsconfig struct {
	// read are these files, existing or not, as far as they lie outside
	// node_modules: whatever changes one of them changes the project. Packages
	// that are extended change with an install.
	read []string
	// extends is whether it takes anything from another one.
	extends bool
	// listed are the members of "files" in any of them.
	listed []string
	// sources are directories that hold whatever "include" matches, roots
	// those that it must not leave ("rootDir", or "composite").
	sources, roots []string
	// elsewhere are directories that imports may lead to by name ("paths",
	// "rootDirs", "typeRoots"), references the configurations of "references".
	elsewhere, references []string
}

// readTsconfig reads files through a function that knows the texts which
// stand for some.
func readTsconfig(path string, readFile func(string) ([]byte, error)) *tsconfig {
	top := filepath.Dir(filepath.Clean(filepath.FromSlash(path)))
	var c tsconfig
	var visit func(string)
	visit = func(path string) {
		if slices.Contains(c.read, path) {
			return
		}
		c.read = append(c.read, path)
		b, err := readFile(path)
		if err != nil {
			return
		}
		var parsed struct {
			Extends    any      `json:"extends"`
			Files      []string `json:"files"`
			Include    []string `json:"include"`
			References []struct {
				Path string `json:"path"`
			} `json:"references"`
			CompilerOptions struct {
				RootDir   string              `json:"rootDir"`
				Composite bool                `json:"composite"`
				BaseURL   string              `json:"baseUrl"`
				Paths     map[string][]string `json:"paths"`
				RootDirs  []string            `json:"rootDirs"`
				TypeRoots []string            `json:"typeRoots"`
			} `json:"compilerOptions"`
		}
		// What is wrong with it is the compiler's to say; members of the
		// wrong type do not hide the others.
		_ = json.Unmarshal(stripComments(b), &parsed)
		at := func(name string) string {
			name, ok := strings.CutPrefix(name, "${configDir}")
			dir := filepath.Dir(path)
			if ok {
				dir, name = top, strings.TrimLeft(name, `/\`)
			}
			if name = filepath.FromSlash(name); filepath.IsAbs(name) {
				return filepath.Clean(name)
			}
			return filepath.Join(dir, name)
		}
		for _, name := range parsed.Files {
			c.listed = append(c.listed, at(name))
		}
		for _, pattern := range parsed.Include {
			literal := pattern
			if wild := strings.IndexAny(pattern, "*?"); wild >= 0 {
				literal = pattern[:strings.LastIndexByte(pattern[:wild], '/')+1]
			}
			c.sources = append(c.sources, at(literal))
		}
		for _, r := range parsed.References {
			name := at(r.Path)
			if !strings.HasSuffix(name, ".json") {
				name = filepath.Join(name, "tsconfig.json")
			}
			c.references = append(c.references, name)
		}
		options := parsed.CompilerOptions
		for _, dir := range slices.Concat(options.RootDirs, options.TypeRoots) {
			c.elsewhere = append(c.elsewhere, at(dir))
		}
		for _, targets := range options.Paths {
			for _, target := range targets {
				if !filepath.IsAbs(filepath.FromSlash(target)) && !strings.HasPrefix(target, "${configDir}") && options.BaseURL != "" {
					target = options.BaseURL + "/" + target
				}
				target, _, _ = strings.Cut(target, "*")
				c.elsewhere = append(c.elsewhere, filepath.Dir(at(target+"-")))
			}
		}
		if options.RootDir != "" {
			c.roots = append(c.roots, at(options.RootDir))
		} else if options.Composite {
			c.roots = append(c.roots, top)
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
			c.extends = true
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
	if len(c.sources) == 0 && len(c.listed) == 0 {
		c.sources = []string{top}
	}
	return &c
}

// mindsFile reports that a file's coming or going may be an error of the
// configuration: it is asked for by name, or matched and in the wrong place.
func (c *tsconfig) mindsFile(path string) bool {
	inside := func(dir string) bool { return within(path, dir) }
	return slices.ContainsFunc(c.listed, func(f string) bool { return pathKey(f) == pathKey(path) }) ||
		isSource(path) && slices.ContainsFunc(c.sources, inside) && slices.ContainsFunc(c.roots, func(dir string) bool { return !inside(dir) })
}

// within reports a path inside a directory, or the directory's own.
func within(path, dir string) bool {
	path, dir = pathKey(path), pathKey(dir)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// isSource reports a file of code, by its name.
func isSource(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext != ".json" && slices.Contains(Extensions(), ext)
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
