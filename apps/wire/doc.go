// Package wire joins the modules into programs with fx: which server, which
// tools, which oracle, and in what order they start and stop.
//
// Start hooks return at once and stop hooks never wait for the goroutine that
// reads standard input, which nothing can wake. The server stops before the
// registry, so no call can start an oracle that nobody would close.
package wire
