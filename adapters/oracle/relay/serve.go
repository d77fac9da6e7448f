package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"vibevm.org/tcgfamily/oracleproto"
)

const (
	// maxFrame bounds one request line, in bytes.
	maxFrame = 64 << 20
	// endGrace is how long work goes on after the end of input.
	endGrace = 2 * time.Second
)

// Serve answers request frames from in on out, one at a time in the order they
// came, until `shutdown`, the end of input, or a crashed compiler. Requests
// already read at the end of input are answered; what runs two seconds later
// is given up. When ctx ends, running work is given up and Serve returns
// without waiting for the blocked read of in.
//
// A compiler that died ends the relay: the question is answered with kind
// oracle-crashed and Serve returns nil, leaving the decision to start again to
// whoever owns the process.
func (r *Relay) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &session{relay: r, out: out, wake: make(chan struct{}, 1)}
	go s.read(ctx, bufio.NewReaderSize(in, 64<<10), cancel)
	for {
		job, more := s.next()
		if job == nil {
			if !more {
				return nil
			}
			select {
			case <-s.wake:
			case <-ctx.Done():
				return nil
			}
			continue
		}
		end, err := s.answer(ctx, job)
		if err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
		if end || ctx.Err() != nil {
			return nil
		}
	}
}

// session is one run of Serve.
type session struct {
	relay *Relay
	out   io.Writer
	wake  chan struct{}

	mu      sync.Mutex
	queue   []*job
	running *job
	ended   bool // no further frames will come
}

// job is one frame to answer: a request, or a refusal ready to be sent.
type job struct {
	req       oracleproto.Request
	hasID     bool
	refusal   *oracleproto.Error
	cancel    context.CancelFunc // set while running
	cancelled bool
}

// next takes the oldest job; more is false when none will come any more.
func (s *session) next() (j *job, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil, !s.ended
	}
	j, s.queue = s.queue[0], s.queue[1:]
	return j, true
}

// read queues the frames of in and carries out cancellations at once.
func (s *session) read(ctx context.Context, in *bufio.Reader, giveUp context.CancelFunc) {
	for ctx.Err() == nil {
		line, tooLong, err := readLine(in)
		switch line = bytes.TrimSpace(line); {
		case tooLong:
			s.push(&job{refusal: fail(oracleproto.KindProtocol, fmt.Sprintf("send frames of at most %d MiB", maxFrame>>20), "frame over %d bytes", maxFrame)})
		case len(line) > 0:
			s.take(line)
		}
		if err != nil {
			break
		}
	}
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.signal()
	select {
	case <-time.After(endGrace):
		giveUp()
	case <-ctx.Done():
	}
}

