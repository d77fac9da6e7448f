package native

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/lsp/lsptest"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// question is a question to an analyzer that is the test, and at rest.
func question(t *testing.T) (*session, *lsptest.Peer) {
	t.Helper()
	peer := lsptest.NewPeer(t)
	p := newProcess(Analyzer{Version: "1.97.1"}, Project{Root: "/p", Manifest: "/p/Cargo.toml"}, new(int))
	p.client = lsp.NewClient(peer.In, peer.Out, lsp.Options{Notify: p.notified})
	t.Cleanup(func() {
		require.NoError(t, p.client.Close())
		peer.Close()
	})
	p.status.notified(json.RawMessage(`{"health":"ok","quiescent":true}`))
	return &session{process: p, backend: &Backend{}, doc: oracle.Document{Path: "/p/src/lib.rs"}, uri: "file:///p/src/lib.rs"}, peer
}

const pull = "textDocument/diagnostic"

func empty() json.RawMessage { return json.RawMessage(`{"kind":"full","items":[]}`) }

// TestOnlyAFullReportIsAReport holds that an empty answer cannot end as clean.
func TestOnlyAFullReportIsAReport(t *testing.T) {
	for _, answer := range []string{`null`, `{}`, `{"kind":"unchanged","resultId":"1"}`, `{"kind":"full"}`, `{"kind":"full","items":null}`, `{"items":[]}`} {
		s, peer := question(t)
		go func() { peer.Reply(peer.Receive(), json.RawMessage(answer)) }()
		_, err := s.diagnostics(t.Context())
		var e *oracleproto.Error
		require.ErrorAs(t, err, &e, answer)
		assert.Equal(t, oracleproto.KindInternal, e.Kind)
		assert.NotEmpty(t, e.Recipe)
	}
}

// TestAnAnswerFromAnAnalyzerThatLoadsDoesNotCount covers what would be the
// worst lie: while it loads, the analyzer finds no errors anywhere.
func TestAnAnswerFromAnAnalyzerThatLoadsDoesNotCount(t *testing.T) {
	s, peer := question(t)
	go func() {
		first := peer.Expect(pull)
		peer.Notify("experimental/serverStatus", map[string]any{"health": "ok", "quiescent": false})
		peer.Reply(first, empty())
		peer.Notify("experimental/serverStatus", map[string]any{"health": "ok", "quiescent": true})
		second := peer.Expect(pull)
		// At rest again by the time of the answer, but not throughout.
		peer.Notify("experimental/serverStatus", map[string]any{"health": "ok", "quiescent": false})
		peer.Notify("experimental/serverStatus", map[string]any{"health": "ok", "quiescent": true})
		peer.Reply(second, empty())
		peer.Reply(peer.Expect(pull), json.RawMessage(`{"kind":"full","items":[{"severity":1,"code":"E0308","message":"m","range":{}}]}`))
	}()
	items, err := s.diagnostics(t.Context())
	require.NoError(t, err)
	require.Len(t, items, 1)
}

// TestAnAnswerPutOffIsAskedForAgain covers what the protocol calls
// ContentModified and ServerCancelled: no fault, and no verdict.
func TestAnAnswerPutOffIsAskedForAgain(t *testing.T) {
	for _, code := range []int{-32801, -32802} {
		s, peer := question(t)
		go func() {
			for range mostAsked - 1 {
				peer.ReplyError(peer.Expect(pull), code, "later")
			}
			peer.Reply(peer.Expect(pull), empty())
		}()
		items, err := s.diagnostics(t.Context())
		require.NoError(t, err)
		assert.Empty(t, items)

		s, peer = question(t)
		go func() {
			for range mostAsked {
				peer.ReplyError(peer.Expect(pull), code, "later")
			}
		}()
		_, err = s.diagnostics(t.Context())
		var e *oracleproto.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, oracleproto.KindTimeout, e.Kind)
		assert.Contains(t, e.Recipe, "ask again")
	}
}

func TestWhatTheAnalyzersMessagesMean(t *testing.T) {
	s, _ := question(t)
	say := func(message string) {
		raw, err := json.Marshal(map[string]any{"health": "warning", "quiescent": true, "message": message})
		require.NoError(t, err)
		s.status.notified(raw)
	}
	assert.Empty(t, s.doubt())
	say("Workspace `/p/Cargo.toml` has sysroot errors: can't load standard library from sysroot\n/t\n(discovered via `rustc --print sysroot`)\ntry installing `rust-src` the same way you installed `rustc`")
	assert.Equal(t, oracleproto.ReasonProjectBroken, s.doubt())
	assert.Contains(t, s.context().Advice[0], "rustup component add rust-src")
	require.NoError(t, s.complete())

	say("Failed to run build scripts of some packages.\n\nPlease refer to the language server logs for more details on the errors.")
	assert.Equal(t, oracleproto.ReasonProjectBroken, s.doubt())

	say("Something else.\n\nFailed to read Cargo metadata with dependencies for `/p/Cargo.toml`: no matching package named `nosuch` found")
	var e *oracleproto.Error
	require.ErrorAs(t, s.complete(), &e)
	assert.Equal(t, oracleproto.KindDependenciesMissing, e.Kind)
	assert.Contains(t, e.Detail, "nosuch")
	assert.NotContains(t, e.Detail, "Something else")
	assert.Equal(t, "run cargo fetch in /p", e.Recipe)
}

func TestHoverTexts(t *testing.T) {
	for _, c := range []struct{ markdown, display, documentation string }{
		{"\n```rust\nlet n: usize\n```", "let n: usize", ""},
		{"\n```rust\nshop\n```\n\n```rust\npub fn add(l: u32) -> u32\n```\n\n---\n\nAdds.\n\n```rust\nadd(1);\n```", "shop\npub fn add(l: u32) -> u32", "Adds.\n\n```rust\nadd(1);\n```"},
		{"\n```rust\nalloc::vec::Vec\n```\n\n```rust\npub fn push(&mut self, value: T)\n```\n\n---\n\n`T` = `u8`, `A` = `Global`\n\n---\n\nAppends.", "alloc::vec::Vec\npub fn push(&mut self, value: T)\nT = u8, A = Global", "Appends."},
		{"\n```rust\na\n```\n\n---\n\nOne\n\n---\n\nTwo", "a", "One\n\n---\n\nTwo"},
		{"plain", "plain", ""},
	} {
		display, documentation := splitMarkdown(c.markdown)
		assert.Equal(t, c.display, display)
		assert.Equal(t, c.documentation, documentation)
	}
}
