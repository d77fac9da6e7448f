// Package differential compares the answers of a server with what the project's
// own tsc prints once the same text is on disk.
package differential
