// Package mcppipe is a raw MCP client over the pipes of a server process. It
// is strict where a real client is lenient: every byte the server writes to
// stdout must belong to a line that is one well-formed JSON-RPC frame.
package mcppipe
