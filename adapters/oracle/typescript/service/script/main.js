'use strict';

// The main thread: takes questions one by one, answers each with one line on
// stdout. It is started with the global `start` = { package, mark }: where the
// compiler is, and the mark that every line of ours begins with.

// Whatever the compiler, or code it was patched with, prints must not be taken
// for an answer. Nothing that knows about console or process.stdout reaches the
// descriptor; what writes to it directly lacks the mark.
const fs = require('fs');
Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr });
globalThis.console = new console.Console(process.stderr, process.stderr);

function send(answer) {
  const line = Buffer.from('\n' + start.mark + JSON.stringify(answer) + '\n');
  for (let at = 0; at < line.length;) at += fs.writeSync(1, line, at);
}

// cancelled holds the id of the latest question that was given up. The thread
// that reads stdin sets it, while this one is busy.
const cancelled = new Int32Array(new SharedArrayBuffer(4));
let asked = 0; // the id of the question being answered

const { Worker } = require('worker_threads');
const input = new Worker(require.source('input.js'), { eval: true, stdout: true, workerData: cancelled });

let ts;
try {
  ts = require(start.package);
} catch (e) {
  send({ failed: describe(e) });
  process.exit(1);
}

const cancellation = {
  isCancellationRequested: () => Atomics.load(cancelled, 0) >= asked,
  throwIfCancellationRequested() {
    if (this.isCancellationRequested()) throw new ts.OperationCanceledException();
  },
};

const { Files } = require('./files.js');
const { Projects } = require('./projects.js');
const { validate } = require('./validate.js');
const { complete, typeAt, scope } = require('./questions.js');

const files = new Files(ts);
const projects = new Projects(ts, files, cancellation);

const operations = {
  validate: (env) => validate(env),
  complete: (env, q) => complete(env, offsetOf(env.sourceFile, q), q.prefix || '', q.limit),
  type: (env, q) => typeAt(env, offsetOf(env.sourceFile, q)),
  scope: (env, q) => scope(env, offsetOf(env.sourceFile, q), q.globals || false),
};

// answer handles one question { id, op, file, changes, … }. The changes take
// effect also when the question itself fails or was given up.
function answer(question) {
  const said = reply(question);
  const version = files.readsVersion();
  return version === question.known ? said : { ...said, readsVersion: version, reads: [...files.reads] };
}

function reply(question) {
  asked = question.id;
  try {
    projects.apply(question.changes || []);
    cancellation.throwIfCancellationRequested();
    const file = files.normalize(question.file);
    const project = projects.covering(file);
    const env = project.snapshot(file);
    const result = operations[question.op](env, question);
    return { id: question.id, config: project.config, result };
  } catch (e) {
    if (e instanceof ts.OperationCanceledException) return { id: question.id, cancelled: true };
    // A defect of the compiler ("Debug Failure") or ours. What it was working
    // on is in an unknown state.
    projects.drop();
    return { id: question.id, failed: describe(e) };
  }
}

// offsetOf is a position { line, character }, both 0-based, as an offset. Lines
// are the compiler's, which also end at U+2028, U+2029 and a lone CR: callers
// count as tsc prints.
function offsetOf(sourceFile, { line = 0, character = 0 }) {
  const starts = sourceFile.getLineStarts();
  if (line >= starts.length) return sourceFile.text.length;
  return Math.min(starts[line] + character, sourceFile.text.length);
}

function describe(e) {
  return String((e && e.stack) || e);
}

input.on('error', (e) => { throw e; });
input.on('message', (line) => send(answer(JSON.parse(line))));
send({ ready: ts.version });
