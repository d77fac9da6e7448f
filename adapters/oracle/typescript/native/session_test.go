package native

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/lsp/lsptest"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// question is a question to a compiler that is the test.
func question(t *testing.T) (*session, *lsptest.Peer) {
	t.Helper()
	p, peer := scripted(t)
	return newSession(p, oracle.Document{Path: "/p/a.ts", Text: "const a = b;\n"}), peer
}

// TestOnlyAFullReportIsAReport holds that an empty answer cannot end as clean.
func TestOnlyAFullReportIsAReport(t *testing.T) {
	for _, answer := range []string{`null`, `{}`, `{"kind":"unchanged","resultId":"1"}`, `{"kind":"full"}`, `{"kind":"full","items":null}`, `{"items":[]}`} {
		s, peer := question(t)
		go func() { peer.Reply(peer.Receive(), json.RawMessage(answer)) }()
		_, err := s.diagnostics(t.Context(), s.pull())
		var e *oracleproto.Error
		require.ErrorAs(t, err, &e, answer)
		assert.Equal(t, oracleproto.KindInternal, e.Kind)
		assert.NotEmpty(t, e.Recipe)
	}
	s, peer := question(t)
	go func() { peer.Reply(peer.Receive(), json.RawMessage(`{"kind":"full","items":[]}`)) }()
	items, err := s.diagnostics(t.Context(), s.pull())
	require.NoError(t, err)
	assert.Empty(t, items)
}

// TestAnAnswerPutOffIsAskedForAgain covers what the protocol calls
// ContentModified and ServerCancelled: no fault, and no verdict.
func TestAnAnswerPutOffIsAskedForAgain(t *testing.T) {
	for _, code := range []int{-32801, -32802} {
		s, peer := question(t)
		go func() {
			for range mostAsked - 1 {
				peer.ReplyError(peer.Expect("textDocument/diagnostic"), code, "later")
			}
			peer.Reply(peer.Expect("textDocument/diagnostic"), json.RawMessage(`{"kind":"full","items":[]}`))
		}()
		items, err := s.diagnostics(t.Context(), s.pull())
		require.NoError(t, err)
		assert.Empty(t, items)
		assert.Empty(t, s.sent)

		s, peer = question(t)
		go func() {
			for range mostAsked {
				peer.ReplyError(peer.Expect("textDocument/diagnostic"), code, "later")
			}
		}()
		_, err = s.diagnostics(t.Context(), s.pull())
		var e *oracleproto.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, oracleproto.KindTimeout, e.Kind)
		assert.Contains(t, e.Recipe, "ask again")
		assert.Empty(t, s.sent)
	}
}

// TestAskingAgainIsAboutTheSameText covers a probe that took the text's place
// while an answer was on its way.
func TestAskingAgainIsAboutTheSameText(t *testing.T) {
	s, peer := question(t)
	texts := make(chan string, 4)
	go func() {
		peer.Expect("textDocument/didOpen")
		first := peer.Expect("textDocument/diagnostic")
		peer.Expect("textDocument/didChange")
		peer.ReplyError(first, -32801, "later")
		for range 3 {
			m := peer.Receive()
			if m.Method == "textDocument/diagnostic" {
				texts <- "asked"
				defer peer.Reply(m, json.RawMessage(`{"kind":"full","items":[]}`))
				continue
			}
			var change lsp.DidChangeParams
			if json.Unmarshal(m.Params, &change) == nil && len(change.ContentChanges) == 1 {
				texts <- change.ContentChanges[0].Text
			}
		}
		close(texts)
	}()
	require.NoError(t, s.hold(s.doc.Path, "text"))
	pull := s.pull()
	require.NoError(t, s.hold(s.doc.Path, "probe"))
	_, err := s.diagnostics(t.Context(), pull)
	require.NoError(t, err)
	var order []string
	for text := range texts {
		order = append(order, text)
	}
	assert.Equal(t, []string{"text", "asked", "probe"}, order)
}

func TestProjectInfoThatSaysNothing(t *testing.T) {
	for _, answer := range []string{`null`, `{}`, `{"configFilePath":null}`} {
		s, peer := question(t)
		go func() { peer.Reply(peer.Receive(), json.RawMessage(answer)) }()
		_, err := s.project(t.Context(), s.askProject())
		var e *oracleproto.Error
		require.ErrorAs(t, err, &e, answer)
		assert.Equal(t, oracleproto.KindInternal, e.Kind)
	}
}

// TestWhatAQuestionLeavesIsCancelled holds that a question that fails gives up
// each request it has sent, once, and no other.
func TestWhatAQuestionLeavesIsCancelled(t *testing.T) {
	s, peer := question(t)
	s.loaded = true
	var ids []string
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	asked := make(chan error, 1)
	go func() {
		defer s.end()
		_, _, err := s.describe(ctx, anchor{}, []listed{{Label: "a"}, {Label: "b"}, {Label: "c"}})
		asked <- err
	}()
	peer.Expect("textDocument/didOpen")
	var hovers []lsptest.Message
	for range 4 {
		hovers = append(hovers, peer.Expect("textDocument/hover"))
	}
	peer.ReplyError(hovers[0], -32603, "panic")
	for _, h := range hovers[1:] {
		ids = append(ids, string(h.ID))
	}
	var cancelled []string
	for range ids {
		var params struct{ ID json.RawMessage }
		require.NoError(t, json.Unmarshal(peer.Expect("$/cancelRequest").Params, &params))
		cancelled = append(cancelled, string(params.ID))
	}
	assert.ElementsMatch(t, ids, cancelled)
	require.Error(t, <-asked)
	assert.Empty(t, s.sent)
	require.NoError(t, s.client.Notify("barrier", nil))
	peer.Expect("barrier")
}
