// Package core is a neutral MCP server transport: line-delimited JSON-RPC 2.0
// over a three-method seam, a registry of tools, and the loop that joins them.
// It knows no language, no compiler and no product; whatever a server is about
// lives in the tools it mounts.
//
// The wire and the loop follow MCP-CORE v0.1; what that text leaves open is
// decided in docs/wire.md. Paragraph marks such as "MCP-CORE §1 p10" in this
// module's comments name the unit a line implements.
package core
