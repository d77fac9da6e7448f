package native

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Validate implements oracle.Backend.
func (b *Backend) Validate(ctx context.Context, doc oracle.Document, _ oracle.Check) (oracle.Validation, error) {
	if IsConfiguration(doc.Path) {
		return b.validateConfiguration(ctx, doc)
	}
	s, err := b.ask(ctx, doc)
	if err != nil {
		return oracle.Validation{}, err
	}
	defer s.end()
	pull, info := s.pull(), s.askProject()
	items, err := s.diagnostics(ctx, pull)
	if err != nil {
		return oracle.Validation{}, err
	}
	if slices.ContainsFunc(items, maybeSyntax) {
		if items, err = s.syntaxFirst(ctx, items); err != nil {
			return oracle.Validation{}, err
		}
	}
	v := oracle.Validation{
		Context:     oracle.Context{Engine: s.engine()},
		Coverage:    oracleproto.CoverageCompiler,
		Diagnostics: asPrinted(s.declarationsLast(items)),
	}
	if err := s.addProject(ctx, info, &v); err != nil {
		return oracle.Validation{}, err
	}
	if err := s.addMissingGlobals(ctx, &v); err != nil {
		return oracle.Validation{}, err
	}
	if !slices.ContainsFunc(items, moduleMissing) {
		return v, nil
	}
	if dir := b.unseenDirectory(doc.Path); dir != "" {
		v.Unknown = oracleproto.ReasonOverlayUnseen
		v.Advice = append(v.Advice, "the compiler cannot find hypothetical files in "+dir+" when they are imported, because that directory does not exist; make it with mkdir and ask again")
	}
	return v, nil
}

// unseenDirectory is a directory that exists only by an overlay other than the
// asked file's: TypeScript 7.0 resolves imports by looking for directories on
// disk, and so misses the file.
func (b *Backend) unseenDirectory(asked string) string {
	for _, path := range slices.Sorted(maps.Keys(b.overlays)) {
		if dir := filepath.Dir(path); path != asked && !exists(dir) {
			return dir
		}
	}
	return ""
}

// moduleMissing reports that an import was not found: 2307 and 2792 for a
// module, 2882 for a side effect, 7016 for one without types.
func moduleMissing(d lsp.Diagnostic) bool {
	return slices.Contains([]int{2307, 2792, 2882, 7016}, codeOf(d))
}

// addProject says which configuration governed the answer, and what is wrong
// with it.
func (s *session) addProject(ctx context.Context, info *lsp.Pending, v *oracle.Validation) error {
	config, err := s.project(ctx, info)
	if err != nil {
		return err
	}
	if config == "" {
		v.Unknown = oracleproto.ReasonNotInProject
		return nil
	}
	v.ConfigFile = config
	found, reported, err := s.projects.errorsOf(ctx, s.client.Done(), v.ConfigFile)
	switch {
	case err != nil:
		return s.explain(err)
	case !reported:
		v.Unknown = oracleproto.ReasonWarming
		v.Advice = append(v.Advice, "the compiler has not reported on "+v.ConfigFile+" yet; ask again")
	}
	v.ProjectErrors = s.projects.errors(v.ConfigFile, found)
	return nil
}

func (s *session) document() lsp.DocumentParams {
	return lsp.DocumentParams{TextDocument: lsp.TextDocumentIdentifier{URI: s.uri}}
}

func (s *session) engine() oracleproto.Engine {
	return oracleproto.Engine{Name: "typescript", Version: s.compiler.Version}
}

// pull asks for the diagnostics of the document as it is held.
func (s *session) pull() *lsp.Pending { return s.call("textDocument/diagnostic", s.document()) }

// diagnostics waits for a pull and keeps what tsc would print: suggestions are
// mixed in as hints.
func (s *session) diagnostics(ctx context.Context, pull *lsp.Pending) ([]lsp.Diagnostic, error) {
	var report lsp.DocumentDiagnosticReport
	if err := s.wait(ctx, pull, &report); err != nil {
		return nil, err
	}
	// A report without a list is no report of no errors.
	if report.Kind != "full" || report.Items == nil {
		return nil, s.unexpected("textDocument/diagnostic", fmt.Sprintf("with a report of kind %q that lists nothing", report.Kind))
	}
	return slices.DeleteFunc(report.Items, func(d lsp.Diagnostic) bool { return d.Severity > lsp.SeverityWarning }), nil
}

// maybeSyntax reports codes of the parser's ranges, 8000 and up being about
// JavaScript. The checker's grammar errors share them.
func maybeSyntax(d lsp.Diagnostic) bool {
	n := codeOf(d)
	return 1000 <= n && n < 2000 || 8000 <= n && n < 9000 || 17000 <= n && n < 19000
}

// noCheck makes the compiler leave out everything but true syntax errors. Of
// several such comments before the first token the last one counts, so it goes
// right before that token.
const noCheck = "// @ts-nocheck\n"

