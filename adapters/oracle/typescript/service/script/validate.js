'use strict';

// validate lists what `tsc --noEmit -p` prints about a file, as if the other
// files of the project had no errors that keep tsc from looking at this one:
// { diagnostics, projectErrors, unchecked }. The order of the steps is that of tsc's
// emitFilesAndReportErrors.
function validate({ ts, program, sourceFile, config, cancellation }) {
  const options = program.getCompilerOptions();
  let found = program.getSyntacticDiagnostics(sourceFile, cancellation);
  if (found.length === 0) {
    found = program.getSemanticDiagnostics(sourceFile, cancellation);
    if (!hasErrors(ts, found) && printsDeclarationErrors(ts, options)) {
      found = [...found, ...program.getDeclarationDiagnostics(sourceFile, cancellation)];
    }
  }
  // Global errors, such as a type missing from the library, turn up while a
  // file is checked, also among what is found in it.
  const about = (d) => d.file === sourceFile;
  const project = [
    ...(config ? config.errors() : []),
    ...program.getOptionsDiagnostics(cancellation),
    ...program.getGlobalDiagnostics(cancellation),
    ...found.filter((d) => !about(d)),
  ];
  const print = (list) => ts.sortAndDeduplicateDiagnostics(list)
    .filter((d) => d.category === ts.DiagnosticCategory.Error)
    .map((d) => describe(ts, d));
  return {
    diagnostics: print(found.filter(about)),
    projectErrors: print(project),
    // Of such a file the types are not checked: that is for the other project.
    unchecked: program.isSourceOfProjectReferenceRedirect(sourceFile.fileName),
  };
}

function hasErrors(ts, diagnostics) {
  return diagnostics.some((d) => d.category === ts.DiagnosticCategory.Error);
}

// printsDeclarationErrors reports whether tsc looks for the errors of
// declaration files although it writes none, as it does from 5.6 on.
function printsDeclarationErrors(ts, options) {
  const [major, minor] = ts.versionMajorMinor.split('.').map(Number);
  return (major > 5 || minor >= 6) && !!(options.declaration || options.composite);
}

// describe renders a diagnostic: lines 1-based, characters 0-based.
function describe(ts, d) {
  const out = { code: d.code, message: ts.flattenDiagnosticMessageText(d.messageText, '\n') };
  if (d.file) {
    const start = d.start || 0;
    const from = ts.getLineAndCharacterOfPosition(d.file, start);
    const to = ts.getLineAndCharacterOfPosition(d.file, start + (d.length || 0));
    Object.assign(out, {
      file: d.file.fileName,
      line: from.line + 1, character: from.character,
      endLine: to.line + 1, endCharacter: to.character,
    });
  }
  const related = (d.relatedInformation || []).map((r) => describe(ts, r));
  if (related.length > 0) out.related = related;
  return out;
}

module.exports = { validate };
