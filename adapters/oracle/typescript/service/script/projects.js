'use strict';

const { Configs } = require('./configs.js');
const { Project } = require('./project.js');

// mostAlive bounds the language services, each with a program and its types.
const mostAlive = 3;

// Projects finds the project of a file and keeps those asked last.
class Projects {
  constructor(ts, files, cancellation) {
    Object.assign(this, { ts, files, cancellation });
    this.configs = new Configs(ts, files);
    this.alive = new Map(); // id → project, the one asked longest ago first
    this.registry = undefined;
    this.drop();
  }

  // drop ends all language services, with everything read.
  drop() {
    for (const project of this.alive.values()) {
      try {
        project.dispose();
      } catch {
        // One that failed may fail at this, too. It is garbage either way.
      }
    }
    this.alive.clear();
    this.configs.forget();
    this.files.forget();
    this.registry = this.ts.createDocumentRegistry(this.files.caseSensitive);
  }

  // apply takes changes [{ kind, path, text }] in order, or { kind: 'all' } for
  // too many to tell.
  apply(changes) {
    for (const change of changes) {
      if (change.kind === 'all') {
        this.drop();
        continue;
      }
      const path = this.files.normalize(change.path);
      const what = this.files.apply({ ...change, path });
      if (!what) continue;
      // What is installed decides about every resolution, all but the text of
      // its sources.
      if (isInstalled(path) && !(what === 'text' && isSource(path)) || /\/package\.json$/.test(path) || !isRead(path)) {
        this.drop();
        continue;
      }
      this.configs.changed(path, what);
      if (what !== 'text') {
        for (const project of this.alive.values()) project.resolutionsStale = true;
      }
    }
  }

  // covering is the project that answers for a file: of the nearest
  // configuration upward that covers it, itself or through its references; the
  // file's own default one when none does.
  covering(file) {
    for (const path of this.configs.upward(file)) {
      const found = this.search(path, file);
      if (found) return found;
    }
    return this.open({ file });
  }

  // search looks through a configuration and those it refers to: first for one
  // that lists the file, then for one that another file brings it into, since
  // that takes a program of each to know. A configuration that has the file only as a source of another one's is
  // taken if that other one is not found.
  search(path, file) {
    const configs = this.reachable(path);
    for (const config of configs) {
      if (!config.lists(file)) continue;
      // One that lists a file of a kind that its options leave out lacks it.
      const project = this.open({ config });
      if (project.covers(file)) return project;
    }
    let fallback;
    for (const config of configs) {
      // The list of a composite project is complete, that of a solution empty.
      if (config.parsed.fileNames.length === 0 || config.parsed.options.composite || config.lists(file)) continue;
      const project = this.open({ config });
      const covers = project.covers(file);
      if (covers === true) return project;
      if (covers && !fallback) fallback = config;
    }
    return fallback && this.open({ config: fallback });
  }

  // reachable lists a configuration and those it refers to, breadth first.
  reachable(path) {
    const configs = [];
    const queue = [path];
    const seen = new Set();
    for (let next; (next = queue.shift()) !== undefined;) {
      const key = this.files.key(next);
      if (seen.has(key)) continue;
      seen.add(key);
      const config = this.configs.project(next);
      if (!config) continue;
      configs.push(config);
      queue.push(...config.references());
    }
    return configs;
  }

  // open is the project of { config }, or { file } for a file without one.
  open(source) {
    const id = source.config ? this.files.key(source.config.path) : '\0' + this.files.key(source.file);
    let project = this.alive.get(id);
    this.alive.delete(id);
    if (!project) {
      const { ts, files, configs, registry, cancellation } = this;
      project = new Project(ts, files, configs, registry, cancellation, source);
    }
    this.alive.set(id, project);
    for (const [oldest, unused] of this.alive) {
      if (this.alive.size <= mostAlive) break;
      this.alive.delete(oldest);
      unused.dispose();
      this.forgetTexts(unused);
    }
    return project;
  }

  // forgetTexts drops the texts that only one project has used, which is gone.
  forgetTexts(gone) {
    for (const key of gone.used) {
      if (![...this.alive.values()].some((project) => project.used.has(key))) this.files.records.delete(key);
    }
  }
}

// isInstalled reports a path in a directory of packages.
function isInstalled(path) {
  return /\/node_modules\//.test(path);
}

// isSource reports a path with the ending of a source.
function isSource(path) {
  return /\.(?:[cm]?[jt]s|[jt]sx)$/i.test(path);
}

// isRead reports a path with the ending of a file that the compiler reads.
// Another one that changed is a link to a directory, and leads elsewhere now.
function isRead(path) {
  return /\.(?:[cm]?[jt]s|[jt]sx|json)$/i.test(path);
}

module.exports = { Projects };
