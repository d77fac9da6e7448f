package native

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// maxTyped bounds the names of a scope that are given with their types.
const maxTyped = 200

// Scope implements oracle.Backend. The protocol has no request for a scope, so
// a statement is inserted at the position, in the compiler's copy of the text
// alone, and completed once as a value and once as a type.
func (b *Backend) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	if languageID(doc.Path) == "json" {
		return oracle.Scope{}, &oracleproto.Error{
			Kind:   oracleproto.KindFileUnsupported,
			Detail: filepath.Base(doc.Path) + " is JSON, in which no names are in scope",
			Recipe: "ask about a file with code, such as one that imports it",
		}
	}
	s, err := b.ask(ctx, doc)
	if err != nil {
		return oracle.Scope{}, err
	}
	defer s.end()
	info := s.askProject()
	place, values, types, found, err := s.visible(ctx, at)
	if err != nil {
		return oracle.Scope{}, err
	}
	var answer oracle.Scope
	if !found {
		answer.Context, err = s.context(ctx, info)
		answer.Advice = append(answer.Advice, "the names in scope could not be found out, because no place for a statement was found near the position; ask at the start of a statement")
		return answer, err
	}
	var names []probed
	seen := map[string]bool{}
	for i, item := range append(values, types...) {
		switch {
		case item.Kind == kindKeyword || seen[item.Label]:
		case !isGlobal(item):
			names = append(names, probed{item: item, isType: i >= len(values)})
		case globals:
			answer.Globals = append(answer.Globals, item.Label)
		}
		seen[item.Label] = true
	}
	slices.Sort(answer.Globals)
	slices.SortFunc(names, func(a, b probed) int { return cmp.Compare(a.item.Label, b.item.Label) })

	displays, _, err := s.describe(ctx, place, names[:min(len(names), maxTyped)])
	if err != nil {
		return oracle.Scope{}, err
	}
	for _, n := range names {
		display := displays[n.item.Label]
		answer.Symbols = append(answer.Symbols, oracleproto.Symbol{Name: n.item.Label, Kind: kindName(n.item.Kind, display), TypeText: display})
	}
	answer.Context, err = s.context(ctx, info)
	if len(names) > maxTyped {
		answer.Advice = append(answer.Advice, fmt.Sprintf("%d names are in scope; the first %d by name carry their types, ask tcg_type for others", len(names), maxTyped))
	}
	return answer, err
}

// isGlobal tells the global scope's names, which the compiler ranks behind the
// rest, from the file's own.
func isGlobal(item lsp.CompletionItem) bool { return item.SortText >= "14" }

// probed is a name to be described.
type probed struct {
	item   lsp.CompletionItem
	isType bool // it is visible as a type only
}

// visible finds a place for a statement and lists what is visible there, first
// as values, then as types; found is false when no place takes one.
func (s *session) visible(ctx context.Context, at oracleproto.Position) (place anchor, values, types []lsp.CompletionItem, found bool, err error) {
	probe := s.probeName()
	for _, a := range s.anchors(at) {
		t, err := s.insert(a, "let "+probe+": ; ;")
		if err != nil {
			return anchor{}, nil, nil, false, err
		}
		start := a.offset + len(a.before)
		name, asType := start+len("let "), start+len("let ")+len(probe)+len(": ")
		check := s.hoverAt(t, name)
		valueCall := s.completion(t.Position(asType+len("; "), lsp.UTF16))
		typeCall := s.completion(t.Position(asType, lsp.UTF16))
		display, _, err := s.hovered(ctx, check)
		if err != nil {
			return anchor{}, nil, nil, false, err
		}
		if !strings.HasPrefix(display, "let "+probe+":") {
			s.cancel(valueCall, typeCall)
			continue
		}
		if values, err = s.completed(ctx, valueCall); err != nil {
			return anchor{}, nil, nil, false, err
		}
		if types, err = s.completed(ctx, typeCall); err != nil {
			return anchor{}, nil, nil, false, err
		}
		isProbe := func(i lsp.CompletionItem) bool { return i.Label == probe || i.Label == probeMember }
		return a, slices.DeleteFunc(values, isProbe), slices.DeleteFunc(types, isProbe), true, nil
	}
	return anchor{}, nil, nil, false, nil
}

// describe gives the signatures of names that are visible at a place, by naming
// each in a statement of its own there; false when the place takes no
// statement.
func (s *session) describe(ctx context.Context, place anchor, names []probed) (map[string]string, bool, error) {
	if len(names) == 0 {
		return nil, true, nil
	}
	probe := s.probeName()
	body := "let " + probe + ": ;"
	offsets := make([]int, len(names))
	for i, n := range names {
		if n.isType {
			body += "type " + probe + strconv.Itoa(i) + " = "
		} else {
			body += "void "
		}
		offsets[i] = place.offset + len(place.before) + len(body)
		body += n.item.Label + ";"
	}
	t, err := s.insert(place, body)
	if err != nil {
		return nil, false, err
	}
	check := s.hoverAt(t, place.offset+len(place.before)+len("let "))
	calls := make([]*lsp.Pending, len(names))
	for i := range names {
		calls[i] = s.hoverAt(t, offsets[i])
	}
	display, _, err := s.hovered(ctx, check)
	if err != nil || !strings.HasPrefix(display, "let "+probe+":") {
		s.cancel(calls...)
		return nil, false, err
	}
	displays := make(map[string]string, len(names))
	for i, n := range names {
		display, _, err := s.hovered(ctx, calls[i])
		if err != nil {
			return nil, false, err
		}
		if display != "any" { // what a name that means nothing here has
			displays[n.item.Label] = display
		}
	}
	return displays, true, nil
}

// describeAt gives the signatures of values that are visible at a position;
// nothing when no place for a statement is found.
func (s *session) describeAt(ctx context.Context, at oracleproto.Position, names []probed) (map[string]string, error) {
	for _, a := range s.anchors(at) {
		if displays, ok, err := s.describe(ctx, a, names); ok || err != nil {
			return displays, err
		}
	}
	return nil, nil
}

func (s *session) hoverAt(t *lsp.Text, offset int) *lsp.Pending {
	return s.hover(t.Position(offset, lsp.UTF16))
}

func (s *session) anchors(at oracleproto.Position) []anchor {
	offset := lsp.NewText(s.doc.Text).Offset(lspPosition(at), lsp.UTF16)
	return anchors(s.doc.Path, s.doc.Text, offset)
}

// insert holds the text with a statement inserted; the next question's flush
// takes it out again.
func (s *session) insert(a anchor, statement string) (*lsp.Text, error) {
	text := s.doc.Text[:a.offset] + a.before + statement + a.after + s.doc.Text[a.offset:]
	return lsp.NewText(text), s.hold(s.doc.Path, text)
}

// probeName is a name the text does not use.
func (s *session) probeName() string {
	name := "__tcg_probe"
	for strings.Contains(s.doc.Text, name) {
		name += "_"
	}
	return name
}
