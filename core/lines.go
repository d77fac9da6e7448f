package core

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"
)

const (
	// MaxLine is the longest line, in bytes without its line end, that
	// NewTransport and Stdio hand on (docs/wire.md).
	MaxLine = 64 << 20
	// readBuffer holds what one read of a full pipe returns.
	readBuffer = 64 << 10
	// keepBuffer is the largest buffer kept for the next frame. One large call
	// must not cost its memory for the rest of the session.
	keepBuffer = 1 << 20

	byteOrderMark = "\xef\xbb\xbf"
)

// NewTransport returns a Transport over any pair of streams: one line in is one
// ReadLine, CRLF accepted, a UTF-8 byte order mark before the first line
// dropped, a last line without a line end still handed on.
//
// Close closes r and w when they are io.Closers.
func NewTransport(r io.Reader, w io.Writer) Transport {
	return newLines(r, w, MaxLine)
}

func newLines(r io.Reader, w io.Writer, limit int) *lines {
	return &lines{source: r, sink: w, in: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

type lines struct {
	source io.Reader
	sink   io.Writer

	// Reading belongs to one goroutine at a time.
	in      *bufio.Reader
	spill   []byte // the line being read, once it is longer than the buffer
	limit   int
	started bool

	write sync.Mutex // one frame at a time: large writes are not atomic
	close sync.Once
	err   error
}

func (l *lines) ReadLine() ([]byte, error) {
	if cap(l.spill) > keepBuffer {
		l.spill = nil
	}
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.readLong(line)
	}
	if lastLine := errors.Is(err, io.EOF) && len(line) > 0; err != nil && !lastLine {
		return nil, err
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if !l.started {
		l.started = true
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	if len(line) > l.limit {
		return nil, ErrLineTooLong
	}
	return line, nil
}

// readLong collects the rest of a line whose start filled the buffer. Past the
// limit nothing is collected any more, so that an endless line costs no memory.
func (l *lines) readLong(part []byte) (line []byte, err error) {
	line = append(l.spill[:0], part...)
	tooLong := false
	for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
		part, err = l.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > l.limit+len("\r\n"); tooLong {
			line, l.spill = nil, nil
			continue
		}
		if cap(line)-len(line) < len(part) {
			line = slices.Grow(line, max(len(line), len(part)))
		}
		line = append(line, part...)
		l.spill = line
	}
	if tooLong && (err == nil || errors.Is(err, io.EOF)) {
		err = ErrLineTooLong
	}
	return line, err
}

func (l *lines) WriteLine(frame []byte) error {
	l.write.Lock()
	defer l.write.Unlock()
	n, err := l.sink.Write(frame)
	if err == nil && n < len(frame) {
		err = io.ErrShortWrite
	}
	return err
}

func (l *lines) Close() error {
	l.close.Do(func() {
		for _, stream := range []any{l.source, l.sink} {
			if c, ok := stream.(io.Closer); ok {
				l.err = errors.Join(l.err, c.Close())
			}
		}
	})
	return l.err
}
