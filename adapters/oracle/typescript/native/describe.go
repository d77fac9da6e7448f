package native

import (
	"context"
	"fmt"
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
	defer s.end()
	place := lspPosition(at)
	call, info, overloads := s.hover(place), s.askProject(), s.overloads(place)
	display, documentation, err := s.hovered(ctx, call)
	if err != nil {
		return oracle.TypeInfo{}, err
	}
	if display == "" && documentation == "" && endsName(doc.Text, place) {
		// A caret behind a name means the name.
		place.Character--
		if display, documentation, err = s.hovered(ctx, s.hover(place)); err != nil {
			return oracle.TypeInfo{}, err
		}
	}
	if overloads != nil {
		if display, err = s.counted(ctx, overloads, display); err != nil {
			return oracle.TypeInfo{}, err
		}
	}
	c, err := s.context(ctx, info)
	return oracle.TypeInfo{Context: c, Display: display, Documentation: documentation}, err
}

// overloads asks for the signatures of the call that a name at a position is the
// function of; nil when there is no call.
func (s *session) overloads(at lsp.Position) *lsp.Pending {
	t := lsp.NewText(s.doc.Text)
	open, ok := callBehind(s.doc.Text, t.Offset(at, lsp.UTF16))
	if !ok {
		return nil
	}
	return s.call("textDocument/signatureHelp", lsp.PositionParams{
		TextDocument: lsp.TextDocumentIdentifier{URI: s.uri}, Position: t.Position(open+1, lsp.UTF16),
	})
}

// counted adds to the signature of a call how many others the function has: a
// hover shows the one that is called alone.
func (s *session) counted(ctx context.Context, overloads *lsp.Pending, display string) (string, error) {
	var help *struct{ Signatures []struct{ Label string } }
	if err := s.wait(ctx, overloads, &help); err != nil {
		return "", err
	}
	if kind := kindOf(display); help == nil || kind != "function" && kind != "method" && !strings.Contains(display, "constructor ") {
		return display, nil
	}
	switch n := len(help.Signatures) - 1; {
	case n == 1:
		return display + " (+1 overload)", nil
	case n > 1:
		return fmt.Sprintf("%s (+%d overloads)", display, n), nil
	}
	return display, nil
}

// callBehind finds the parenthesis that makes the name around an offset a call,
// behind its type arguments, if any.
func callBehind(text string, offset int) (open int, ok bool) {
	for offset < len(text) && isNamePart(text[offset]) {
		offset++
	}
	if offset == 0 || !isNamePart(text[offset-1]) {
		return 0, false
	}
	rest := strings.TrimPrefix(text[offset:], "?.")
	if strings.HasPrefix(rest, "<") {
		depth := 0
		end := strings.IndexFunc(rest, func(r rune) bool {
			switch r {
			case '<':
				depth++
			case '>':
				depth--
			}
			return depth == 0 || r == ';'
		})
		if end < 0 {
			return 0, false
		}
		rest = rest[end+1:]
	}
	return len(text) - len(rest), strings.HasPrefix(rest, "(")
}

// context says where an answer came from.
func (s *session) context(ctx context.Context, info *lsp.Pending) (oracle.Context, error) {
	c := oracle.Context{Engine: s.engine()}
	var err error
	c.ConfigFile, err = s.project(ctx, info)
	return c, err
}

func lspPosition(at oracleproto.Position) lsp.Position {
	return lsp.Position{Line: at.Line - 1, Character: at.Character}
}

// endsName reports a position right behind an identifier. Names of characters
// beyond the basic plane are legal and not worth the care here.
func endsName(text string, at lsp.Position) bool {
	t := lsp.NewText(text)
	offset := t.Offset(at, lsp.UTF16)
	if offset == 0 || offset < len(text) && isNamePart(text[offset]) {
		return false
	}
	return isNamePart(text[offset-1])
}

