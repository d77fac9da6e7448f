package service

import (
	"embed"
	"encoding/binary"
	"encoding/json"
	"path"
)

// The part of the backend that runs in node: plain JavaScript on top of the
// compiler's own library. main.js is where it begins.
//
//go:embed script/*.js
var script embed.FS

// bootstrap is what node is started with. The script follows on stdin, behind
// its length, because systems bound the length of arguments; nothing is written to
// disk. Each file is a function of require, which finds the other files, and
// the compiler and node's own modules where node finds them.
const bootstrap = `'use strict';
const fs = require('fs');
function read(n) {
  const b = Buffer.alloc(n);
  for (let at = 0, got; at < n; at += got) {
    got = fs.readSync(0, b, at, n - at);
    if (!got) process.exit(0);
  }
  return b;
}
const { files, start } = JSON.parse(read(read(4).readUInt32BE()).toString());
const loaded = {};
function load(name) {
  const file = name.replace(/^\.\//, '');
  if (!(file in files)) return require(name);
  if (!(file in loaded)) {
    loaded[file] = { exports: {} };
    const run = require('vm').compileFunction(files[file], ['require', 'module', 'start'], { filename: file });
    run(load, loaded[file], start);
  }
  return loaded[file].exports;
}
load.source = (file) => files[file];
load('main.js');`

// startParams tell the script where the compiler is and how its lines begin.
type startParams struct {
	Package string `json:"package"`
	Mark    string `json:"mark"`
}

// payload is the first thing that node reads: the script and its parameters.
func payload(start startParams) ([]byte, error) {
	files := map[string]string{}
	entries, err := script.ReadDir("script")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := script.ReadFile(path.Join("script", e.Name()))
		if err != nil {
			return nil, err
		}
		files[e.Name()] = string(text)
	}
	body, err := json.Marshal(map[string]any{"files": files, "start": start})
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...), nil
}
