// Package workspace is the project side of the vibe product: where a project's
// root is, which packages its vibe.lock says are installed, where they are,
// which executables they declare, how those are built, and what may be built
// without asking. It reads and decides; it writes and starts nothing.
//
// Open reads an Installation, Installation.Binary resolves a name, PlanBuild
// says how a binary that is not built yet is built.
package workspace
