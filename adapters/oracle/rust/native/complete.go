package native

import (
	"cmp"
	"context"
	"path/filepath"
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
	offset := lsp.NewText(doc.Text).Offset(lspPosition(at), lsp.UTF16)
	text := doc.Text
	if needsProbe(text, offset) {
		text = text[:offset] + probe + text[offset:]
	}
	items, _, err := s.completed(ctx, text, offset)
	if err != nil {
		return oracle.Completions{}, err
	}
	items = slices.DeleteFunc(items, func(i lsp.CompletionItem) bool { return !strings.HasPrefix(i.Label, prefix) })
	answer := oracle.Completions{Total: len(items)}
	for _, item := range items[:min(len(items), limit)] {
		answer.Entries = append(answer.Entries, oracleproto.Entry{
			Name: item.Label, Kind: kindName(item), TypeText: typeText(item), Unsafe: isUnsafe(item, doc.Path),
		})
	}
	answer.Context, err = s.explained(ctx, len(items) == 0 && prefix == "")
	return answer, err
}

// probe is an identifier that is completed where there is none: on a blank spot
// the analyzer takes the token before it for where it is, and loses, for one,
// the variable that the statement before has just declared.
const probe = "tcg__probe"

// needsProbe reports a place that is neither at a name nor behind a dot or a
// path.
func needsProbe(text string, offset int) bool {
	before := byte(' ')
	if offset > 0 {
		before = text[offset-1]
	}
	atName := isNamePart(before) || offset < len(text) && isNamePart(text[offset])
	return !atName && before != '.' && before != ':'
}

// completed lists the completions at an offset of a text that is held for the
// document: best first, without what is not a name. Of names that there are
// several of, the nearest is listed, and the others make it hide them.
func (s *session) completed(ctx context.Context, text string, offset int) (items []lsp.CompletionItem, hides map[string]bool, err error) {
	// The next question's flush restores the document.
	if err := s.hold(s.doc.Path, text); err != nil {
		return nil, nil, err
	}
	var list *lsp.CompletionList
	params := struct {
		lsp.PositionParams
		Context map[string]int `json:"context"`
	}{s.at(lsp.NewText(text).Position(offset, lsp.UTF16)), map[string]int{"triggerKind": 1}}
	if err := s.ask(ctx, request{"textDocument/completion", params, &list}); err != nil || list == nil {
		return nil, nil, err
	}
	hides = map[string]bool{}
	seen := map[string]bool{}
	for _, item := range list.Items {
		if item.Kind == kindKeyword {
			items = append(items, item)
			continue
		}
		if item.Label = plainLabel(item.Label); item.Kind == kindSnippet || item.Label == probe {
			continue
		}
		if seen[item.Label] {
			hides[item.Label] = true
			continue
		}
		seen[item.Label] = true
		items = append(items, item)
	}
	slices.SortStableFunc(items, func(a, b lsp.CompletionItem) int {
		return cmp.Or(cmp.Compare(a.SortText, b.SortText), compareBool(a.Kind == kindKeyword, b.Kind == kindKeyword), cmp.Compare(a.Label, b.Label))
	})
	return items, hides, nil
}

// plainLabel is the name of a label, which for modules has "::" behind it.
func plainLabel(label string) string {
	if name := strings.TrimSuffix(label, "::"); name != "" {
		return name
	}
	return label
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// isUnsafe marks what gives up a guarantee: unsafe functions, and the two
// methods that end the program instead of handling an error, where it is not a
// test that does.
func isUnsafe(item lsp.CompletionItem, path string) bool {
	for word := range strings.FieldsSeq(item.Detail) {
		if word == "unsafe" {
			return true
		}
		if word == "fn" {
			break
		}
	}
	if item.Label != "unwrap" && item.Label != "expect" {
		return false
	}
	slashed := filepath.ToSlash(path)
	return !strings.Contains(slashed, "/tests/") && !strings.HasSuffix(slashed, "tests.rs")
}
