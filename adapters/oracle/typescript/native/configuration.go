package native

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// IsConfiguration reports a file that is named like a project configuration.
func IsConfiguration(path string) bool {
	base := filepath.Base(path)
	return strings.HasSuffix(base, ".json") && (strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig"))
}

// validateConfiguration judges a configuration by what the compiler reports
// about it, which it does for one that it has made a program of: so a file that
// the configuration covers is asked about first. Where there is none, as for a
// base that others extend, only the syntax is known.
func (b *Backend) validateConfiguration(ctx context.Context, doc oracle.Document) (oracle.Validation, error) {
	s, err := b.askConfiguration(ctx, doc)
	if err != nil {
		return oracle.Validation{}, err
	}
	defer s.end()
	syntax, err := s.diagnostics(ctx, s.pull())
	if err != nil {
		return oracle.Validation{}, err
	}
	v := oracle.Validation{
		Context:     oracle.Context{Engine: s.engine()},
		Coverage:    oracleproto.CoverageCompiler,
		Diagnostics: asPrinted(syntax),
	}
	covered, err := s.openCovered(ctx, b.overlays)
	if err != nil {
		return oracle.Validation{}, err
	}
	if !covered {
		v.Unknown = oracleproto.ReasonNotInProject
		return v, nil
	}
	v.ConfigFile = s.doc.Path
	found, reported, err := s.projects.errorsOf(ctx, s.client.Done(), v.ConfigFile)
	switch {
	case err != nil:
		return oracle.Validation{}, s.explain(err)
	case !reported:
		v.Unknown = oracleproto.ReasonWarming
	}
	found = slices.DeleteFunc(slices.Clone(found), func(d lsp.Diagnostic) bool { return d.Severity > lsp.SeverityWarning })
	own := slices.DeleteFunc(slices.Clone(found), func(d lsp.Diagnostic) bool { return !s.projects.saysWhere(v.ConfigFile, d) })
	v.Diagnostics = asPrinted(append(syntax, own...))
	v.ProjectErrors = s.projects.errors(v.ConfigFile, slices.DeleteFunc(found, func(d lsp.Diagnostic) bool {
		return s.projects.saysWhere(v.ConfigFile, d)
	}))
	return v, nil
}

// askConfiguration readies a compiler that reads the configuration as it is
// asked about, and no other way.
func (b *Backend) askConfiguration(ctx context.Context, doc oracle.Document) (*session, error) {
	b.mu.Lock()
	if b.running != nil && b.running.documents.differs(doc.Path, b.overlays, &doc) {
		b.retire()
	}
	b.mu.Unlock()
	return b.ask(ctx, doc)
}

// mostTried bounds how many files are opened to find one that a configuration
// covers.
const mostTried = 64

// openCovered opens a file that the asked configuration governs, so that the
// compiler reports on it; false when none is found.
func (s *session) openCovered(ctx context.Context, overlays map[string]string) (bool, error) {
	config := readTsconfig(s.doc.Path, s.documents.readFile)
	for _, path := range config.candidates(overlays) {
		text, overlaid := overlays[path]
		if !overlaid {
			disk, err := os.ReadFile(path)
			if err != nil {
				continue
			}
			text = strings.TrimPrefix(string(disk), "\ufeff")
		}
		if err := s.hold(path, text); err != nil { // the next question's flush lets go of it
			return false, err
		}
		file := newSession(s.process, oracle.Document{Path: path, Text: text})
		governing, err := file.project(ctx, file.askProject())
		file.end()
		if err != nil {
			return false, err
		}
		if pathKey(governing) == pathKey(s.doc.Path) {
			return true, nil
		}
	}
	return false, nil
}

// candidates are files that the configuration may cover, those it lists first.
func (c *tsconfig) candidates(overlays map[string]string) []string {
	var found []string
	add := func(path string) {
		if isSource(path) && len(found) < mostTried && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	for _, path := range c.listed {
		add(path)
	}
	for path := range overlays {
		if slices.ContainsFunc(c.sources, func(dir string) bool { return within(path, dir) }) {
			add(path)
		}
	}
	// Breadth first: what lies deep is more likely to be excluded.
	for dirs := slices.Clone(c.sources); len(dirs) > 0 && len(found) < mostTried; dirs = dirs[1:] {
		entries, err := os.ReadDir(dirs[0])
		if err != nil {
			add(dirs[0]) // "include" may name a file
		}
		for _, e := range entries {
			switch path := filepath.Join(dirs[0], e.Name()); {
			case !e.IsDir():
				add(path)
			case e.Name() != "node_modules" && !strings.HasPrefix(e.Name(), "."):
				dirs = append(dirs, path)
			}
		}
	}
	return found
}

// saysWhere reports that the place of a configuration's error is known: the
// compiler names the line and not the file, which may be one that is extended.
func (ps *projects) saysWhere(path string, d lsp.Diagnostic) bool {
	if d.Range == (lsp.Range{}) {
		return false
	}
	ps.mu.Lock()
	c := ps.get(path).tsconfig
	ps.mu.Unlock()
	if c == nil || len(c.read) == 1 && !c.extends {
		return true
	}
	b, err := ps.readFile(path)
	if err != nil {
		return false
	}
	text := lsp.NewText(strings.TrimPrefix(string(b), "\ufeff"))
	at := text.String()[text.Offset(d.Range.Start, lsp.UTF16):text.Offset(d.Range.End, lsp.UTF16)]
	name := strings.Trim(at, `"`)
	return name != "" && strings.Contains(d.Message, "'"+name+"'")
}
