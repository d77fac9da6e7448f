package native

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/lsp/lsptest"
	"vibevm.org/adapters/oracle"
)

// scripted is a process whose compiler is the test.
func scripted(t *testing.T) (*process, *lsptest.Peer) {
	t.Helper()
	peer := lsptest.NewPeer(t)
	p := newProcess(Compiler{Version: "7.0.0"}, new(int))
	p.client = lsp.NewClient(peer.In, peer.Out, lsp.Options{Notify: p.notified})
	t.Cleanup(func() {
		require.NoError(t, p.client.Close())
		peer.Close()
	})
	return p, peer
}

// TestFlush holds the order the compiler needs (disk before close, since it
// reads the disk again on close), and that versions rise over all documents.
func TestFlush(t *testing.T) {
	p, peer := scripted(t)
	dir := t.TempDir()
	a, b, gone := filepath.Join(dir, "a.ts"), filepath.Join(dir, "b.tsx"), filepath.Join(dir, "gone.mjs")
	write(t, b, "disk")
	last := 0
	document := func(method, path string) (text string) {
		t.Helper()
		m := peer.Expect(method)
		var params struct {
			TextDocument struct {
				URI, Text, LanguageID string
				Version               int
			}
			ContentChanges []lsp.ContentChange
		}
		require.NoError(t, json.Unmarshal(m.Params, &params))
		require.Equal(t, uriOf(path), params.TextDocument.URI)
		require.Greater(t, params.TextDocument.Version, last)
		last = params.TextDocument.Version
		if method == "textDocument/didOpen" {
			require.Equal(t, languageID(path), params.TextDocument.LanguageID)
			return params.TextDocument.Text
		}
		require.Len(t, params.ContentChanges, 1)
		return params.ContentChanges[0].Text
	}
	barrier := func() {
		t.Helper()
		require.NoError(t, p.client.Notify("barrier", nil))
		peer.Expect("barrier") // and nothing before it
	}

	overlays := map[string]string{b: "b1", gone: "g1"}
	require.NoError(t, p.flush(overlays, oracle.Document{Path: a, Text: "a1"}))
	assert.Equal(t, "b1", document("textDocument/didOpen", b))
	assert.Equal(t, "g1", document("textDocument/didOpen", gone))
	assert.Equal(t, "a1", document("textDocument/didOpen", a))

	require.NoError(t, p.flush(overlays, oracle.Document{Path: a, Text: "a1"}))
	barrier()

	require.True(t, p.diskChanged(a, oracle.DiskChanged))
	delete(overlays, b)
	delete(overlays, gone)
	require.NoError(t, p.flush(overlays, oracle.Document{Path: a, Text: "a2"}))
	assert.JSONEq(t, `{"changes":[{"uri":"`+uriOf(a)+`","type":2},{"uri":"`+uriOf(b)+`","type":2},{"uri":"`+uriOf(gone)+`","type":3}]}`,
		string(peer.Expect("workspace/didChangeWatchedFiles").Params))
	assert.JSONEq(t, `{"textDocument":{"uri":"`+uriOf(b)+`"}}`, string(peer.Expect("textDocument/didClose").Params))
	assert.JSONEq(t, `{"textDocument":{"uri":"`+uriOf(gone)+`"}}`, string(peer.Expect("textDocument/didClose").Params))
	assert.Equal(t, "a2", document("textDocument/didChange", a))

	// A probe leaves another text behind; the next question puts it right.
	require.NoError(t, p.hold(a, "probe"))
	assert.Equal(t, "probe", document("textDocument/didChange", a))
	require.NoError(t, p.flush(overlays, oracle.Document{Path: a, Text: "a2"}))
	assert.Equal(t, "a2", document("textDocument/didChange", a))
	barrier()
}

func TestWhatStartsTheCompilerAnew(t *testing.T) {
	p, _ := scripted(t)
	for path, goesOn := range map[string]bool{
		"/p/src/a.ts":                        true,
		"/p/data.json":                       true,
		"/p/package.json":                    true,
		"/p/tsconfig.json":                   false,
		"/p/tsconfig.build.json":             false,
		"/p/jsconfig.json":                   false,
		"/p/node_modules/.package-lock.json": false,
	} {
		assert.Equal(t, goesOn, p.diskChanged(path, oracle.DiskChanged), path)
	}
	for range maxEvents {
		p.documents.events = append(p.documents.events, lsp.FileEvent{})
	}
	assert.False(t, p.diskChanged("/p/src/b.ts", oracle.DiskChanged), "too much to tell")
}