// take classifies one frame: unreadable, wrong version, cancellation, request.
func (s *session) take(line []byte) {
	if req, ok := plainQuestion(line); ok {
		s.push(&job{req: req, hasID: true})
		return
	}
	j := &job{}
	var frame struct {
		Proto  *int            `json:"proto"`
		ID     *uint64         `json:"id"`
		Op     string          `json:"op"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(line, &frame); err != nil {
		s.push(&job{refusal: fail(oracleproto.KindProtocol, `send one object per line: {"proto":1,"id":1,"op":"validate","params":{"file":"src/a.ts"}}`, "unparseable request: %v", err)})
		return
	}
	j.req = oracleproto.Request{Op: frame.Op, Params: frame.Params}
	if frame.ID != nil {
		j.req.ID, j.hasID = *frame.ID, true
	}
	switch {
	case frame.Proto == nil || *frame.Proto != oracleproto.Version:
		got := "none"
		if frame.Proto != nil {
			got = fmt.Sprint(*frame.Proto)
		}
		j.refusal = fail(oracleproto.KindProtocol, "use server and oracle of the same release", "protocol %s asked for, protocol %d spoken", got, oracleproto.Version)
	case frame.Op == oracleproto.OpCancel:
		var p oracleproto.CancelParams
		if json.Unmarshal(frame.Params, &p) == nil {
			s.cancel(p.ID)
		}
		return
	case !j.hasID:
		j.refusal = fail(oracleproto.KindProtocol, "number the request with an unsigned integer id", "request without id")
	}
	s.push(j)
}

// plainQuestion takes a question apart that is spelled as our own servers spell
// it, without reading its params, which carry whole source texts: they are
// read, and checked, once. Any other frame is left to the JSON decoder.
func plainQuestion(line []byte) (oracleproto.Request, bool) {
	req := oracleproto.Request{Proto: oracleproto.Version}
	rest, ok := bytes.CutPrefix(line, []byte(`{"proto":1,"id":`))
	if !ok {
		return req, false
	}
	id, rest, ok := bytes.Cut(rest, []byte(`,"op":"`))
	if !ok {
		return req, false
	}
	op, rest, ok := bytes.Cut(rest, []byte(`","params":`))
	if !ok {
		return req, false
	}
	req.ID, _ = strconv.ParseUint(string(id), 10, 64)
	req.Op = string(op)
	req.Params, ok = bytes.CutSuffix(rest, []byte("}"))
	return req, ok && strconv.FormatUint(req.ID, 10) == string(id) && slices.Contains(questions, req.Op) && json.Valid(req.Params)
}

// questions are the operations whose params are always read.
var questions = []string{oracleproto.OpValidate, oracleproto.OpScope, oracleproto.OpComplete, oracleproto.OpType}

func (s *session) push(j *job) {
	s.mu.Lock()
	s.queue = append(s.queue, j)
	s.mu.Unlock()
	s.signal()
}

func (s *session) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// cancel gives up the request with this id, running or waiting.
func (s *session) cancel(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range append([]*job{s.running}, s.queue...) {
		if j != nil && j.hasID && j.req.ID == id {
			j.cancelled = true
			if j.cancel != nil {
				j.cancel()
			}
		}
	}
}

// answer runs one job and writes its frame; end says the session is over.
func (s *session) answer(ctx context.Context, j *job) (end bool, err error) {
	var result any
	var failure *oracleproto.Error
	if j.refusal != nil {
		failure = j.refusal
	} else if result, err = s.run(ctx, j); err != nil {
		failure = asError(err)
	}
	resp := oracleproto.Response{Proto: oracleproto.Version, OK: failure == nil, Error: failure}
	if j.hasID {
		resp.ID = &j.req.ID
	}
	frame, err := encode(resp, result)
	if err != nil {
		return true, err
	}
	if _, err := s.out.Write(frame); err != nil {
		return true, err
	}
	crashed := failure != nil && failure.Kind == oracleproto.KindOracleCrashed
	done := failure == nil && j.req.Op == oracleproto.OpShutdown
	return crashed || done, nil
}

// run does the job's operation under a context that cancel reaches. A panic is
// this relay's own defect: it is answered, and the session goes on.
func (s *session) run(ctx context.Context, j *job) (result any, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.running, j.cancel = j, cancel
	if j.cancelled {
		cancel()
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running = nil
		s.mu.Unlock()
		if p := recover(); p != nil {
			err = fail(oracleproto.KindInternal, "report this with the request that caused it", "the oracle panicked: %v\n%s", p, debug.Stack())
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.relay.Do(ctx, j.req.Op, j.req.Params)
}

// encode writes a frame with its result encoded once, without HTML escapes.
func encode(resp oracleproto.Response, result any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	frame := struct {
		Proto  int                `json:"proto"`
		ID     *uint64            `json:"id"`
		OK     bool               `json:"ok"`
		Result any                `json:"result,omitempty"`
		Error  *oracleproto.Error `json:"error,omitempty"`
	}{resp.Proto, resp.ID, resp.OK, result, resp.Error}
	if err := enc.Encode(frame); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// readLine reads one line; of a line over maxFrame only the newline is kept
// looking for. err is final and may come with a last line.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxFrame {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}
