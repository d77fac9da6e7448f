'use strict';

// What the compiler sees of the disk: hypothetical texts laid over the real
// files. Nothing that is kept here outlives a change that was announced.

// Files holds the texts. Paths are the compiler's, absolute with forward
// slashes.
class Files {
  constructor(ts) {
    this.ts = ts;
    this.caseSensitive = ts.sys.useCaseSensitiveFileNames;
    this.overlays = new Map(); // key → { path, text }
    this.records = new Map(); // key → { text, version, fresh }
    this.virtual = new Map(); // key of a directory → what overlays add to it
    this.listings = new Map(); // key of a directory → what is in it on disk
    this.versions = 0;
    this.changes = 0; // how often anything was announced
    // What answers depend on: paths that were read or looked for, directories
    // that were listed. Candidates for imports are left out: what appears among
    // sources or packages is announced in any case.
    this.reads = new Set();
    this.beginnings = 0; // how often that was emptied
  }

  normalize(path) {
    return this.ts.sys.resolvePath(path).replace(/\\/g, '/');
  }

  // key makes the spellings of one path equal.
  key(path) {
    return this.caseSensitive ? path : path.toLowerCase();
  }

  // apply takes one change { kind, path, text } and says what it does to the
  // file: 'came', 'went', 'text', or undefined for nothing.
  apply({ kind, path, text }) {
    this.changes++;
    const key = this.key(path);
    const before = kind === 'set' || kind === 'clear' ? this.textOf(path) : undefined;
    const record = this.records.get(key);
    if (record) record.fresh = false;
    switch (kind) {
      case 'set':
        this.overlays.set(key, { path, text });
        break;
      case 'clear':
        this.overlays.delete(key);
        break;
      case 'changed':
        return 'text';
      default: // created, deleted
        for (let dir = dirname(path); ; dir = dirname(dir)) {
          this.listings.delete(this.key(dir));
          if (dir === dirname(dir)) break;
        }
        return kind === 'created' ? 'came' : 'went';
    }
    this.layOut();
    const after = this.textOf(path);
    if (after === before) return undefined;
    if (before === undefined) return 'came';
    return after === undefined ? 'went' : 'text';
  }

  // forget drops everything that was read from disk.
  forget() {
    this.changes++;
    this.listings.clear();
    this.records.clear();
    this.reads.clear();
    this.beginnings++;
  }

  // readsVersion tells lists of what was read apart.
  readsVersion() {
    return `${this.beginnings}.${this.reads.size}`;
  }

  // layOut finds the directories that overlays add files or directories to.
  layOut() {
    this.virtual.clear();
    for (const { path } of this.overlays.values()) {
      let kind = 'files';
      for (let child = path, dir = dirname(path); child !== dir; child = dir, dir = dirname(dir)) {
        let entries = this.virtual.get(this.key(dir));
        if (!entries) this.virtual.set(this.key(dir), entries = { files: new Set(), directories: new Set() });
        entries[kind].add(child.slice(child.lastIndexOf('/') + 1));
        kind = 'directories';
      }
    }
  }

  // read is the text that stands for a path with its version, which changes if
  // and only if the text does; undefined when there is no such file.
  read(path) {
    const key = this.key(path);
    let record = this.records.get(key);
    if (record && record.fresh) return record;
    this.reads.add(path);
    const overlay = this.overlays.get(key);
    const text = overlay ? overlay.text : this.ts.sys.readFile(path);
    if (text === undefined) {
      this.records.delete(key);
      return undefined;
    }
    if (!record) this.records.set(key, record = {});
    if (record.text !== text) {
      record.text = text;
      record.version = String(++this.versions);
    }
    record.fresh = true;
    return record;
  }

  textOf(path) {
    const record = this.read(path);
    return record && record.text;
  }

  // readFile reads what is no source file, which is not kept.
  readFile(path) {
    this.reads.add(path);
    const overlay = this.overlays.get(this.key(path));
    return overlay ? overlay.text : this.ts.sys.readFile(path);
  }

  fileExists(path) {
    if (path.endsWith('.json')) this.reads.add(path);
    return this.overlays.has(this.key(path)) || this.ts.sys.fileExists(path);
  }

  directoryExists(path) {
    return this.virtual.has(this.key(trimSlash(path))) || this.ts.sys.directoryExists(path);
  }

  getDirectories(path) {
    const virtual = this.virtual.get(this.key(trimSlash(path)));
    const real = this.ts.sys.getDirectories(path);
    return virtual ? [...new Set([...real, ...virtual.directories])] : real;
  }

  // readDirectory lists the files below a path that patterns of a tsconfig
  // select, in the order in which tsc lists them.
  readDirectory(path, extensions, excludes, includes, depth) {
    return this.ts.matchFiles(path, extensions, excludes, includes, this.caseSensitive,
      this.ts.sys.getCurrentDirectory(), depth, (dir) => this.entries(dir), (p) => this.ts.sys.realpath(p));
  }

  entries(dir) {
    dir = trimSlash(dir);
    const real = this.list(dir);
    const virtual = this.virtual.get(this.key(dir));
    return {
      files: virtual ? [...new Set([...real.files, ...virtual.files])] : [...real.files],
      directories: virtual ? [...new Set([...real.directories, ...virtual.directories])] : [...real.directories],
    };
  }

  // list lists a directory on disk. A listing is kept unless the directory was
  // reached through a link: changes are announced by their real paths.
  list(dir) {
    const key = this.key(dir);
    let listing = this.listings.get(key);
    if (!listing) {
      this.reads.add(dir);
      listing = listDisk(dir);
      if (this.ts.sys.realpath(dir) === dir) this.listings.set(key, listing);
    }
    return listing;
  }
}

const fs = require('fs');

function listDisk(dir) {
  const listing = { files: [], directories: [] };
  let entries;
  try {
    entries = fs.readdirSync(dir || '/', { withFileTypes: true });
  } catch {
    return listing; // not there, not a directory, or not for us
  }
  for (const entry of entries) {
    let kind = entry;
    if (entry.isSymbolicLink()) {
      try {
        kind = fs.statSync(dir + '/' + entry.name);
      } catch {
        continue; // leads nowhere
      }
    }
    if (kind.isFile()) listing.files.push(entry.name);
    else if (kind.isDirectory()) listing.directories.push(entry.name);
  }
  return listing;
}

// dirname of a normalized absolute path; a root is its own.
function dirname(path) {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return path;
  const dir = path.slice(0, slash);
  return dir === '' || /^[a-zA-Z]:$/.test(dir) ? path.slice(0, slash + 1) : dir;
}

function trimSlash(path) {
  return path.length > 1 && path.endsWith('/') && !path.endsWith(':/') ? path.slice(0, -1) : path;
}

module.exports = { Files, dirname };