// syntaxFirst applies tsc's rule that syntax errors end the compilation before
// any type is checked: when the file has some, they are all there is. They are
// told from the checker's grammar errors by asking about the same text
// unchecked.
func (s *session) syntaxFirst(ctx context.Context, items []lsp.Diagnostic) ([]lsp.Diagnostic, error) {
	at := firstToken(s.doc.Text)
	if at == len(s.doc.Text) { // nothing but comments, one of them unterminated
		return items, nil
	}
	place := lsp.NewText(s.doc.Text).Position(at, lsp.UTF16)
	// The next question's flush restores the document.
	if err := s.hold(s.doc.Path, s.doc.Text[:at]+noCheck+s.doc.Text[at:]); err != nil {
		return nil, err
	}
	syntax, err := s.diagnostics(ctx, s.pull())
	syntax = slices.DeleteFunc(syntax, fromDeclarations) // which need no checking, and are no syntax
	if err != nil || len(syntax) == 0 {
		return items, err
	}
	for i := range syntax {
		joinLines(&syntax[i].Range, place)
		for j, r := range syntax[i].RelatedInformation {
			if r.Location.URI == s.uri {
				joinLines(&syntax[i].RelatedInformation[j].Location.Range, place)
			}
		}
	}
	return syntax, nil
}

// joinLines undoes for a range that a line's end was inserted at a place.
func joinLines(r *lsp.Range, place lsp.Position) {
	for _, p := range []*lsp.Position{&r.Start, &r.End} {
		if p.Line == place.Line+1 {
			p.Character += place.Character
		}
		if p.Line > place.Line {
			p.Line--
		}
	}
}

// firstToken is where a text begins to be more than a hash-bang, white space
// and comments; its length when it does not.
func firstToken(text string) int {
	at := 0
	skip := func(past string) {
		if n := strings.Index(text[at:], past); n >= 0 {
			at += n + len(past)
		} else {
			at = len(text)
		}
	}
	if strings.HasPrefix(text, "#!") {
		skip("\n")
	}
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, "//"):
			skip("\n")
		case strings.HasPrefix(rest, "/*"):
			at += len("/*")
			skip("*/")
		case unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff':
			at += size
		default:
			return at
		}
	}
	return at
}

// declarationsLast drops the errors of declaration emit when there are others,
// as tsc does before 7.0 and from 7.1 on: it looks for them only in a program
// without errors. TypeScript 7.0 prints both.
func (s *session) declarationsLast(items []lsp.Diagnostic) []lsp.Diagnostic {
	if strings.HasPrefix(s.compiler.Version, "7.0.") {
		return items
	}
	others := slices.DeleteFunc(slices.Clone(items), fromDeclarations)
	if len(others) > 0 {
		return others
	}
	return items
}

// fromDeclarations reports the codes that only declaration emit gives: 4000 to
// 4103 and 4106 to 4108 ("has or is using private name"), 4118, 9005 to 9039
// (isolatedDeclarations), and those about types that cannot be written down.
func fromDeclarations(d lsp.Diagnostic) bool {
	switch n := codeOf(d); n {
	case 2527, 2742, 2883, 4106, 4107, 4108, 4118, 5088, 7056:
		return true
	default:
		return 4000 <= n && n <= 4103 || 9005 <= n && n <= 9039
	}
}

// asPrinted renders diagnostics in the order tsc prints them, without repeats.
func asPrinted(items []lsp.Diagnostic) []oracleproto.Diagnostic {
	slices.SortStableFunc(items, func(a, b lsp.Diagnostic) int {
		return cmp.Or(
			comparePositions(a.Range.Start, b.Range.Start),
			comparePositions(a.Range.End, b.Range.End),
			cmp.Compare(codeOf(a), codeOf(b)),
			cmp.Compare(a.Message, b.Message))
	})
	items = slices.CompactFunc(items, func(a, b lsp.Diagnostic) bool {
		return a.Range == b.Range && codeOf(a) == codeOf(b) && a.Message == b.Message
	})
	out := make([]oracleproto.Diagnostic, 0, len(items))
	for _, d := range items {
		out = append(out, diagnostic(d))
	}
	return out
}

func comparePositions(a, b lsp.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character))
}

// diagnostic renders one. tsc has no warnings: what the compiler sends at
// severity 1 or 2 makes tsc fail alike.
func diagnostic(d lsp.Diagnostic) oracleproto.Diagnostic {
	out := oracleproto.Diagnostic{
		Code:         oracleproto.NumberCode(codeOf(d)),
		Category:     "error",
		Message:      d.Message,
		Line:         d.Range.Start.Line + 1,
		Character:    d.Range.Start.Character,
		EndLine:      d.Range.End.Line + 1,
		EndCharacter: d.Range.End.Character,
	}
	for _, r := range d.RelatedInformation {
		file, err := lsp.URIToPath(r.Location.URI)
		if err != nil {
			file = r.Location.URI // of a file inside the compiler
		}
		out.Related = append(out.Related, oracleproto.Related{
			File: file, Line: r.Location.Range.Start.Line + 1, Character: r.Location.Range.Start.Character, Message: r.Message,
		})
	}
	return out
}

// codeOf is the numeric code; 0 for none, which tsc does not have.
func codeOf(d lsp.Diagnostic) int {
	var n int
	_ = json.Unmarshal(d.Code, &n)
	return n
}
