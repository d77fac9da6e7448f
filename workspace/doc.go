// Package workspace is the project side of the vibe product: where a project's
// root is and what may be built in it without asking. It reads and decides; it
// spawns nothing.
package workspace
