package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Limits of one message. A compiler's largest answer is a completion list of a
// few megabytes; the bound is there for a peer that has gone wrong.
const (
	maxBody   = 256 << 20
	maxHeader = 4 << 10
)

// FrameError says why the peer's bytes are no LSP base protocol (LSP 3.17,
// "Base Protocol"). After it the stream cannot be resynchronised.
type FrameError struct {
	Reason string
}

// Error renders the reason.
func (e *FrameError) Error() string { return "malformed LSP frame: " + e.Reason }

// readFrame reads one message body, which is valid until the next call with
// the same buf. io.EOF means that the stream ended between two messages,
// io.ErrUnexpectedEOF that it ended inside one.
func readFrame(r *bufio.Reader, buf []byte) ([]byte, error) {
	length, read := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		read += len(line)
		switch {
		case read > maxHeader || errors.Is(err, bufio.ErrBufferFull):
			return nil, &FrameError{Reason: fmt.Sprintf("the header is longer than %d bytes", maxHeader)}
		case errors.Is(err, io.EOF) && read > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		line, ok := bytes.CutSuffix(line, []byte("\r\n"))
		if !ok {
			return nil, &FrameError{Reason: fmt.Sprintf("the header line %.60q does not end in CRLF", line)}
		}
		if len(line) == 0 {
			break
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return nil, &FrameError{Reason: fmt.Sprintf("the header line %.60q has no colon", line)}
		}
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 63)
		switch {
		case err != nil:
			return nil, &FrameError{Reason: fmt.Sprintf("Content-Length %.60q is no number", value)}
		case n > maxBody:
			return nil, &FrameError{Reason: fmt.Sprintf("a message of %d bytes is over the limit of %d", n, maxBody)}
		case length >= 0 && uint64(length) != n:
			return nil, &FrameError{Reason: "two different Content-Length headers"}
		}
		length = int(n)
	}
	if length < 0 {
		return nil, &FrameError{Reason: "no Content-Length header"}
	}
	if cap(buf) < length {
		buf = make([]byte, length)
	}
	buf = buf[:length]
	if _, err := io.ReadFull(r, buf); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return buf, nil
}

// appendFrame appends body with its header. Content-Length counts bytes.
func appendFrame(dst, body []byte) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	dst = append(dst, "\r\n\r\n"...)
	return append(dst, body...)
}
