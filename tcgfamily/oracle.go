package tcgfamily

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// oracleGrace is how long a relay may take to end at the end of its input,
// and again on SIGTERM. Hosts leave little time between their end of input and
// their SIGKILL, and a relay has nothing to save.
//
// Two ladders nest here, each a farewell, SIGTERM, SIGKILL: ours for the relay,
// and the relay's for its compilers. Theirs must be the shorter, to be over
// within one grace of ours with time to spare: only the relay can kill a
// compiler's group, so one that we kill in the middle of it leaves what the
// compiler started behind. An idle relay begins at the end of its input, one
// at work on SIGTERM, which is also what it gets when we die.
const oracleGrace = 300 * time.Millisecond

// oracle is one running relay and the requests it has not answered yet.
type oracle struct {
	name    string
	process *child.Process
	// writing is held while a frame is written. It is a channel so that the
	// wait for it can be given up: a relay that reads no more blocks the write.
	writing chan struct{}

	mu       sync.Mutex
	lastID   uint64
	pending  map[uint64]chan<- reply
	answered bool // has given a result
	// remark is an error frame that named no request and was the last word of
	// the relay so far: a relay that cannot start says why in one and ends.
	remark  *ToolError
	failure *ToolError    // set once no answer will come any more
	idle    chan struct{} // closed when nothing is pending; nil unless awaited

	over       chan struct{} // closed when failure is set
	goroutines sync.WaitGroup
}

// reply is what a pending request is answered with.
type reply struct {
	result json.RawMessage
	err    error
}

// startOracle runs a relay.
func startOracle(name string, spec child.Spec) (*oracle, error) {
	spec.Grace, spec.EndsItsChildren = oracleGrace, true
	process, err := child.Start(spec)
	if err != nil {
		return nil, err
	}
	o := &oracle{
		name:    name,
		process: process,
		writing: make(chan struct{}, 1),
		pending: make(map[uint64]chan<- reply),
		over:    make(chan struct{}),
	}
	o.goroutines.Go(o.read)
	return o, nil
}

// call asks one question. When ctx ends first, the relay is told to give the
// question up and the error is the context's, at once. All other errors are
// *ToolError: the relay's own answer or why there will be none.
func (o *oracle) call(ctx context.Context, op string, params any) (json.RawMessage, error) {
	replies := make(chan reply, 1)
	id, failure := o.register(replies)
	if failure != nil {
		return nil, failure
	}
	frame, failure := encodeRequest(id, op, params)
	if failure != nil {
		o.forget(id)
		return nil, failure
	}
	var begun atomic.Bool // by whoever is first: the write, or giving up before it
	o.spawn(func() { o.write(ctx, frame, &begun) })
	select {
	case r := <-replies:
		return r.result, r.err
	case <-ctx.Done():
		o.forget(id)
		if !begun.CompareAndSwap(false, true) {
			o.cancel(id)
		}
		return nil, ctx.Err()
	}
}

// register makes a request known before it is sent: its answer may come faster
// than the sender gets on.
func (o *oracle) register(replies chan<- reply) (uint64, *ToolError) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failure != nil {
		return 0, o.failure
	}
	o.lastID++
	o.pending[o.lastID] = replies
	return o.lastID, nil
}

// forget gives a request up; its answer will be skipped as stale.
func (o *oracle) forget(id uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settle(id)
}

// settle removes a request and returns where its answer goes; nil for one that
// is not awaited. The caller holds mu.
func (o *oracle) settle(id uint64) chan<- reply {
	replies := o.pending[id]
	delete(o.pending, id)
	if len(o.pending) == 0 && o.idle != nil {
		close(o.idle)
		o.idle = nil
	}
	return replies
}

// cancel sends a `cancel` frame for a request that was sent.
func (o *oracle) cancel(id uint64) {
	o.mu.Lock()
	o.lastID++
	own := o.lastID
	o.mu.Unlock()
	frame, failure := encodeRequest(own, oracleproto.OpCancel, oracleproto.CancelParams{ID: id})
	if failure == nil {
		o.spawn(func() { o.write(context.Background(), frame, new(atomic.Bool)) })
	}
}

// write puts a frame on the wire unless begun says that it is not wanted any
// more.
func (o *oracle) write(ctx context.Context, frame []byte, begun *atomic.Bool) {
	select {
	case o.writing <- struct{}{}:
		defer func() { <-o.writing }()
	case <-ctx.Done():
		return
	case <-o.over:
		return
	}
	if !begun.CompareAndSwap(false, true) {
		return
	}
	if _, err := o.process.Stdin().Write(frame); err != nil && !o.isOver() {
		// It is dying, or it closed its input and could never be asked again.
		// Its end is noticed, and reported with its reasons, by read.
		o.process.Kill()
	}
}

// spawn runs f in a goroutine that close waits for, unless the relay is over.
func (o *oracle) spawn(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failure == nil {
		o.goroutines.Go(f)
	}
}

// end fails every pending request and all later ones. The first reason stays.
func (o *oracle) end(failure *ToolError) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failure != nil {
		return
	}
	o.failure = failure
	close(o.over) // first: a caller that hears of the end must find it over
	o.failPending(failure)
}

// failPending answers every pending request. The caller holds mu.
func (o *oracle) failPending(failure *ToolError) {
	for id := range o.pending {
		o.settle(id) <- reply{err: failure}
	}
}

// isOver reports whether no answer will come any more.
func (o *oracle) isOver() bool {
	select {
	case <-o.over:
		return true
	default:
		return false
	}
}

// hasAnswered reports whether the relay has given a result.
func (o *oracle) hasAnswered() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.answered
}

// waitIdle returns once nothing is pending or ctx ends.
func (o *oracle) waitIdle(ctx context.Context) {
	o.mu.Lock()
	if len(o.pending) == 0 {
		o.mu.Unlock()
		return
	}
	if o.idle == nil {
		o.idle = make(chan struct{})
	}
	idle := o.idle
	o.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// close stops the relay; pending requests fail with the reason given. It
// returns when the process and every goroutine of the link are gone.
func (o *oracle) close(reason *ToolError) error {
	o.end(reason)
	err := o.process.Close()
	o.goroutines.Wait()
	return err
}

// encodeRequest makes the frame of a request, newline included.
func encodeRequest(id uint64, op string, params any) ([]byte, *ToolError) {
	raw, ok := params.(json.RawMessage)
	if !ok {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false) // source text is full of < and &
		if err := encoder.Encode(params); err != nil {
			return nil, internalError("encoding a request: " + err.Error())
		}
		raw = bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	}
	frame := make([]byte, 0, len(raw)+len(op)+64)
	frame = fmt.Appendf(frame, `{"proto":%d,"id":%d,"op":%q,"params":`, oracleproto.Version, id, op)
	frame = append(frame, raw...)
	frame = append(frame, "}\n"...)
	if len(frame) > maxFrame {
		return nil, frameTooLarge(op)
	}
	return frame, nil
}
