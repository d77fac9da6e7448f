package native

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Validate implements oracle.Backend. The analyzer always looks at test code
// too; the depth is not its to choose.
func (b *Backend) Validate(ctx context.Context, doc oracle.Document, _ oracle.Check) (oracle.Validation, error) {
	s, err := b.ask(ctx, doc)
	if err != nil {
		return oracle.Validation{}, err
	}
	if err := s.complete(); err != nil {
		return oracle.Validation{}, err
	}
	items, err := s.diagnostics(ctx)
	if err != nil {
		return oracle.Validation{}, err
	}
	v := oracle.Validation{Context: s.context(), Coverage: oracleproto.CoverageNative, Diagnostics: s.printed(items)}
	if slices.ContainsFunc(items, unlinked) {
		v.Unknown = oracleproto.ReasonNotInProject
		v.Advice = append(v.Advice, s.unlinked())
		return v, nil
	}
	v.Advice = append(v.Advice, inactive(items)...)
	v.Unknown = s.doubt()
	return v, nil
}

// diagnostics pulls the document's.
func (s *session) diagnostics(ctx context.Context) ([]lsp.Diagnostic, error) {
	const method = "textDocument/diagnostic"
	var report lsp.DocumentDiagnosticReport
	if err := s.ask(ctx, request{method, documentOf(s.uri), &report}); err != nil {
		return nil, err
	}
	// A report without a list is no report of no errors.
	if report.Kind != "full" || report.Items == nil {
		return nil, s.unexpected(method, fmt.Sprintf("with a report of kind %q that lists nothing", report.Kind))
	}
	return report.Items, nil
}

// context says where an answer came from.
func (s *session) context() oracle.Context {
	c := oracle.Context{Engine: oracleproto.Engine{Name: "rust-analyzer", Version: s.analyzer.Version}, ConfigFile: s.manifest()}
	now := s.status.current()
	if now.says(metadataFailed) {
		c.Advice = append(c.Advice, "cargo cannot resolve the project's dependencies, so their names and types are unknown: run cargo fetch in "+s.project.Root)
	}
	if now.says(sysrootFailed) {
		c.Advice = append(c.Advice, "the standard library's sources are not installed, so its types are unknown: run rustup component add rust-src")
	}
	if now.says(scriptsFailed) {
		c.Advice = append(c.Advice, "a build script or a procedural macro of the project does not build, so what it generates is unknown: run cargo check in "+s.project.Root)
	}
	if s.project.NoBuildScripts {
		c.Advice = append(c.Advice, "build scripts and procedural macros are switched off, so what they generate is unknown: E0425, E0432, E0433, E0599 and macro-error are shown as warnings")
	}
	return c
}

// doubt is why the analyzer's findings are no verdict, empty when they are one
// as far as it looks.
func (s *session) doubt() oracleproto.Reason {
	if now := s.status.current(); now.says(sysrootFailed) || now.says(scriptsFailed) {
		return oracleproto.ReasonProjectBroken
	}
	return ""
}

// usable refuses to ask an analyzer that has nothing to answer from.
func (s *session) usable() error {
	now := s.status.current()
	if !now.failed() {
		return nil
	}
	detail := "rust-analyzer cannot load " + s.project.Manifest
	if tail := strings.TrimSpace(s.child.StderrTail()); tail != "" {
		detail += ": " + tail
	} else if now.Message != "" {
		detail += ": " + now.Message
	}
	return &oracleproto.Error{Kind: oracleproto.KindManifestBroken, Detail: detail, Recipe: "run cargo metadata in " + s.project.Root + " and mend what it complains about"}
}

// complete refuses to judge a file when its dependencies are unknown: nothing
// that comes from them would be looked at.
func (s *session) complete() error {
	now := s.status.current()
	if !now.says(metadataFailed) {
		return nil
	}
	return &oracleproto.Error{
		Kind:   oracleproto.KindDependenciesMissing,
		Detail: "cargo cannot resolve the project's dependencies, which are never downloaded for you: " + now.paragraph(metadataFailed),
		Recipe: "run cargo fetch in " + s.project.Root,
	}
}

