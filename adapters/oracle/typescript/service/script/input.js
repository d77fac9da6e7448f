'use strict';

// The thread that reads stdin, so that a question can be given up, and the end
// of the input is noticed, while the main thread is busy checking.

const { parentPort, workerData: cancelled } = require('worker_threads');
const { Socket } = require('net');

const stdin = new Socket({ fd: 0, readable: true, writable: false });
let pieces = []; // of a line that has not ended yet

stdin.on('data', (chunk) => {
  let from = 0;
  for (let end; (end = chunk.indexOf(10, from)) >= 0; from = end + 1) {
    pieces.push(chunk.subarray(from, end));
    take(Buffer.concat(pieces).toString());
    pieces = [];
  }
  if (from < chunk.length) pieces.push(chunk.subarray(from));
});

// take acts on {"cancel":id} and hands every other line on.
function take(line) {
  if (line.startsWith('{"cancel":')) Atomics.store(cancelled, 0, JSON.parse(line).cancel);
  else parentPort.postMessage(line);
}

// Nobody is there any more to read an answer, and nothing is worth saving. No
// softer end reaches a main thread that is busy.
const end = () => process.kill(process.pid, 'SIGKILL');
stdin.on('close', end);
stdin.on('error', end);
