package native

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Errors about no file: a type of the standard library that the compiler needs
// is not there ("noLib", or a "lib" too old for what the text uses). tsc prints
// TS2318 for each. The language server pushes them after the answer, at a time
// of its own, and nothing tells that no push will come; so the compiler is asked
// in a way that puts the error into the answer: with the types declared at the
// end of the text, by the wrong number of type parameters. A needed type that
// has no other declaration is then an error at that place, one that has is
// another error there. Where the document cannot declare a type, a text beside it
// can.
const (
	errorGlobalArity       = 2317 // Global type '{0}' must have {1} type parameter(s)
	errorGlobalMissing     = 2318 // Cannot find global type '{0}'
	errorUnlikeDeclaration = 2428 // All declarations of '{0}' must have identical type parameters
)

// coreTypes are needed for any text. They come and go with the configuration.
var coreTypes = []string{
	"Array", "Boolean", "CallableFunction", "Function", "IArguments", "NewableFunction", "Number", "Object", "RegExp", "String",
}

// usingTypes are needed for texts with using declarations only.
var usingTypes = []string{"Disposable", "AsyncDisposable"}

// addMissingGlobals reports the missing types the document needs, if nothing
// else keeps it from being clean.
func (s *session) addMissingGlobals(ctx context.Context, v *oracle.Validation) error {
	if v.Unknown != "" || len(v.Diagnostics) > 0 || len(v.ProjectErrors) > 0 ||
		s.projects.hasCore(v.ConfigFile) && !strings.Contains(s.doc.Text, "using") {
		return nil
	}
	missing, complete, err := s.missingForDocument(ctx)
	if err == nil && !complete && !s.projects.hasCore(v.ConfigFile) {
		missing, complete, err = s.missingForProject(ctx, v.ConfigFile)
	}
	if err != nil {
		return err
	}
	if complete && !slices.ContainsFunc(missing, func(name string) bool { return slices.Contains(coreTypes, name) }) {
		s.projects.foundCore(v.ConfigFile)
	}
	for _, name := range missing {
		v.ProjectErrors = append(v.ProjectErrors, oracleproto.Diagnostic{
			Code: oracleproto.NumberCode(errorGlobalMissing), Category: "error", Message: missingMessage(name),
		})
	}
	if len(missing) > 0 {
		v.Advice = append(v.Advice, `the standard library of this project lacks types that this file needs; in `+v.ConfigFile+` remove "noLib", or add the library that has them to "lib" ("esnext" has all)`)
	}
	return nil
}

// missingForDocument asks by declarations in the document, which JavaScript and
// JSON cannot have, and which are not checked everywhere.
func (s *session) missingForDocument(ctx context.Context) (missing []string, complete bool, err error) {
	if !strings.HasPrefix(languageID(s.doc.Path), "typescript") {
		return nil, false, nil
	}
	missing, complete, err = s.missingGlobals(ctx, "declare global {\n", "}\n")
	if err == nil && !complete { // not a module: it declares globals as they are
		missing, complete, err = s.missingGlobals(ctx, "\n", "\n")
	}
	return missing, complete, err
}

// missingForProject asks by a text beside the document, in a file that is not
// there, for the types that every text of the project needs. It cannot tell
// when the project would not have such a file.
func (s *session) missingForProject(ctx context.Context, configFile string) (missing []string, complete bool, err error) {
	beside := newSession(s.process, oracle.Document{Path: filepath.Join(filepath.Dir(s.doc.Path), "tcg-probe.ts"), Text: "export {};\n"})
	defer beside.end()
	if exists(beside.doc.Path) {
		return nil, false, nil
	}
	missing, complete, err = beside.missingGlobals(ctx, "declare global {\n", "}\n")
	if err != nil || !complete {
		return nil, false, err
	}
	governing, err := beside.project(ctx, beside.askProject())
	if err != nil || pathKey(governing) != pathKey(configFile) {
		return nil, false, err
	}
	return slices.DeleteFunc(missing, func(name string) bool { return !slices.Contains(coreTypes, name) }), true, nil
}

func missingMessage(name string) string { return fmt.Sprintf("Cannot find global type '%s'.", name) }

// missingGlobals asks about the text with the types declared at its end.
// complete is false when that cannot tell, because such declarations are not
// checked there.
func (s *session) missingGlobals(ctx context.Context, begin, end string) (missing []string, complete bool, err error) {
	names := slices.Concat(coreTypes, usingTypes)
	var text strings.Builder
	text.WriteString(s.doc.Text + "\n" + begin)
	first := lsp.NewText(text.String()).Position(text.Len(), lsp.UTF16).Line
	for _, name := range names {
		text.WriteString("interface " + name + "<A, B, C, D, E> {}\n")
	}
	text.WriteString(end)
	// The next question's flush restores the document.
	if err := s.hold(s.doc.Path, text.String()); err != nil {
		return nil, false, err
	}
	items, err := s.diagnostics(ctx, s.pull())
	for _, d := range items {
		at := d.Range.Start.Line - first
		if at < 0 || at >= len(names) {
			continue
		}
		switch codeOf(d) {
		case errorGlobalArity:
			missing = append(missing, names[at])
			complete = true
		case errorUnlikeDeclaration:
			complete = true
		}
	}
	return missing, complete, err
}

// hasCore reports whether the configuration's programs are known to have all
// core types.
func (ps *projects) hasCore(path string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.get(path).core
}

// foundCore notes that they are.
func (ps *projects) foundCore(path string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.get(path).core = true
}

// aboutOneText reports an error that belongs to a text that was asked about,
// not to the configuration it was pushed for.
func aboutOneText(d lsp.Diagnostic) bool {
	return codeOf(d) == errorGlobalMissing &&
		slices.ContainsFunc(usingTypes, func(name string) bool { return d.Message == missingMessage(name) })
}
