'use strict';

const { dirname } = require('./files.js');

// Configs reads project configurations, each once as long as neither its text
// nor that of a configuration it extends changes.
class Configs {
  constructor(ts, files) {
    this.ts = ts;
    this.files = files;
    this.read = new Map(); // key of the path and its use → config
  }

  // project is a configuration as `tsc --noEmit -p` reads it, undefined when it
  // cannot be read at all: { path, parsed, errors, lists }.
  project(path) {
    return this.get(path, { noEmit: true });
  }

  // reference is a configuration as another one's reference to it reads it.
  reference(path) {
    return this.get(path, {});
  }

  get(path, options) {
    const key = this.files.key(path) + (options.noEmit ? '' : '\0');
    const known = this.read.get(key);
    if (known && known.current) return known.config;
    const next = this.parse(path, options);
    // The compiler compares options by identity, and rebuilds what depends on
    // them. If only the list of files is new, only that is.
    if (known && known.config && next.config && sameTexts(known.texts, next.texts)) {
      known.config.parsed.fileNames = next.config.parsed.fileNames;
      known.config.parsed.errors = next.config.parsed.errors;
      next.config = Object.assign(known.config, { listed: undefined });
    }
    this.read.set(key, next);
    return next.config;
  }

  parse(path, options) {
    const { ts, files } = this;
    const texts = new Map(); // of what was read or looked for
    let unreadable;
    const parsed = ts.getParsedCommandLineOfConfigFile(path, options, {
      useCaseSensitiveFileNames: files.caseSensitive,
      getCurrentDirectory: () => dirname(path),
      fileExists(name) {
        const exists = files.fileExists(name);
        if (!exists) texts.set(files.key(name), undefined);
        return exists;
      },
      readFile(name) {
        const text = files.readFile(name);
        texts.set(files.key(name), text);
        return text;
      },
      directoryExists: (name) => files.directoryExists(name),
      readDirectory: (...args) => files.readDirectory(...args),
      onUnRecoverableConfigFileDiagnostic: (d) => { unreadable = d; },
    });
    if (!parsed) return { current: true, texts, config: undefined, unreadable };
    // Plugins are for editors, and a patched compiler may run them.
    delete parsed.options.plugins;
    return { current: true, texts, config: new Config(ts, files, path, parsed) };
  }

  // changed notes that a file's text changed, or that it came or went. It
  // reports whether that is the text of a configuration.
  changed(path, what) {
    const key = this.files.key(path);
    let governs = false;
    for (const [id, known] of this.read) {
      if (known.texts.has(key)) {
        this.read.delete(id);
        governs = true;
      } else if (what !== 'text') {
        known.current = false;
      }
    }
    return governs;
  }

  forget() {
    this.read.clear();
  }

  // upward lists the configurations in a file's directory and those above it,
  // the nearest first.
  *upward(file) {
    for (let dir = dirname(file); ; dir = dirname(dir)) {
      const base = dir.endsWith('/') ? dir : dir + '/';
      for (const name of ['tsconfig.json', 'jsconfig.json']) {
        if (this.files.fileExists(base + name)) yield base + name;
      }
      if (dir === dirname(dir)) return;
    }
  }
}

// Config is a configuration that was read.
class Config {
  constructor(ts, files, path, parsed) {
    Object.assign(this, { ts, files, path, parsed, listed: undefined });
  }

  // lists reports whether the configuration names a file, be it by a pattern.
  lists(file) {
    if (!this.listed) this.listed = new Set(this.parsed.fileNames.map((f) => this.files.key(f)));
    return this.listed.has(this.files.key(file));
  }

  // references are the paths of the configurations it refers to.
  references() {
    const { options, projectReferences = [] } = this.parsed;
    if (options.disableSolutionSearching || options.disableReferencedProjectLoad) return [];
    return projectReferences.map((r) => this.ts.resolveProjectReferencePath(r));
  }

  // errors are those of reading it.
  errors() {
    return this.ts.getConfigFileParsingDiagnostics(this.parsed);
  }
}

function sameTexts(a, b) {
  if (a.size !== b.size) return false;
  for (const [key, text] of a) {
    if (!b.has(key) || b.get(key) !== text) return false;
  }
  return true;
}

module.exports = { Configs };
