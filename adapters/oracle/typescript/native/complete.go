package native

import (
	"cmp"
	"context"
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
	defer s.end()
	call, info := s.completion(lspPosition(at)), s.askProject()
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
	return s.call("textDocument/completion", lsp.PositionParams{TextDocument: lsp.TextDocumentIdentifier{URI: s.uri}, Position: at})
}

// completed waits for a completion list and sorts it as an editor would; the
// compiler sends it in no order. Where there is nothing to complete, such as
// inside a comment, the list is empty.
func (s *session) completed(ctx context.Context, call *lsp.Pending) ([]lsp.CompletionItem, error) {
	var list lsp.CompletionList
	if err := s.wait(ctx, call, &list); err != nil {
		return nil, err
	}
	for i := range list.Items {
		item := &list.Items[i]
		// An optional member is labelled "name?" and inserted as "name", or as
		// "?.name" behind what may be undefined.
		if name, ok := strings.CutSuffix(item.Label, "?"); ok && name != "" && strings.HasSuffix(item.InsertText, name) {
			item.Label = name
		}
	}
	slices.SortFunc(list.Items, func(a, b lsp.CompletionItem) int {
		return cmp.Or(cmp.Compare(a.SortText, b.SortText), cmp.Compare(a.Label, b.Label))
	})
	return list.Items, nil
}

// typed gives each item its type. Names that are looked up in the scope are
// written into a copy of the text and hovered over, which costs a tenth of
// resolving the item and also describes the symbols that resolve without a
// signature. The rest, members above all, is resolved.
func (s *session) typed(ctx context.Context, items []lsp.CompletionItem, at oracleproto.Position) ([]oracleproto.Entry, error) {
	displays := map[string]string{}
	if offset := lsp.NewText(s.doc.Text).Offset(lspPosition(at), lsp.UTF16); namesScope(s.doc.Path, s.doc.Text, offset) {
		var names []listed
		for _, item := range items {
			if inScope(item.Kind) {
				names = append(names, listed{Label: item.Label, Kind: item.Kind})
			}
		}
		var err error
		if displays, err = s.describeAt(ctx, at, names); err != nil {
			return nil, err
		}
	}
	calls := make([]*lsp.Pending, len(items))
	for i, item := range items {
		if displays[item.Label] != "" || item.Kind == kindKeyword {
			continue
		}
		// Resolving refers to the text that was completed.
		if err := s.hold(s.doc.Path, s.doc.Text); err != nil {
			return nil, err
		}
		calls[i] = s.call("completionItem/resolve", item)
	}
	entries := make([]oracleproto.Entry, len(items))
	for i, item := range items {
		display := displays[item.Label]
		if calls[i] != nil {
			var resolved lsp.CompletionItem
			if err := s.wait(ctx, calls[i], &resolved); err != nil {
				return nil, err
			}
			display = resolved.Detail
		}
		entries[i] = oracleproto.Entry{Name: item.Label, Kind: kindName(item.Kind, display), TypeText: display, Unsafe: unsafeType.MatchString(display)}
	}
	return entries, nil
}

// inScope reports the kinds of names that are looked up in a scope rather than
// in an object.
func inScope(kind lsp.CompletionItemKind) bool {
	switch kindName(kind, "") {
	case "function", "variable", "class", "interface", "module", "enum", "constant", "type", "type-parameter":
		return true
	}
	return false
}

// kindKeyword is LSP's CompletionItemKind of a keyword.
const kindKeyword lsp.CompletionItemKind = 14
