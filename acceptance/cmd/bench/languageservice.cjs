// A TypeScript 5 or 6 LanguageService with one open text and one question: what
// an editor's server costs at the least. Arguments: the typescript package and
// a tsconfig. One JSON-RPC message a line on stdin and stdout.
'use strict'
const [, , packageDir, config] = process.argv
const ts = require(packageDir)
const path = require('path')
const parsed = ts.getParsedCommandLineOfConfigFile(config, { noEmit: true }, { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} })
const open = { file: undefined, text: '', version: 0 }
const host = {
  getCompilationSettings: () => parsed.options,
  getScriptFileNames: () => parsed.fileNames,
  getScriptVersion: (file) => (file === open.file ? String(open.version) : '0'),
  getScriptSnapshot(file) {
    const text = file === open.file ? open.text : ts.sys.readFile(file)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => path.dirname(config),
  getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
  realpath: ts.sys.realpath,
}
const service = ts.createLanguageService(host)
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, params } = JSON.parse(line)
  Object.assign(open, { file: params.file, text: params.text, version: open.version + 1 })
  const info = service.getQuickInfoAtPosition(params.file, params.offset)
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: info && ts.displayPartsToString(info.displayParts) }) + '\n')
})
