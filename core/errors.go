package core

import "strings"

// Code names what kind of transport failure happened. Codes are stable: a
// program may switch on them.
type Code string

// The transport-level failures (MCP-CORE §1 p11).
const (
	// CodeRead is an input that failed, as opposed to one that ended.
	CodeRead Code = "read-failed"
	// CodeWrite is a dead channel: the peer no longer takes frames.
	CodeWrite Code = "dead-channel"
	// CodeLineTooLong is a frame over MaxLine. It does not end the loop.
	CodeLineTooLong Code = "line-too-long"
	// CodeStdio is a process whose standard descriptors cannot be taken over.
	CodeStdio Code = "stdio-unavailable"
	// CodeDescriptor is a tool that may not be registered as it describes
	// itself.
	CodeDescriptor Code = "bad-descriptor"
	// CodeCapture is a capture of the standard error channel that cannot start
	// or cannot be undone, a second simultaneous one among them.
	CodeCapture Code = "capture-refused"
)

// TransportError is the one error family of this module.
type TransportError struct {
	// Code is the stable name of the failure.
	Code Code
	// Unit is the paragraph of the specification that rules here, for example
	// "MCP-CORE §1 p10".
	Unit string
	// Detail says what happened, in words.
	Detail string
	// Fix is one thing a person can do about it.
	Fix string
	// Err is the cause; nil when there is none.
	Err error
}

// Error renders code, detail, cause, unit and fix on one line.
func (e *TransportError) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	b.WriteString(": ")
	b.WriteString(e.Detail)
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Unit != "" {
		b.WriteString(" [")
		b.WriteString(e.Unit)
		b.WriteString("]")
	}
	if e.Fix != "" {
		b.WriteString("; fix: ")
		b.WriteString(e.Fix)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *TransportError) Unwrap() error { return e.Err }

// Is reports whether target is a TransportError of the same code, so that
// errors.Is(err, ErrLineTooLong) holds for every instance.
func (e *TransportError) Is(target error) bool {
	t, ok := target.(*TransportError)
	return ok && t.Code == e.Code
}

// ErrLineTooLong is what ReadLine returns after it discarded a line longer than
// the transport's limit. Reading may go on.
var ErrLineTooLong error = &TransportError{
	Code:   CodeLineTooLong,
	Unit:   "MCP-CORE §1 p10",
	Detail: "the line is longer than 64 MiB and was discarded",
	Fix:    "send less in one call, for example a path instead of the text",
}

func readError(err error) error {
	return &TransportError{
		Code:   CodeRead,
		Unit:   "MCP-CORE §1 p10",
		Detail: "the input failed before it ended",
		Fix:    "start the server again with a readable stdin",
		Err:    err,
	}
}

func writeError(err error) error {
	return &TransportError{
		Code:   CodeWrite,
		Unit:   "MCP-CORE §1 p10",
		Detail: "the peer no longer takes answers",
		Fix:    "start the server again from its host, which closed stdout",
		Err:    err,
	}
}

func descriptorError(name, detail, fix string) error {
	return &TransportError{
		Code:   CodeDescriptor,
		Unit:   "MCP-CORE §3 p17",
		Detail: "tool " + quoteForText(name) + ": " + detail,
		Fix:    fix,
	}
}
