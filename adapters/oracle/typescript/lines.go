package typescript

import (
	"context"
	"strings"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/typescript/native"
	"vibevm.org/tcgfamily/oracleproto"
)

// LineEnds end a line in TypeScript beside LF, CR and CRLF (ECMA-262,
// LineTerminator); tsc counts lines that way.
func LineEnds() []rune { return []rune{'\u2028', '\u2029'} }

// lspLines makes a backend of one that counts lines as the language server
// protocol does, which knows nothing of the ends above.
type lspLines struct{ *native.Backend }

// Validate implements oracle.Backend.
func (b lspLines) Validate(ctx context.Context, doc oracle.Document, check oracle.Check) (oracle.Validation, error) {
	v, err := b.Backend.Validate(ctx, doc, check)
	ends := unusualEnds(doc.Text)
	if len(ends) == 0 {
		return v, err
	}
	for i := range v.Diagnostics {
		d := &v.Diagnostics[i]
		d.Line, d.Character = ends.fromLSP(d.Line, d.Character)
		d.EndLine, d.EndCharacter = ends.fromLSP(d.EndLine, d.EndCharacter)
		for j := range d.Related {
			if r := &d.Related[j]; r.File == doc.Path {
				r.Line, r.Character = ends.fromLSP(r.Line, r.Character)
			}
		}
	}
	return v, err
}

// Complete implements oracle.Backend.
func (b lspLines) Complete(ctx context.Context, doc oracle.Document, at oracleproto.Position, prefix string, limit int) (oracle.Completions, error) {
	return b.Backend.Complete(ctx, doc, unusualEnds(doc.Text).toLSP(at), prefix, limit)
}

// Type implements oracle.Backend.
func (b lspLines) Type(ctx context.Context, doc oracle.Document, at oracleproto.Position) (oracle.TypeInfo, error) {
	return b.Backend.Type(ctx, doc, unusualEnds(doc.Text).toLSP(at))
}

// Scope implements oracle.Backend.
func (b lspLines) Scope(ctx context.Context, doc oracle.Document, at oracleproto.Position, globals bool) (oracle.Scope, error) {
	return b.Backend.Scope(ctx, doc, unusualEnds(doc.Text).toLSP(at), globals)
}

// lineEnds are the positions after the line ends that LSP does not know,
// counted as LSP does, in order.
type lineEnds []oracleproto.Position

func unusualEnds(text string) lineEnds {
	if !strings.ContainsRune(text, '\u2028') && !strings.ContainsRune(text, '\u2029') {
		return nil
	}
	var ends lineEnds
	at := oracleproto.Position{Line: 1}
	var before rune
	for _, r := range text {
		switch {
		case r == '\n' && before == '\r':
		case r == '\n' || r == '\r':
			at = oracleproto.Position{Line: at.Line + 1}
		case r > 0xffff:
			at.Character += 2
		default:
			at.Character++
		}
		if r == '\u2028' || r == '\u2029' {
			ends = append(ends, at)
		}
		before = r
	}
	return ends
}

// fromLSP is a position as TypeScript counts.
func (e lineEnds) fromLSP(line, character int) (int, int) {
	before := 0 // ends before the position
	column := character
	for _, end := range e {
		if end.Line > line || end.Line == line && end.Character > character {
			break
		}
		before++
		if end.Line == line {
			column = character - end.Character
		}
	}
	return line + before, column
}

// toLSP undoes fromLSP.
func (e lineEnds) toLSP(at oracleproto.Position) oracleproto.Position {
	line := at.Line
	for i, end := range e {
		switch starts := end.Line + i + 1; { // the line after this end
		case starts < at.Line:
			line--
		case starts == at.Line:
			return oracleproto.Position{Line: end.Line, Character: end.Character + at.Character}
		}
	}
	return oracleproto.Position{Line: line, Character: at.Character}
}
