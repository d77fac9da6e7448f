'use strict';

const { dirname } = require('./files.js');

// Project is a language service for the files of one configuration, or, without
// one, for a single file under default options.
class Project {
  // source = { config } or { file }
  constructor(ts, files, configs, registry, cancellation, { config, file }) {
    Object.assign(this, { ts, files, configs, cancellation, file });
    this.config = config ? config.path : '';
    this.resolutionsStale = false;
    this.used = new Set(); // keys of the files whose texts it has
    this.service = ts.createLanguageService(this.host(), registry);
  }

  // read is the configuration as it is now.
  read() {
    return this.configs.project(this.config);
  }

  options() {
    return this.config ? this.read().parsed.options : inferredOptions(this.ts);
  }

  // program is the program of the texts as they are now.
  program() {
    const program = this.service.getProgram();
    this.resolutionsStale = false;
    return program;
  }

  // covers reports whether the program has a file, 'source' meaning that it has
  // it only as the source of a project it refers to.
  covers(file) {
    const program = this.program();
    if (!program.getSourceFile(file)) return false;
    return program.isSourceOfProjectReferenceRedirect(file) ? 'source' : true;
  }

  // snapshot is what a question is asked of.
  snapshot(fileName) {
    const { ts, service, cancellation } = this;
    const program = this.program();
    const sourceFile = program.getSourceFile(fileName);
    if (!sourceFile) throw new Error(`${fileName} is not in the program of ${this.config || 'its own'}`);
    return {
      ts, service, program, sourceFile, fileName, cancellation,
      checker: program.getTypeChecker(),
      config: this.config ? this.read() : undefined,
    };
  }

  dispose() {
    this.service.dispose();
  }

  // host shows the compiler the files as they are now.
  host() {
    const { ts, files, configs } = this;
    const directory = dirname(this.config || this.file);
    return {
      // As long as nothing is announced, nothing is compared with what was read.
      getProjectVersion: () => String(files.changes),
      getCompilationSettings: () => this.options(),
      getScriptFileNames: () => (this.config ? this.read().parsed.fileNames : [this.file]),
      getProjectReferences: () => (this.config ? this.read().parsed.projectReferences : undefined),
      // A reference means its sources: nothing has to be built for an answer.
      useSourceOfProjectReferenceRedirect: () => !this.options().disableSourceOfProjectReferenceRedirect,
      getParsedCommandLine(path) {
        const config = configs.reference(path);
        return config && config.parsed;
      },

      getScriptVersion: (path) => {
        this.used.add(files.key(path));
        const file = files.read(path);
        return file ? file.version : '';
      },
      getScriptSnapshot(path) {
        const file = files.read(path);
        return file && new Snapshot(file.text);
      },
      fileExists: (path) => files.fileExists(path),
      readFile: (path) => files.readFile(path),
      readDirectory: (...args) => files.readDirectory(...args),
      directoryExists: (path) => files.directoryExists(path),
      getDirectories: (path) => files.getDirectories(path),
      realpath: (path) => ts.sys.realpath(path),
      useCaseSensitiveFileNames: () => files.caseSensitive,
      getCurrentDirectory: () => directory,
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
      getNewLine: () => '\n',

      // When a file came or went, every import is resolved anew: the compiler
      // remembers where one led, not what could have come first.
      hasInvalidatedResolutions: () => this.resolutionsStale,
      getCancellationToken: () => this.cancellation,
    };
  }
}

// Snapshot is a text. Its changes are not told: parsing anew costs little and
// cannot differ from what tsc does.
class Snapshot {
  constructor(text) {
    this.text = text;
  }

  getText(start, end) {
    return this.text.substring(start, end);
  }

  getLength() {
    return this.text.length;
  }

  getChangeRange() {
    return undefined;
  }
}

// inferredOptions are for a file that no configuration covers, the same that
// the language server of TypeScript 7 uses there.
function inferredOptions(ts) {
  return {
    noEmit: true,
    allowJs: true,
    allowNonTsExtensions: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    strictNullChecks: true,
    strictFunctionTypes: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    jsx: ts.JsxEmit.ReactJSX,
  };
}

module.exports = { Project };
