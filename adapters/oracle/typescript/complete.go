package typescript

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Complete implements oracle.Backend.
func (b *Backend) Complete(ctx context.Context, doc oracle.Document, at oracleproto.Position, prefix string, limit int) (oracle.Completions, error) {
	s, err := b.ask(ctx, doc)
	if err != nil {
		return oracle.Completions{}, err
	}
	call, info := s.completion(lspPosition(at)), s.client.Go("custom/projectInfo", s.document())
	items, err := s.completed(ctx, call)
	if err != nil {
		return oracle.Completions{}, err
	}
	items = slices.DeleteFunc(items, func(i lsp.CompletionItem) bool { return !strings.HasPrefix(i.Label, prefix) })
	answer := oracle.Completions{Total: len(items)}
	items = items[:min(len(items), limit)]
	if answer.Entries, err = s.typed(ctx, items, at); err != nil {
		return oracle.Completions{}, err
	}
	answer.Context, err = s.context(ctx, info)
	return answer, err
}

func (s *session) completion(at lsp.Position) *lsp.Pending {
	return s.client.Go("textDocument/completion", lsp.PositionParams{TextDocument: lsp.TextDocumentIdentifier{URI: s.uri}, Position: at})
}

// completed waits for a completion list and sorts it as an editor would; the
// compiler sends it in no order. Where there is nothing to complete, such as
// inside a comment, the list is empty.
func (s *session) completed(ctx context.Context, call *lsp.Pending) ([]lsp.CompletionItem, error) {
	var raw json.RawMessage
	if err := s.wait(ctx, call, &raw); err != nil {
		return nil, err
	}
	var list lsp.CompletionList
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	for i := range list.Items {
		item := &list.Items[i]
		// An optional member is labelled "name?" and inserted as "name".
		if name, ok := strings.CutSuffix(item.Label, "?"); ok && name != "" && (item.InsertText == name || item.FilterText == name) {
			item.Label = name
		}
	}
	slices.SortFunc(list.Items, func(a, b lsp.CompletionItem) int {
		return cmp.Or(cmp.Compare(a.SortText, b.SortText), cmp.Compare(a.Label, b.Label))
	})
	return list.Items, nil
}

// typed gives each item its type: from resolving it, or, for the symbols that
// the compiler resolves without a signature, from a hover.
func (s *session) typed(ctx context.Context, items []lsp.CompletionItem, at oracleproto.Position) ([]oracleproto.Entry, error) {
	calls := make([]*lsp.Pending, len(items))
	for i, item := range items {
		calls[i] = s.client.Go("completionItem/resolve", item.Raw)
	}
	entries := make([]oracleproto.Entry, len(items))
	member := afterDot(s.doc.Text, lspPosition(at))
	var untyped []string
	for i, item := range items {
		var resolved lsp.CompletionItem
		if err := s.wait(ctx, calls[i], &resolved); err != nil {
			return nil, err
		}
		entries[i] = entry(item.Label, item.Kind, resolved.Detail)
		if entries[i].TypeText == "" && item.Kind != kindKeyword && !member {
			untyped = append(untyped, item.Label)
		}
	}
	if len(untyped) == 0 {
		return entries, nil
	}
	displays, err := s.describeNames(ctx, at, untyped)
	if err != nil {
		return nil, err
	}
	for i, item := range items {
		if display := displays[item.Label]; display != "" && entries[i].TypeText == "" {
			entries[i] = entry(item.Label, item.Kind, display)
		}
	}
	return entries, nil
}

// afterDot reports that the name at a position is a member's, which cannot be
// looked up by itself.
func afterDot(text string, at lsp.Position) bool {
	offset := lsp.NewText(text).Offset(at, lsp.UTF16)
	for offset > 0 && isNamePart(text[offset-1]) {
		offset--
	}
	return strings.HasSuffix(strings.TrimRight(text[:offset], " \t\r\n"), ".")
}

// kindKeyword is LSP's CompletionItemKind of a keyword.
const kindKeyword lsp.CompletionItemKind = 14

func entry(name string, kind lsp.CompletionItemKind, display string) oracleproto.Entry {
	return oracleproto.Entry{Name: name, Kind: kindName(kind, display), TypeText: display, Unsafe: unsafeType.MatchString(display)}
}
