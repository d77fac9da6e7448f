package service

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"vibevm.org/tcgfamily/child"
)

// wire carries lines to and from the script.
//
// Sending only queues: a node that loads or is stopped does not read, and a
// question must be given up in time all the same. One goroutine drains the
// queue.
type wire struct {
	mark  []byte // begins every line of the script's; anything else is noise
	heard func() // called for every line of the script's
	done  chan struct{}
	tasks sync.WaitGroup

	mu      sync.Mutex
	queue   [][]byte
	closed  bool
	wake    chan struct{} // buffered by one; a token means "look at queue and closed"
	waiting map[int32]chan<- answer
	failed  string // why the script could not begin
}

func newWire(cp *child.Process, mark string, heard func()) *wire {
	w := &wire{mark: []byte(mark), heard: heard, done: make(chan struct{}), wake: make(chan struct{}, 1), waiting: map[int32]chan<- answer{}}
	w.tasks.Go(func() { w.drain(cp.Stdin()) })
	w.tasks.Go(func() { w.receive(cp.Stdout()) })
	return w
}

// ask sends a question; its answer comes on the channel, unless the script ends.
func (w *wire) ask(id int32, line []byte) <-chan answer {
	answered := make(chan answer, 1)
	w.mu.Lock()
	w.waiting[id] = answered
	w.mu.Unlock()
	w.send(append(line, '\n'))
	return answered
}

// send queues bytes.
func (w *wire) send(b []byte) {
	w.mu.Lock()
	w.queue = append(w.queue, b)
	w.mu.Unlock()
	w.look()
}

// close ends the sending; what is queued may be lost.
func (w *wire) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.look()
}

// wait waits for the end of both directions, which come with the child's.
func (w *wire) wait() { w.tasks.Wait() }

func (w *wire) look() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// drain writes what is queued until the wire is closed or the script ends.
func (w *wire) drain(stdin io.Writer) {
	for {
		select {
		case <-w.wake:
		case <-w.done:
			return
		}
		w.mu.Lock()
		queue, closed := w.queue, w.closed
		w.queue = nil
		w.mu.Unlock()
		if closed {
			return
		}
		for _, b := range queue {
			if _, err := stdin.Write(b); err != nil {
				return // receive sees the end, too
			}
		}
	}
}

// receive reads the script's lines until it ends.
func (w *wire) receive(stdout io.Reader) {
	defer close(w.done)
	lines := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if i := bytes.Index(line, w.mark); i >= 0 {
			w.take(line[i+len(w.mark):])
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) take(line []byte) {
	var a answer
	if json.Unmarshal(line, &a) != nil {
		return // cut short by the end
	}
	w.heard()
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.ID == 0 {
		w.failed = a.Failed
		return
	}
	if answered, ok := w.waiting[a.ID]; ok {
		delete(w.waiting, a.ID)
		answered <- a
	}
}

// failure is why the script could not begin, empty if it could.
func (w *wire) failure() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}
