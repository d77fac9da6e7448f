package native

import (
	"context"
	"regexp"
	"strings"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Type implements oracle.Backend.
func (b *Backend) Type(ctx context.Context, doc oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	s, err := b.ask(ctx, doc)
	if err != nil {
		return oracle.TypeInfo{}, err
	}
	place := lspPosition(at)
	display, documentation, err := s.hovered(ctx, place)
	if err == nil && display == "" && documentation == "" && endsName(doc.Text, place) {
		// A caret behind a name means the name.
		place.Character--
		display, documentation, err = s.hovered(ctx, place)
	}
	if err != nil {
		return oracle.TypeInfo{}, err
	}
	c, err := s.explained(ctx, display == "" && documentation == "")
	return oracle.TypeInfo{Context: c, Display: display, Documentation: documentation}, err
}

// explained is the context of an answer, with why there may be nothing in it.
func (s *session) explained(ctx context.Context, empty bool) (oracle.Context, error) {
	c := s.context()
	if !empty {
		return c, nil
	}
	items, err := s.diagnostics(ctx)
	for _, d := range items {
		if unlinked(d) {
			c.Advice = append(c.Advice, s.unlinked())
		}
	}
	return c, err
}

func lspPosition(at oracleproto.Position) lsp.Position {
	return lsp.Position{Line: at.Line - 1, Character: at.Character}
}

func (s *session) at(place lsp.Position) lsp.PositionParams {
	return lsp.PositionParams{TextDocument: lsp.TextDocumentIdentifier{URI: s.uri}, Position: place}
}

// endsName reports a position right behind an identifier. Names of characters
// beyond the basic plane are legal and not worth the care here.
func endsName(text string, at lsp.Position) bool {
	offset := lsp.NewText(text).Offset(at, lsp.UTF16)
	if offset == 0 || offset < len(text) && isNamePart(text[offset]) {
		return false
	}
	return isNamePart(text[offset-1])
}

// isNamePart reports a byte of an identifier; every byte of a character beyond
// ASCII counts as one.
func isNamePart(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// hovered asks what is at a place; both texts are empty when there is nothing.
func (s *session) hovered(ctx context.Context, place lsp.Position) (display, documentation string, err error) {
	var hover *lsp.Hover
	if err := s.ask(ctx, request{"textDocument/hover", s.at(place), &hover}); err != nil || hover == nil {
		return "", "", err
	}
	display, documentation = splitMarkdown(hover.Contents.Value)
	return display, documentation, nil
}

// splitMarkdown parts what a symbol is from the documentation behind it. The
// analyzer writes, each but the last parted by a rule: fenced blocks with the
// path and the signature, what stands for the generic parameters, the
// documentation.
func splitMarkdown(s string) (display, documentation string) {
	blocks, rest, _ := strings.Cut(strings.TrimSpace(s), rule)
	var shown []string
	for block := range strings.SplitSeq(blocks, "```") {
		if code, ok := strings.CutPrefix(block, "rust\n"); ok {
			shown = append(shown, strings.TrimRight(code, "\n"))
		} else if text := strings.TrimSpace(block); text != "" {
			shown = append(shown, text)
		}
	}
	if parameters, after, ok := strings.Cut(rest+rule, rule); ok && substitution.MatchString(strings.TrimSpace(parameters)) {
		shown = append(shown, strings.ReplaceAll(strings.TrimSpace(parameters), "`", ""))
		rest = strings.TrimSuffix(after, rule)
	}
	return strings.Join(shown, "\n"), strings.TrimSpace(rest)
}

const rule = "\n---\n"

// substitution is what stands for the generic parameters, such as
// "`T` = `u8`, `A` = `Global`".
var substitution = regexp.MustCompile("^`[^`\n]+` = `[^`\n]+`(?:, `[^`\n]+` = `[^`\n]+`)*$")

// completionKinds are the words for LSP's CompletionItemKind numbers, as the
// analyzer uses them.
var completionKinds = [...]string{
	1: "text", 2: "method", 3: "function", 4: "constructor", 5: "field", 6: "variable", 7: "class", 8: "trait",
	9: "module", 10: "property", 11: "unit", 12: "static", 13: "enum", 14: "keyword", 15: "snippet", 16: "color",
	17: "file", 18: "attribute", 19: "folder", 20: "enum-member", 21: "constant", 22: "struct", 23: "event", 24: "operator", 25: "type-parameter",
}

const (
	kindKeyword lsp.CompletionItemKind = 14
	kindSnippet lsp.CompletionItemKind = 15
)

func kindName(item lsp.CompletionItem) string {
	switch {
	case strings.HasSuffix(item.Label, "!"):
		return "macro"
	case item.Label == "Self":
		return "type"
	case item.Kind == 22 && item.Detail == item.Label && strings.ToLower(item.Label) == item.Label:
		return "primitive"
	case item.Kind > 0 && int(item.Kind) < len(completionKinds):
		return completionKinds[item.Kind]
	}
	return "text"
}

// typeText is the type of a completion as people write it.
func typeText(item lsp.CompletionItem) string {
	return tidy.Replace(item.Detail)
}

// tidy leaves out the default allocator and writes what is not known as Rust
// does.
var tidy = strings.NewReplacer(", Global>", ">", "{unknown}", "_")
