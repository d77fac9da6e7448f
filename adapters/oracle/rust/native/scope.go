package native

import (
	"context"
	"slices"
	"strings"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Scope implements oracle.Backend. The protocol has no request for a scope, so
// a name is inserted at the position, in the analyzer's copy of the text alone,
// and completed.
func (b *Backend) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	s, err := b.ask(ctx, doc)
	if err != nil {
		return oracle.Scope{}, err
	}
	items, hides, found, err := s.visible(ctx, lsp.NewText(doc.Text).Offset(lspPosition(at), lsp.UTF16))
	if err != nil {
		return oracle.Scope{}, err
	}
	var answer oracle.Scope
	for _, item := range items {
		switch {
		case item.Kind == kindKeyword:
		case !isGlobal(item) || hides[item.Label]:
			answer.Symbols = append(answer.Symbols, oracleproto.Symbol{Name: item.Label, Kind: kindName(item), TypeText: typeText(item)})
		case globals:
			answer.Globals = append(answer.Globals, item.Label)
		}
	}
	slices.Sort(answer.Globals)
	answer.Context, err = s.explained(ctx, !found)
	if !found {
		answer.Advice = append(answer.Advice, "the names in scope could not be found out, because no place for a statement was found near the position; ask at the start of a statement")
	}
	return answer, err
}

// visible lists what can be named in an expression at or near an offset; found
// is false when no place near it takes one.
func (s *session) visible(ctx context.Context, offset int) (items []lsp.CompletionItem, hides map[string]bool, found bool, err error) {
	for _, a := range anchors(s.doc.Text, offset) {
		text := s.doc.Text[:a.offset] + a.before + probe + a.after + s.doc.Text[a.offset:]
		items, hides, err := s.completed(ctx, text, a.offset+len(a.before)+len(probe))
		if err != nil {
			return nil, nil, false, err
		}
		if slices.ContainsFunc(items, inExpression) {
			return slices.DeleteFunc(items, func(i lsp.CompletionItem) bool { return i.Label == probeFunction }), hides, true, nil
		}
	}
	return nil, nil, false, nil
}

// inExpression recognises the completions of an expression: only there can a
// match begin.
func inExpression(item lsp.CompletionItem) bool {
	return item.Kind == kindKeyword && item.Label == "match"
}

// anchor is a place for a name, with what must stand around it.
type anchor struct {
	offset        int
	before, after string
}

// probeFunction makes room for an expression among items.
const probeFunction = "tcg__function"

// mostAnchors bounds how far back a place for a statement is looked for, in
// ends of statements and blocks.
const mostAnchors = 6

// anchors are the places for an expression that sees what is visible at an
// offset, best first: the place itself, as a statement or as the body of a
// function among items, then the ends of statements before it. They are
// guesses; the analyzer confirms one.
func anchors(text string, offset int) []anchor {
	var list []anchor
	add := func(at int) {
		list = append(list,
			anchor{at, " ", "; "},
			anchor{at, " fn " + probeFunction + "() { ", " } "})
	}
	at := chainStart(text, offset)
	add(at)
	for i := at; i > 0 && len(list) < 2*mostAnchors; i-- {
		if strings.IndexByte(";{}", text[i-1]) >= 0 {
			add(i)
		}
	}
	return list
}

// chainStart is where the path or chain of member accesses begins that a place
// is in: "a.b(c).d" is looked up at its a.
func chainStart(text string, offset int) int {
	at := offset
	for at > 0 {
		c := text[at-1]
		switch {
		case isNamePart(c) || c == '.' || c == ':' || c == '?':
			at--
		case c == ')' || c == ']':
			open := matching(text, at-1)
			if open < 0 {
				return offset
			}
			at = open
		default:
			if strings.IndexByte(text[at:offset], '.') < 0 && strings.IndexByte(text[at:offset], ':') < 0 {
				return nameStart(text, offset)
			}
			return at
		}
	}
	return at
}

// nameStart is the beginning of the name that ends at an offset.
func nameStart(text string, offset int) int {
	for offset > 0 && isNamePart(text[offset-1]) {
		offset--
	}
	return offset
}

// matching finds the bracket that is closed at an offset, -1 if there is none.
func matching(text string, at int) int {
	depth := 0
	for i := at; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// isGlobal reports the names that every module of every crate sees: the
// primitive types, and what std's prelude and its macros bring
// (https://doc.rust-lang.org/std/prelude/).
func isGlobal(item lsp.CompletionItem) bool {
	return kindName(item) == "primitive" || kindName(item) == "attribute" || prelude[item.Label]
}

var prelude = setOf(`
	core std alloc
	AsMut AsRef AsyncFn AsyncFnMut AsyncFnOnce Box Clone Copy Default DoubleEndedIterator Drop Eq Err
	ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Future Into IntoFuture IntoIterator Iterator None Ok
	Option Ord PartialEq PartialOrd Result Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec
	align_of align_of_val drop size_of size_of_val
	addr_of! addr_of_mut! assert! assert_eq! assert_matches! assert_ne! cfg! cfg_select! column! compile_error! concat!
	concat_bytes! concat_idents! const_format_args! dbg! debug_assert! debug_assert_eq! debug_assert_matches!
	debug_assert_ne! env! eprint! eprintln! file! format! format_args! format_args_nl! global_asm! include!
	include_bytes! include_str! is_aarch64_feature_detected! is_x86_feature_detected! line! log_syntax! matches!
	module_path! option_env! panic! print! println! r#try! stringify! thread_local! todo! trace_macros! try!
	unimplemented! unreachable! vec! write! writeln!`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
