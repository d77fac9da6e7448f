package core

// Transport is the seam between the loop and the world (MCP-CORE §2 p13). The
// production implementation is Stdio; tests use the scripted replay of
// coretest.
//
// ReadLine is called by one goroutine at a time. WriteLine may be called by
// several and must put each frame on the wire whole. Close may be called more
// than once.
type Transport interface {
	// ReadLine returns the next line without its line end. The slice is valid
	// until the next call. At the end of input it returns io.EOF; a line over
	// the transport's limit is consumed and reported as ErrLineTooLong, after
	// which reading goes on. Any other error ends the loop.
	ReadLine() ([]byte, error)
	// WriteLine writes one frame, newline included, in a single write. An
	// error is final: the peer is gone.
	WriteLine(frame []byte) error
	// Close releases the transport. It does not wait for a blocked ReadLine.
	Close() error
}
