package relay_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// backend is a compiler for tests: every line "error N" of a text is a
// diagnostic with code N. It answers from what Sync told it and from the disk,
// so a relay that forgets to tell it something gets a wrong answer.
type backend struct {
	mu       sync.Mutex
	overlays map[string]string
	events   []string
	at       oracleproto.Position
	validate func(ctx context.Context) error // runs before each validate
	synced   func()                          // runs after each Sync
	closed   int
}

func newBackend() *backend { return &backend{overlays: map[string]string{}} }

func (b *backend) Sync(_ context.Context, changes []oracle.Change) error {
	if b.synced != nil {
		defer b.synced()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	names := map[oracle.ChangeKind]string{
		oracle.OverlaySet: "set", oracle.OverlayClear: "clear",
		oracle.DiskCreated: "created", oracle.DiskChanged: "changed", oracle.DiskDeleted: "deleted",
	}
	for _, c := range changes {
		b.events = append(b.events, names[c.Kind]+" "+c.Path)
		switch c.Kind {
		case oracle.OverlaySet:
			b.overlays[c.Path] = c.Text
		case oracle.OverlayClear:
			delete(b.overlays, c.Path)
		}
	}
	return nil
}

// told returns and forgets what Sync was told.
func (b *backend) told() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	events := b.events
	b.events = nil
	return events
}

func (b *backend) text(path string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text, ok := b.overlays[path]; ok {
		return text, nil
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

var engine = oracle.Context{Engine: oracleproto.Engine{Name: "fake", Version: "1"}}

func (b *backend) Validate(ctx context.Context, doc oracle.Document) (oracle.Validation, error) {
	if b.validate != nil {
		if err := b.validate(ctx); err != nil {
			return oracle.Validation{}, err
		}
	}
	text, err := b.text(doc.Path)
	if err != nil {
		return oracle.Validation{}, err
	}
	v := oracle.Validation{Context: engine, Coverage: oracleproto.CoverageCompiler}
	switch text {
	case "outside":
		v.Unknown = oracleproto.ReasonNotInProject
	case "broken project":
		v.ProjectErrors = []oracleproto.Diagnostic{{Code: oracleproto.NumberCode(5108), Category: "error"}}
	case "warning":
		v.Diagnostics = []oracleproto.Diagnostic{{Code: oracleproto.NumberCode(1), Category: "warning"}}
	case "panic":
		panic("on purpose")
	}
	if text == "error" {
		v.Diagnostics = []oracleproto.Diagnostic{{Code: oracleproto.NumberCode(2322), Category: "error", Message: "wrong", Line: 1, Related: []oracleproto.Related{{File: filepath.Join(filepath.Dir(doc.Path), "other.ts")}}}}
	}
	return v, nil
}

func (b *backend) Complete(_ context.Context, _ oracle.Document, at oracleproto.Position, _ string, limit int) (oracle.Completions, error) {
	b.at = at
	return oracle.Completions{Context: engine, Total: limit}, nil
}

func (b *backend) Type(_ context.Context, _ oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	b.at = at
	return oracle.TypeInfo{Context: engine, Display: "const x: number"}, nil
}

func (b *backend) Scope(_ context.Context, _ oracle.Document, at oracleproto.Position, _ bool) (oracle.Scope, error) {
	b.at = at
	return oracle.Scope{Context: engine, Symbols: []oracleproto.Symbol{{Name: "x", Kind: "const"}}}, nil
}

func (b *backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed++
	return nil
}

var _ oracle.Backend = (*backend)(nil)

// project makes a project with these files and a relay for it.
func project(t *testing.T, files map[string]string) (root string, b *backend, r *relay.Relay) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		write(t, filepath.Join(root, name), text)
	}
	b = newBackend()
	r = relay.New(relay.Language{
		Name:       "fake",
		Extensions: []string{".ts"},
		Backend:    func(string) oracle.Backend { return b },
	}, root)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return root, b, r
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// failure returns the protocol error of a refused operation.
func failure(t *testing.T, err error) *oracleproto.Error {
	t.Helper()
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	return e
}
