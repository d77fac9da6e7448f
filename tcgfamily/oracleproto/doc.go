// Package oracleproto is the wire between a server and an oracle relay
// (`<lang>-ai-native-tcg serve`): newline-delimited JSON frames over stdio,
// answered in the order they came. docs/oracle-protocol.md is the reader's
// version of this package; compatible additions (new optional params, new
// result fields, new error kinds) keep Version, anything else raises it.
package oracleproto
