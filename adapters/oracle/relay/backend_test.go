package relay_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// backend is the fake compiler as the relay's tests need it: it judges what Sync
// told it, else the disk, so that a relay that forgets to tell it something
// gets a wrong answer, and it records what it was told and where it was asked.
type backend struct {
	*oracletest.Fake
	validate func(ctx context.Context) error // runs before each validate
	refuse   error                           // the answer of Sync
	reads    []string                        // the answer of Reads

	mu       sync.Mutex
	overlays map[string]string
	events   []string
	at       oracleproto.Position
}

func newBackend(root string) *backend {
	b := &backend{Fake: oracletest.NewFake(root), overlays: map[string]string{}}
	b.Before = func(ctx context.Context, op string, _ oracle.Document) error {
		if op == oracleproto.OpValidate && b.validate != nil {
			return b.validate(ctx)
		}
		return nil
	}
	b.Judge = func(doc oracle.Document) oracle.Validation { return judgement(doc.Path, b.text(doc.Path)) }
	return b
}

func judgement(path, text string) oracle.Validation {
	v := oracle.Validation{Coverage: oracleproto.CoverageCompiler}
	switch text {
	case "outside":
		v.Unknown = oracleproto.ReasonNotInProject
	case "broken project":
		v.ProjectErrors = []oracleproto.Diagnostic{{Code: oracleproto.NumberCode(5108), Category: "error"}}
	case "warning":
		v.Diagnostics = []oracleproto.Diagnostic{{Code: oracleproto.NumberCode(1), Category: "warning"}}
	case "panic":
		panic("on purpose")
	case "error":
		v.Diagnostics = []oracleproto.Diagnostic{{
			Code: oracleproto.NumberCode(2322), Category: "error", Message: "wrong", Line: 1,
			Related: []oracleproto.Related{{File: filepath.Join(filepath.Dir(path), "other.ts")}},
		}}
	}
	return v
}

func (b *backend) Sync(_ context.Context, changes []oracle.Change) error {
	if b.refuse != nil {
		return b.refuse
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	names := map[oracle.ChangeKind]string{
		oracle.OverlaySet: "set", oracle.OverlayClear: "clear",
		oracle.DiskCreated: "created", oracle.DiskChanged: "changed", oracle.DiskDeleted: "deleted",
		oracle.DiskLost: "lost",
	}
	for _, c := range changes {
		b.events = append(b.events, strings.TrimSpace(names[c.Kind]+" "+c.Path))
		switch c.Kind {
		case oracle.OverlaySet:
			b.overlays[c.Path] = c.Text
		case oracle.OverlayClear:
			delete(b.overlays, c.Path)
		}
	}
	return nil
}

// Reads implements oracle.Reader.
func (b *backend) Reads() []string { return b.reads }

// told returns and forgets what Sync was told.
func (b *backend) told() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	events := b.events
	b.events = nil
	return events
}

func (b *backend) text(path string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text, ok := b.overlays[path]; ok {
		return text
	}
	text, _ := os.ReadFile(path)
	return string(text)
}

func (b *backend) Type(ctx context.Context, doc oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	b.at = at
	return b.Fake.Type(ctx, doc, at)
}

func (b *backend) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	b.at = at
	return b.Fake.Scope(ctx, doc, at, globals)
}

// project makes a project with these files and a relay for it.
func project(t *testing.T, files map[string]string) (root string, b *backend, r *relay.Relay) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		write(t, filepath.Join(root, name), text)
	}
	b = newBackend(root)
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
