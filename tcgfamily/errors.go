package tcgfamily

import "vibevm.org/tcgfamily/oracleproto"

// ToolError is a failure of a tool call that the caller can act on: a stable
// kind, what happened, and one fix a person can type. It is what the oracle
// protocol's error carries, so an oracle's kind, detail and recipe reach the
// caller unchanged (PROP-026 §4 p16).
type ToolError = oracleproto.Error
