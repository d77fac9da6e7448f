// Package tsproject makes throw-away copies of the sample TypeScript project
// and asks the real compiler about them.
package tsproject
