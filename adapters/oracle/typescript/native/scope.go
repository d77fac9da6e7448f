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

// MaxTyped bounds the names of a scope that are given with their types; the
// script of package service has the same bound.
const MaxTyped = 200

// Scope implements oracle.Backend. The protocol has no request for a scope, so
// a statement is inserted at the position, in the compiler's copy of the text
// alone, and completed.
func (b *Backend) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	s, err := b.ask(ctx, doc)
	if err != nil {
		return oracle.Scope{}, err
	}
	defer s.end()
	info := s.askProject()
	places, items, displays, err := s.visible(ctx, at, s.expected.of(doc.Path))
	if err != nil {
		return oracle.Scope{}, err
	}
	var answer oracle.Scope
	if len(places) == 0 {
		answer.Context, err = s.context(ctx, info)
		answer.Advice = append(answer.Advice, "the names in scope could not be found out, because no place for a statement was found near the position; ask at the start of a statement")
		return answer, err
	}
	var names []listed
	for _, item := range items {
		switch {
		case item.Kind == kindKeyword:
		case !isGlobal(item):
			names = append(names, item)
		case globals:
			answer.Globals = append(answer.Globals, item.Label)
		}
	}
	slices.Sort(answer.Globals)
	slices.SortFunc(names, func(a, b listed) int { return cmp.Compare(a.Label, b.Label) })

	typed := names[:min(len(names), MaxTyped)]
	s.expected = expectation{doc.Path, typed}
	if err := s.describeFrom(ctx, places, typed, displays); err != nil {
		return oracle.Scope{}, err
	}
	for _, n := range names {
		display := displays[n.Label]
		answer.Symbols = append(answer.Symbols, oracleproto.Symbol{Name: n.Label, Kind: kindName(n.Kind, display), TypeText: display})
	}
	answer.Context, err = s.context(ctx, info)
	return answer, err
}

// isGlobal tells the global scope's names, which the compiler ranks behind the
// rest, from the file's own.
func isGlobal(item listed) bool { return item.SortText >= "14" }

// listed is what matters here of a completion item; there are thousands.
type listed struct {
	Label    string
	Kind     lsp.CompletionItemKind
	SortText string
}

// expectation is what was in scope when it was last asked for. Names that are
// likely to be in scope again are described with the question which are.
type expectation struct {
	path  string
	names []listed
}

func (e expectation) of(path string) []listed {
	if e.path != path {
		return nil
	}
	return e.names
}

// visible finds a place for a statement and lists what is visible there, in an
// export, which may be of anything. It returns the place with those behind it,
// none when no place takes a statement; and the signatures of expected names,
// empty for those that mean nothing there.
func (s *session) visible(ctx context.Context, at oracleproto.Position, expected []listed) (places []anchor, items []listed, displays map[string]string, err error) {
	probe := s.probeName()
	places = s.anchors(at)
	for i, a := range places {
		if a.inside {
			expected = nil
		}
		export := "let " + probe + ": ;" + enter + exportDefault + probe
		text := export + ";" + leave
		described, offsets := s.statements(expected)
		t, err := s.insert(a, text+described)
		if err != nil {
			return nil, nil, nil, err
		}
		start := a.offset + len(a.before)
		checks := s.confirm(a, t, start+len("let "))
		list := s.completion(t.Position(start+len(export), lsp.UTF16))
		calls := s.hoverAll(t, start+len(text), offsets)
		confirmed, err := s.confirmed(ctx, checks)
		if err != nil {
			return nil, nil, nil, err
		}
		if !confirmed {
			s.cancel(append(calls, list)...)
			continue
		}
		var answer struct{ Items []listed }
		if err := s.wait(ctx, list, &answer); err != nil {
			return nil, nil, nil, err
		}
		if displays, err = s.shownAll(ctx, expected, calls); err != nil {
			return nil, nil, nil, err
		}
		for _, item := range answer.Items {
			if displays[item.Label] == "" { // it is no longer what it was
				delete(displays, item.Label)
			}
		}
		isProbe := func(i listed) bool { return i.Label == probe || i.Label == probeMember }
		return places[i:], slices.DeleteFunc(answer.Items, isProbe), displays, nil
	}
	return nil, nil, nil, nil
}

// exportDefault is behind which a name may be a value, a type or a namespace. It
// stands in a function, where nothing is exported by it.
const (
	enter         = "(() => {"
	exportDefault = "export default "
	leave         = "});"
)

// confirm asks what proves that a text was taken for a statement at a place, in
// which a variable was declared at an offset.
func (s *session) confirm(a anchor, t *lsp.Text, variable int) []*lsp.Pending {
	checks := []*lsp.Pending{s.hoverAt(t, variable)}
	if a.named {
		checks = append(checks, s.hoverAt(t, a.offset+strings.LastIndex(a.before, probeMember)))
	}
	return checks
}

// confirmed waits for the proof.
func (s *session) confirmed(ctx context.Context, checks []*lsp.Pending) (bool, error) {
	for i, want := range []string{"let __tcg_probe", "(parameter) " + probeMember}[:len(checks)] {
		display, _, err := s.hovered(ctx, checks[i])
		if err != nil || !strings.HasPrefix(display, want) {
			s.cancel(checks...)
			return false, err
		}
	}
	return true, nil
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
