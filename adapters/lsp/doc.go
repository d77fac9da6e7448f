// Package lsp is a Language Server Protocol client for driving a compiler: it
// asks, and never edits on the server's behalf.
//
// Correlation of requests and answers is github.com/sourcegraph/jsonrpc2. What
// that library lacks for a child process lives here: a strict and bounded
// frame reader, a writer that cannot block on a busy peer, the reason a
// connection ended, cancellation of a request whose caller left, answers to
// the server's own requests, and the conversions of positions and URIs.
//
// The protocol cited throughout is LSP 3.17,
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/.
package lsp
