package native

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"vibevm.org/adapters/lsp"
	"vibevm.org/tcgfamily/oracleproto"
)

// describeFrom adds the signatures of names that are visible at the first of some
// places to those that are known, and empty ones of names that have none. A
// statement that would stand in the signatures it is to find out goes to a place
// farther out; what is declared in between is hovered over where the text names
// it.
func (s *session) describeFrom(ctx context.Context, places []anchor, names []listed, known map[string]string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(n listed) bool { _, ok := known[n.Label]; return ok })
	if !places[0].inside {
		displays, err := s.describeAny(ctx, places, names)
		maps.Copy(known, displays)
		return err
	}
	inner := places[0].offset
	places = slices.DeleteFunc(slices.Clone(places), func(a anchor) bool { return a.part })
	if len(places) == 0 {
		return nil
	}
	mentioned, err := s.hoverMentions(names, places[0].offset, inner+maxAhead)
	if err != nil {
		return err
	}
	displays, err := s.describeAny(ctx, places, names)
	if err != nil {
		return err
	}
	maps.Copy(known, displays)
	for _, m := range mentioned {
		display, err := s.shown(ctx, m.call)
		if err != nil {
			return err
		}
		switch kindOf(display) {
		case "", "property", "method":
		case "parameter", "type-parameter", "enum-member":
			if m.offset < inner && !m.repeated || known[m.name] == "" {
				known[m.name] = display
			}
		default:
			if known[m.name] == "" {
				known[m.name] = display
			}
		}
	}
	return nil
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
	declared := "let " + s.probeName() + ": ;"
	described, offsets := s.statements(names)
	t, err := s.insert(place, declared+described)
	if err != nil {
		return nil, false, err
	}
	start := place.offset + len(place.before)
	checks := s.confirm(place, t, start+len("let "))
	calls := s.hoverAll(t, start+len(declared), offsets)
	confirmed, err := s.confirmed(ctx, checks)
	if err != nil || !confirmed {
		s.cancel(calls...)
		return nil, false, err
	}
	displays, err := s.shownAll(ctx, names, calls)
	return displays, err == nil, err
}

// statements name names, and give the offsets at which.
func (s *session) statements(names []listed) (text string, offsets []int) {
	var b strings.Builder
	offsets = make([]int, len(names))
	write := func(i int, before string) {
		b.WriteString(before)
		offsets[i] = b.Len()
		b.WriteString(names[i].Label + ";")
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
	b.WriteString(enter)
	for _, i := range others {
		write(i, exportDefault)
	}
	b.WriteString(leave)
	return b.String(), offsets
}

// hoverAll hovers over offsets from a place on.
func (s *session) hoverAll(t *lsp.Text, from int, offsets []int) []*lsp.Pending {
	calls := make([]*lsp.Pending, len(offsets))
	for i, offset := range offsets {
		calls[i] = s.hoverAt(t, from+offset)
	}
	return calls
}

// shownAll waits for the signatures of names.
func (s *session) shownAll(ctx context.Context, names []listed, calls []*lsp.Pending) (map[string]string, error) {
	displays := make(map[string]string, len(names))
	for i, call := range calls {
		var err error
		if displays[names[i].Label], err = s.shown(ctx, call); err != nil {
			return nil, err
		}
	}
	return displays, nil
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