// isNamePart reports a byte of an identifier; every byte of a character beyond
// ASCII counts as one.
func isNamePart(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

func (s *session) hover(at lsp.Position) *lsp.Pending {
	return s.call("textDocument/hover", lsp.PositionParams{TextDocument: lsp.TextDocumentIdentifier{URI: s.uri}, Position: at})
}

// hovered waits for a hover; both texts are empty when there is nothing.
func (s *session) hovered(ctx context.Context, call *lsp.Pending) (display, documentation string, err error) {
	var hover *lsp.Hover
	if err := s.wait(ctx, call, &hover); err != nil || hover == nil {
		return "", "", err
	}
	display, documentation = splitMarkdown(hover.Contents.Value)
	return display, documentation, nil
}

// splitMarkdown parts the fenced signature from the documentation behind it.
func splitMarkdown(s string) (display, documentation string) {
	_, fenced, ok := strings.Cut(s, "```typescript\n")
	if !ok {
		return "", strings.TrimSpace(s)
	}
	display, documentation, _ = strings.Cut(fenced, "\n```")
	documentation = fileLink.ReplaceAllString(documentation, "$1")
	documentation = strings.ReplaceAll(documentation, "```\n\n\n", "```\n\n")
	return strings.TrimSpace(display), strings.TrimSpace(documentation)
}

// fileLink is a link to a declaration, which leads somewhere in an editor alone.
var fileLink = regexp.MustCompile(`\[([^\]]*)\]\(file://[^)]*\)`)

// unsafeType finds the type that switches checking off.
var unsafeType = regexp.MustCompile(`\bany\b`)

// kinds by the first word of a signature, after "(alias)" and the like.
var kinds = map[string]string{
	"function": "function", "local function": "function",
	"const": "variable", "let": "variable", "var": "variable", "using": "variable", "await using": "variable", "local var": "variable",
	"class": "class", "local class": "class", "abstract": "class",
	"interface": "interface", "type": "type", "enum": "enum",
	"module": "module", "namespace": "module",
	"constructor": "class", "enum member": "enum-member", "type parameter": "type-parameter",
	"parameter": "parameter", "property": "property", "accessor": "property", "getter": "property", "setter": "property",
	"method": "method", "index": "property",
}

// kindOf reads the kind off a signature such as "(method) A.f(): void" or
// "const x: 1"; empty when it does not say.
func kindOf(display string) string {
	for {
		rest, ok := strings.CutPrefix(display, "(")
		if !ok {
			break
		}
		word, after, ok := strings.Cut(rest, ")")
		if !ok {
			return ""
		}
		if kind, ok := kinds[word]; ok {
			return kind
		}
		if word != "alias" {
			return ""
		}
		display = strings.TrimSpace(after)
	}
	word, _, _ := strings.Cut(display, " ")
	return kinds[word]
}

// completionKinds are the words for LSP's CompletionItemKind numbers.
var completionKinds = [...]string{
	1: "text", 2: "method", 3: "function", 4: "constructor", 5: "property", 6: "variable", 7: "class", 8: "interface",
	9: "module", 10: "property", 11: "unit", 12: "value", 13: "enum", 14: "keyword", 15: "snippet", 16: "color",
	17: "file", 18: "reference", 19: "folder", 20: "enum-member", 21: "constant", 22: "type", 23: "event", 24: "operator", 25: "type-parameter",
}

// kindVariable is LSP's CompletionItemKind of a variable.
const kindVariable lsp.CompletionItemKind = 6

// kindName prefers what the signature says: completion calls parameters and
// the like variables. The signatures of "arguments" and "undefined" call these
// properties, which they are of nothing.
func kindName(kind lsp.CompletionItemKind, display string) string {
	if k := kindOf(display); k != "" && (k != "property" || kind != kindVariable) {
		return k
	}
	if kind > 0 && int(kind) < len(completionKinds) {
		return completionKinds[kind]
	}
	return "text"
}
