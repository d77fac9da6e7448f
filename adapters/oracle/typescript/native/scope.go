package native

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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
	places, items, err := s.visible(ctx, at)
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

	displays, err := s.describeFrom(ctx, places, names[:min(len(names), MaxTyped)])
	if err != nil {
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

// visible finds a place for a statement and lists what is visible there, in an
// export, which may be of anything. It returns the place with those behind it,
// none when no place takes a statement.
func (s *session) visible(ctx context.Context, at oracleproto.Position) (places []anchor, items []listed, err error) {
	probe := s.probeName()
	places = s.anchors(at)
	for i, a := range places {
		export := "let " + probe + ": ;" + enter + exportDefault + probe
		t, err := s.insert(a, export+";"+leave)
		if err != nil {
			return nil, nil, err
		}
		start := a.offset + len(a.before)
		checks := s.confirm(a, t, start+len("let "))
		list := s.completion(t.Position(start+len(export), lsp.UTF16))
		confirmed, err := s.confirmed(ctx, checks)
		if err != nil {
			return nil, nil, err
		}
		if !confirmed {
			s.cancel(list)
			continue
		}
		var answer struct{ Items []listed }
		if err := s.wait(ctx, list, &answer); err != nil {
			return nil, nil, err
		}
		items = answer.Items
		isProbe := func(i listed) bool { return i.Label == probe || i.Label == probeMember }
		return places[i:], slices.DeleteFunc(items, isProbe), nil
	}
	return nil, nil, nil
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

// describeFrom gives the signatures of names that are visible at the first of
// some places. A statement that would stand in the signatures it is to find out
// goes to a place farther out; what is declared in between is hovered over where
// the text names it.
func (s *session) describeFrom(ctx context.Context, places []anchor, names []listed) (map[string]string, error) {
	if !places[0].inside {
		return s.describeAny(ctx, places, names)
	}
	inner := places[0].offset
	places = slices.DeleteFunc(slices.Clone(places), func(a anchor) bool { return a.part })
	if len(places) == 0 {
		return nil, nil
	}
	mentioned, err := s.hoverMentions(names, places[0].offset, inner+maxAhead)
	if err != nil {
		return nil, err
	}
	displays, err := s.describeAny(ctx, places, names)
	if err != nil {
		return nil, err
	}
	for _, m := range mentioned {
		display, err := s.shown(ctx, m.call)
		if err != nil {
			return nil, err
		}
		switch kindOf(display) {
		case "", "property", "method":
		case "parameter", "type-parameter", "enum-member":
			if m.offset < inner && !m.repeated || displays[m.name] == "" {
				displays[m.name] = display
			}
		default:
			if displays[m.name] == "" {
				displays[m.name] = display
			}
		}
	}
	return displays, nil
}

// mention is a place where the document names a name.
type mention struct {
	name     string
	offset   int
	repeated bool // not the first
	call     *lsp.Pending
}

// hoverMentions asks about names where the document names them, between two
// offsets.
func (s *session) hoverMentions(names []listed, from, to int) ([]mention, error) {
	if err := s.hold(s.doc.Path, s.doc.Text); err != nil {
		return nil, err
	}
	t := lsp.NewText(s.doc.Text)
	var out []mention
	for _, n := range names {
		for i, offset := range mentions(s.doc.Text[:min(to, len(s.doc.Text))], n.Label, from) {
			out = append(out, mention{n.Label, offset, i > 0, s.hoverAt(t, offset)})
		}
	}
	return out, nil
}

// mentions are the first offsets of a name from an offset on, but for members.
func mentions(text, name string, from int) []int {
	const most = 3
	var out []int
	for i := from; len(out) < most; i += len(name) {
		found := strings.Index(text[i:], name)
		if found < 0 {
			break
		}
		i += found
		end := i + len(name)
		if (i == 0 || !isNamePart(text[i-1]) && (text[i-1] != '.' || strings.HasSuffix(text[:i], "..."))) &&
			(end == len(text) || !isNamePart(text[end])) {
			out = append(out, i)
		}
	}
	return out
}

// describeAny gives the signatures of names at the first place that takes a
// statement; none when none does.
func (s *session) describeAny(ctx context.Context, places []anchor, names []listed) (map[string]string, error) {
	for _, a := range places {
		if displays, ok, err := s.describe(ctx, a, names); ok || err != nil {
			return displays, err
		}
	}
	return map[string]string{}, nil
}

// describe gives the signatures of names that are visible at a place, by naming
// each in a statement of its own there; false when the place takes no
// statement.
func (s *session) describe(ctx context.Context, place anchor, names []listed) (map[string]string, bool, error) {
	if len(names) == 0 {
		return nil, true, nil
	}
	probe := s.probeName()
	body := "let " + probe + ": ;"
	offsets := make([]int, len(names))
	write := func(i int, before string) {
		body += before
		offsets[i] = place.offset + len(place.before) + len(body)
		body += names[i].Label + ";"
	}
	var others []int // that may be no values; they are not narrowed
	imported := imports(s.doc.Text)
	for i, n := range names {
		if kind := kindName(n.Kind, ""); kind == "function" || kind == "variable" && !imported[n.Label] {
			write(i, "void ")
		} else {
			others = append(others, i)
		}
	}
	body += enter
	for _, i := range others {
		write(i, exportDefault)
	}
	body += leave
	t, err := s.insert(place, body)
	if err != nil {
		return nil, false, err
	}
	checks := s.confirm(place, t, place.offset+len(place.before)+len("let "))
	calls := make([]*lsp.Pending, len(offsets))
	for i, offset := range offsets {
		calls[i] = s.hoverAt(t, offset)
	}
	confirmed, err := s.confirmed(ctx, checks)
	if err != nil || !confirmed {
		s.cancel(calls...)
		return nil, false, err
	}
	displays := make(map[string]string, len(names))
	for i, call := range calls {
		display, err := s.shown(ctx, call)
		if err != nil {
			return nil, false, err
		}
		if display != "" {
			displays[names[i].Label] = display
		}
	}
	return displays, true, nil
}

// imports are the words of a text's import clauses.
func imports(text string) map[string]bool {
	words := map[string]bool{}
	for _, clause := range importClause.FindAllStringSubmatch(text, -1) {
		for word := range strings.FieldsFuncSeq(clause[1], func(r rune) bool { return r < utf8.RuneSelf && !isNamePart(byte(r)) }) {
			words[word] = true
		}
	}
	return words
}

// importClause is what stands between import and from, or the equals sign.
var importClause = regexp.MustCompile(`\bimport\b([^"'` + "`" + `();=]*)(?:\bfrom\b|=)`)

// shown waits for the signature of a name; empty when it means nothing there.
// One that the compiler fails to render is no reason to fail the question.
func (s *session) shown(ctx context.Context, call *lsp.Pending) (string, error) {
	display, _, err := s.hovered(ctx, call)
	if refused := (*lsp.ResponseError)(nil); errors.As(err, &refused) {
		return "", nil
	}
	if display == "any" { // what a name that means nothing has
		display = ""
	}
	return display, err
}

// describeAt gives the signatures of values that are visible at a position;
// nothing when no place for a statement is found.
func (s *session) describeAt(ctx context.Context, at oracleproto.Position, names []listed) (map[string]string, error) {
	places := slices.DeleteFunc(s.anchors(at), func(a anchor) bool { return a.inside })
	return s.describeAny(ctx, places, names)
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
