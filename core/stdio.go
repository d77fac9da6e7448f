package core

import "vibevm.org/core/internal/stdhandle"

// Stdio returns the process's standard input and output as a Transport, and
// takes both over: from then on descriptor 0 is the null device and descriptor
// 1 is standard error, so that neither a stray print nor a child of a tool can
// reach the wire. They stay so after Close. The peer's end is not touched.
//
// It can be had once per process; a second call fails with a TransportError of
// CodeStdio.
func Stdio() (Transport, error) {
	in, out, err := stdhandle.TakeStdio()
	if err != nil {
		return nil, &TransportError{
			Code:   CodeStdio,
			Unit:   "MCP-CORE §4 p26",
			Detail: "standard input and output cannot be taken over",
			Fix:    "serve once per process, with the null device present",
			Err:    err,
		}
	}
	return NewTransport(in, out), nil
}
