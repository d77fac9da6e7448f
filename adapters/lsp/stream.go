package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// keepBuffer is the largest read buffer that is kept for the next message.
const keepBuffer = 1 << 20

// stream is the jsonrpc2.ObjectStream of a child process.
//
// Writing only queues: a server that is busy writing to us does not read its
// input, so a writer that waited would deadlock the reader that answers the
// server's requests. One goroutine drains the queue.
type stream struct {
	r   *bufio.Reader
	buf []byte

	mu      sync.Mutex
	queue   []byte // framed messages not yet handed to the writer
	closed  bool
	results map[uint64]json.RawMessage // by id of a request that waits, null before its answer
	wake    chan struct{}              // buffered by one; a token means "look at queue and closed"
	readErr error                      // why reading ended
}

var _ jsonrpc2.ObjectStream = (*stream)(nil)

func newStream(r io.Reader, w io.WriteCloser) *stream {
	s := &stream{results: map[uint64]json.RawMessage{}, r: bufio.NewReaderSize(r, 64<<10), wake: make(chan struct{}, 1)}
	go s.drain(w)
	return s
}

// ReadObject reads the next message that is not mere noise.
func (s *stream) ReadObject(v any) error {
	for {
		body, err := readFrame(s.r, s.buf)
		if err != nil {
			s.fail(err)
			return err
		}
		if cap(body) <= keepBuffer {
			s.buf = body[:cap(body)]
		}
		if isLog(body) {
			continue
		}
		if answer, ok := s.setAside(body); ok {
			body = answer
		}
		if err := json.Unmarshal(body, v); err != nil {
			err = &FrameError{Reason: "the body is no JSON-RPC message: " + err.Error()}
			s.fail(err)
			return err
		}
		return nil
	}
}

// isLog spots log notifications without decoding them; TypeScript sends about
// a thousand for a few edits. It may miss one that is spelled differently,
// which the handler then drops.
func isLog(body []byte) bool {
	rest, ok := bytes.CutPrefix(body, []byte(`{"jsonrpc":"2.0","method":"`))
	return ok && (bytes.HasPrefix(rest, []byte(`window/logMessage"`)) || bytes.HasPrefix(rest, []byte(`$/logTrace"`)))
}

// setAside keeps the result of a plain answer for the request that waits for
// it and returns the answer without it. The library reads a message four times,
// once into maps; for a completion list that takes longer than the compiler
// needs to make it. Any other message, and one spelled differently, is left to
// the library.
func (s *stream) setAside(body []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(body, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return nil, false
	}
	digits, rest, ok := bytes.Cut(rest, []byte(`,"result":`))
	if !ok {
		return nil, false
	}
	id, err := strconv.ParseUint(string(digits), 10, 64)
	result, closed := bytes.CutSuffix(rest, []byte("}"))
	if err != nil || !closed || !json.Valid(result) {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, waits := s.results[id]; !waits {
		return nil, false
	}
	s.results[id] = bytes.Clone(result)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":null}`, id), true
}

// expect announces a request whose result may be set aside; take ends that and
// returns the result, nil when there is none.
func (s *stream) expect(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[id] = nil
}

func (s *stream) take(id uint64) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	result := s.results[id]
	delete(s.results, id)
	return result
}

// WriteObject queues a message and never blocks.
func (s *stream) WriteObject(v any) error {
	var body []byte
	var err error
	if m, ok := v.(json.Marshaler); ok {
		body, err = m.MarshalJSON() // json.Marshal would copy the result once more
	} else {
		body, err = json.Marshal(v)
	}
	if err != nil {
		return err
	}
	return s.write(body)
}

// notify queues a notification and never blocks. Params that are nil are left
// out.
func (s *stream) notify(method string, params any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", method, params}); err != nil {
		return err
	}
	return s.write(bytes.TrimSuffix(body.Bytes(), []byte("\n")))
}

func (s *stream) write(body []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.ErrClosedPipe
	}
	s.queue = appendFrame(s.queue, body)
	s.signal()
	return nil
}

// Close lets what is queued go out and then closes the write side. It does not
// wait for either.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.signal()
	return nil
}

func (s *stream) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// drain writes the queue until the stream is closed or the peer is gone.
func (s *stream) drain(w io.WriteCloser) {
	var spare []byte
	for range s.wake {
		s.mu.Lock()
		batch, closed := s.queue, s.closed
		s.queue = spare[:0]
		s.mu.Unlock()
		if len(batch) > 0 {
			if _, err := w.Write(batch); err != nil {
				// The reader learns of the peer's end by itself, with a
				// better reason than a broken pipe.
				s.mu.Lock()
				s.closed, closed = true, true
				s.mu.Unlock()
			}
		}
		if closed {
			_ = w.Close()
			return
		}
		if spare = batch; cap(spare) > keepBuffer {
			spare = nil
		}
	}
}

func (s *stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readErr == nil {
		s.readErr = err
	}
}

// reason says why reading ended, nil when the peer closed the stream between
// two messages or when it has not ended.
func (s *stream) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.readErr, io.EOF) {
		return nil
	}
	return s.readErr
}