// manifest is the Cargo.toml of the document's package.
func (s *session) manifest() string {
	if s.project.Manifest == "" {
		return ""
	}
	for dir := filepath.Dir(s.doc.Path); dir != s.project.Root && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if manifest := filepath.Join(dir, "Cargo.toml"); exists(manifest) {
			return manifest
		}
	}
	return s.project.Manifest
}

// printed renders errors and warnings by their place, without repeats.
func (s *session) printed(items []lsp.Diagnostic) []oracleproto.Diagnostic {
	items = slices.DeleteFunc(slices.Clone(items), func(d lsp.Diagnostic) bool { return d.Severity > lsp.SeverityWarning })
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
		out = append(out, s.diagnostic(d))
	}
	return out
}

func comparePositions(a, b lsp.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character))
}

func (s *session) diagnostic(d lsp.Diagnostic) oracleproto.Diagnostic {
	out := oracleproto.Diagnostic{
		Code:         oracleproto.TextCode(codeOf(d)),
		Category:     "error",
		Message:      d.Message,
		Line:         d.Range.Start.Line + 1,
		Character:    d.Range.Start.Character,
		EndLine:      d.Range.End.Line + 1,
		EndCharacter: d.Range.End.Character,
	}
	if d.Severity != lsp.SeverityError || unreliable(d) || s.project.NoBuildScripts && mayBeGenerated(d) {
		out.Category = "warning"
	}
	for _, r := range d.RelatedInformation {
		file, err := lsp.URIToPath(r.Location.URI)
		if err != nil {
			file = r.Location.URI
		}
		out.Related = append(out.Related, oracleproto.Related{
			File: file, Line: r.Location.Range.Start.Line + 1, Character: r.Location.Range.Start.Character, Message: r.Message,
		})
	}
	return out
}

// unreliable reports the kinds of errors that the analyzer finds where there
// are none: in 134,000 lines of tokio, which compile, it reported 166 types it
// could not infer and 14 macros it could not resolve (docs/accuracy.md).
func unreliable(d lsp.Diagnostic) bool {
	code := codeOf(d)
	return code == "E0282" || code == "unresolved-macro-call"
}

// mayBeGenerated reports errors about something missing that a build script or
// a procedural macro might have made.
func mayBeGenerated(d lsp.Diagnostic) bool {
	switch codeOf(d) {
	case "E0425", "E0432", "E0433", "E0599", "macro-error":
		return true
	}
	return false
}

// unlinked reports the one thing the analyzer says about a file of no crate.
func unlinked(d lsp.Diagnostic) bool { return codeOf(d) == "unlinked-file" }

// mostInactive bounds the places named by inactive.
const mostInactive = 3

// inactive names the code that a cfg leaves out: nobody has looked at it.
func inactive(items []lsp.Diagnostic) []string {
	var places []string
	for _, d := range items {
		if codeOf(d) == "inactive-code" {
			place := fmt.Sprintf("line %d", d.Range.Start.Line+1)
			if d.Range.End.Line > d.Range.Start.Line {
				place = fmt.Sprintf("lines %d to %d", d.Range.Start.Line+1, d.Range.End.Line+1)
			}
			if _, why, ok := strings.Cut(d.Message, "directives: "); ok {
				place += " (" + why + ")"
			}
			places = append(places, place)
		}
	}
	if len(places) == 0 {
		return nil
	}
	more := ""
	if n := len(places) - mostInactive; n > 0 {
		places, more = places[:mostInactive], fmt.Sprintf(" and %d more", n)
	}
	return []string{"not checked, because a cfg leaves it out: " + strings.Join(places, ", ") + more}
}

// codeOf is rustc's code ("E0308") or the analyzer's own ("macro-error").
func codeOf(d lsp.Diagnostic) string {
	var code string
	_ = json.Unmarshal(d.Code, &code)
	return code
}
