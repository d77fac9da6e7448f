package service

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/oracleproto"
)

// Times. None of them delays an answer that has come.
const (
	// How long questions may have waited in vain, one after the other, before
	// the compiler counts as hung: once it has answered, and while it loads.
	patience        = time.Minute
	loadingPatience = 10 * time.Minute

	// What node gets to end by itself after the end of its input, and again
	// after SIGTERM. It ends at once in good health, and has nothing to save.
	// Twice this must stay well below the server's grace for us (oracleGrace of
	// package tcgfamily).
	killGrace = 60 * time.Millisecond

	reapWait = 2 * time.Second // for the exit status of a node that hung up
)

// The heap that node may fill, in MiB: half of the memory within these, and
// never so much that nothing is left for others.
const (
	leastHeap = 2048
	mostHeap  = 8192
)

func heapSize(memory int) int { return min(max(memory/2, leastHeap), mostHeap, memory*3/4) }

// process is one running node with the script and one compiler.
type process struct {
	compiler Compiler
	child    *child.Process
	wire     *wire
	overlays map[string]string // the texts it was told
	pending  []change          // what it was not told yet of the disk
	asked    int32             // the latest question's id
	reads    []string          // what the script said it read

	readsVersion string // of reads, the script's

	loaded  bool         // it has answered a question
	silence atomic.Int64 // nanoseconds that questions waited since it last said anything
	hung    atomic.Bool  // it was killed for its silence
	closing atomic.Bool
}

// start runs node. It loads the compiler while the first question waits.
func start(c Compiler, node Node, heap int, root string) (*process, error) {
	mark := rand.Text()
	head, err := payload(startParams{Package: c.Package, Mark: mark})
	if err != nil {
		return nil, err
	}
	cp, err := child.Start(child.Spec{
		Path: node.Path, Dir: root, Env: environment(), Grace: killGrace,
		Args: []string{fmt.Sprintf("--max-old-space-size=%d", heap), "-e", bootstrap},
	})
	if err != nil {
		return nil, &oracleproto.Error{
			Kind:   oracleproto.KindNodeMissing,
			Detail: fmt.Sprintf("node %s cannot be started: %v", node.Version, err),
			Recipe: "reinstall node from https://nodejs.org",
		}
	}
	p := &process{compiler: c, child: cp, overlays: map[string]string{}}
	p.wire = newWire(cp, mark, func() { p.silence.Store(0) })
	p.wire.send(head)
	return p, nil
}

// ask sends a question and waits for its answer. One that is given up is
// answered by the script later, and then dropped.
func (p *process) ask(ctx context.Context, q question, result any) (configFile string, err error) {
	p.asked++
	q.ID, q.Known = p.asked, p.readsVersion
	line, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	answered := p.wire.ask(q.ID, line)
	begun := time.Now()
	select {
	case a := <-answered:
		return p.read(q, a, result)
	case <-ctx.Done():
		p.silence.Add(int64(time.Since(begun)))
		p.giveUp(q.ID)
		return "", ctx.Err()
	case <-p.wire.done:
	}
	select {
	case a := <-answered: // its last words
		return p.read(q, a, result)
	default:
		return "", p.ended()
	}
}

func (p *process) giveUp(id int32) {
	if line, err := json.Marshal(cancellation{Cancel: id}); err == nil {
		p.wire.send(append(line, '\n'))
	}
}

func (p *process) read(q question, a answer, result any) (configFile string, err error) {
	p.loaded = true
	if a.ReadsVersion != "" {
		p.readsVersion = a.ReadsVersion
		p.reads = make([]string, 0, len(a.Reads))
		for _, path := range a.Reads {
			p.reads = append(p.reads, nativePath(path))
		}
	}
	switch {
	case a.Failed != "":
		return "", p.failed(q.Op, a.Failed)
	case a.Cancelled:
		return "", p.failed(q.Op, "it gave the question up by itself")
	}
	if err := json.Unmarshal(a.Result, result); err != nil {
		return "", p.failed(q.Op, err.Error())
	}
	return nativePath(a.Config), nil
}

// failed reports a question that broke the compiler. The script has dropped what
// it was working on and goes on.
func (p *process) failed(op, why string) error {
	return &oracleproto.Error{
		Kind:   oracleproto.KindInternal,
		Detail: fmt.Sprintf("typescript %s failed to %s: %s", p.compiler.Version, op, why),
		Recipe: "run npx tsc --noEmit for a verdict; if that fails too, report it at https://github.com/microsoft/TypeScript/issues",
	}
}

// unusable reports a script that could not load its compiler.
func (p *process) unusable() bool {
	select {
	case <-p.wire.done:
		return p.wire.failure() != ""
	default:
		return false
	}
}

// discard gives up a process that has ended by itself.
func (p *process) discard() { _ = p.close() }

// endIfHung kills a compiler that has let questions wait for longer than there
// is any reason for. The question that finds it so is answered with a crash,
// after which the owner of this process starts another.
func (p *process) endIfHung(patience, loadingPatience time.Duration) {
	silence := time.Duration(p.silence.Load())
	if p.loaded && silence > patience || silence > loadingPatience {
		p.hung.Store(true)
		p.child.Kill()
		<-p.child.Done()
	}
}

// ended reports how node died.
func (p *process) ended() error {
	if p.closing.Load() {
		return errClosing
	}
	// One that hung up is about to exit, or is out of step for good.
	select {
	case <-p.child.Done():
	case <-time.After(reapWait):
		p.child.Kill()
		<-p.child.Done()
	}
	if why := p.wire.failure(); why != "" {
		return &oracleproto.Error{
			Kind:   oracleproto.KindTypeScriptMissing,
			Detail: fmt.Sprintf("typescript %s in %s cannot be loaded: %s", p.compiler.Version, p.compiler.Package, why),
			Recipe: "reinstall it: run npm install typescript@" + p.compiler.Version + " in the project",
		}
	}
	detail := fmt.Sprintf("typescript %s ended: %s", p.compiler.Version, p.child.Exit())
	if p.hung.Load() {
		detail = fmt.Sprintf("typescript %s was stopped: it let questions wait for %v without an answer", p.compiler.Version, time.Duration(p.silence.Load()).Round(time.Second))
	}
	if tail := strings.TrimSpace(p.child.StderrTail()); tail != "" {
		detail += "; its last words: " + tail
	}
	return &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: detail, Recipe: "ask again; if it happens every time, run npx tsc --noEmit to see the compiler fail by itself"}
}

// close ends node within bounds and waits for it.
func (p *process) close() error {
	p.closing.Store(true)
	p.wire.close()
	err := p.child.Close()
	p.wire.wait()
	return err
}
