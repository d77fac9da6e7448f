package native

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"vibevm.org/adapters/lsp"
	"vibevm.org/tcgfamily/oracleproto"
)

// projects is what one compiler said about project configurations.
//
// Errors of a configuration are only pushed, from a background task of the
// compiler that may run before or after the answer to a question, and pushes
// for successive states may overtake each other. Three rules make them certain:
//   - the first push for a configuration is waited for;
//   - a compiler never outlives a configuration it has read, nor the coming or
//     going of a file that may be an error of one, so its pushes say the same;
//   - except that it pushes no errors for a project it unloads: errors stay, and
//     no question is asked before the push for the last one's project has come.
type projects struct {
	mu       sync.Mutex
	configs  map[string]*config           // by key
	referred map[string]*tsconfig         // by path, those that configs refer to
	readFile func(string) ([]byte, error) // as the compiler reads
}

type config struct {
	*tsconfig // nil until it covers an asked document

	reported chan struct{} // closed by the first push
	late     bool          // it was waited for in vain
	errors   []lsp.Diagnostic
	core     bool // its programs have all core types
}

func newProjects(readFile func(string) ([]byte, error)) *projects {
	return &projects{configs: map[string]*config{}, referred: map[string]*tsconfig{}, readFile: readFile}
}

// configWait bounds the wait for a configuration's first push after a file of
// the project was answered. It is sent within milliseconds.
const configWait = 10 * time.Second

func (ps *projects) get(path string) *config {
	k := pathKey(path)
	c := ps.configs[k]
	if c == nil {
		c = &config{reported: make(chan struct{})}
		ps.configs[k] = c
	}
	return c
}

// covers notes that a configuration covers an asked document.
func (ps *projects) covers(path string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if c := ps.get(path); c.tsconfig == nil {
		c.tsconfig = readTsconfig(path, ps.readFile)
	}
}

// published takes a push; other files than configurations do not matter here.
func (ps *projects) published(path string, diagnostics []lsp.Diagnostic) {
	if isSource(path) {
		return
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	c := ps.get(path)
	if diagnostics = slices.DeleteFunc(diagnostics, aboutOneText); len(diagnostics) > 0 {
		c.errors = diagnostics
	}
	select {
	case <-c.reported:
	default:
		close(c.reported)
	}
}

// errorsOf waits for what the compiler reports about a configuration; false
// when it did not report in time.
func (ps *projects) errorsOf(ctx context.Context, dead <-chan struct{}, path string) ([]lsp.Diagnostic, bool, error) {
	ps.mu.Lock()
	c := ps.get(path)
	ps.mu.Unlock()
	select {
	case <-c.reported:
	default:
		timer := time.NewTimer(configWait)
		defer timer.Stop()
		select {
		case <-c.reported:
		case <-dead:
			return nil, false, lsp.ErrClosed
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-timer.C:
			return nil, false, nil
		}
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return c.errors, true, nil
}

// settle waits for the pushes that are due.
func (ps *projects) settle(ctx context.Context, dead <-chan struct{}) error {
	ps.mu.Lock()
	due := map[string]*config{}
	for path, c := range ps.configs {
		select {
		case <-c.reported:
		default:
			if c.tsconfig != nil && !c.late {
				due[path] = c
			}
		}
	}
	ps.mu.Unlock()
	for path, c := range due {
		_, reported, err := ps.errorsOf(ctx, dead, path)
		if err != nil {
			return err
		}
		c.late = !reported
	}
	return nil
}

// governs reports whether a file decides how a project is read: one named like
// a configuration, or one that a known configuration extends or refers to.
func (ps *projects) governs(path string) bool {
	if IsConfiguration(path) {
		return true
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	key := pathKey(path)
	reads := func(c *tsconfig) bool {
		return c != nil && slices.ContainsFunc(c.read, func(f string) bool { return pathKey(f) == key })
	}
	for _, c := range ps.configs {
		if reads(c.tsconfig) {
			return true
		}
	}
	for _, c := range ps.referred {
		if reads(c) {
			return true
		}
	}
	return false
}

// mindFile reports that a file's coming or going may change the errors of a
// configuration.
func (ps *projects) mindFile(path string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, c := range ps.configs {
		if c.tsconfig != nil && c.mindsFile(path) || isSource(path) && slices.ContainsFunc(c.errors, aboutFiles) {
			return true
		}
	}
	return false
}

// aboutFiles reports errors of a configuration that files may undo. Those about
// its syntax and options only its own text undoes, save two about outputs that
// would overwrite inputs.
func aboutFiles(d lsp.Diagnostic) bool {
	n := codeOf(d)
	return n >= 2000 && (n < 5000 || n >= 6000) && n < 17000 || n == 5055 || n == 5056
}

// pathKey makes the spellings of one path equal.
func pathKey(path string) string {
	path = filepath.Clean(filepath.FromSlash(path))
	if runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}

// nativePath is a path the compiler wrote, which always uses slashes.
func nativePath(path string) string {
	if native, err := lsp.URIToPath(lsp.PathToURI(path)); err == nil {
		return native
	}
	return filepath.FromSlash(path)
}

// askProject asks which configuration covers the document.
func (s *session) askProject() *lsp.Pending { return s.call("custom/projectInfo", s.document()) }

// project waits for that; empty when none does.
func (s *session) project(ctx context.Context, call *lsp.Pending) (configFile string, err error) {
	var info struct {
		ConfigFilePath *string `json:"configFilePath"`
	}
	if err := s.wait(ctx, call, &info); err != nil {
		return "", err
	}
	switch config := info.ConfigFilePath; {
	case config == nil:
		return "", s.unexpected("custom/projectInfo", "without a configFilePath")
	case *config == "":
		s.documents.outside[s.doc.Path] = true
		return "", nil
	default:
		delete(s.documents.outside, s.doc.Path)
		configFile = nativePath(*config)
		s.projects.covers(configFile)
		return configFile, nil
	}
}

// errors renders the errors of a configuration.
func (ps *projects) errors(path string, found []lsp.Diagnostic) []oracleproto.Diagnostic {
	var out []oracleproto.Diagnostic
	for _, d := range found {
		if d.Severity > lsp.SeverityWarning {
			continue
		}
		e := diagnostic(d)
		if !ps.saysWhere(path, d) {
			e.Line, e.Character, e.EndLine, e.EndCharacter = 0, 0, 0, 0
		}
		out = append(out, e)
	}
	return out
}
