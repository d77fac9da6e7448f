package mcppipe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// Revision is the protocol revision our servers answer.
const Revision = "2024-11-05"

// Server says how a server process is started.
type Server struct {
	Path string
	Args []string
	// Dir is the working directory; empty for the caller's.
	Dir string
	// Env is the environment; nil for the caller's.
	Env []string
}

// Session is a running server and everything it wrote.
type Session struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Closer
	stderr lockedBuffer

	writing sync.Mutex

	mu         sync.Mutex
	frames     []Frame
	violations []error
	changed    chan struct{} // closed and replaced on every change
	ended      bool          // stdout reached its end
	nextID     int

	exited  chan struct{}
	waitErr error
}

// Start starts the server as the leader of its own process session, so that
// everything it spawns can be told apart afterwards.
func Start(server Server) (*Session, error) {
	cmd := exec.Command(server.Path, server.Args...) //nolint:noctx // the process ends with its session, not with a context
	cmd.Dir, cmd.Env = server.Dir, server.Env
	cmd.SysProcAttr = ownSession()
	s := &Session{cmd: cmd, changed: make(chan struct{}), exited: make(chan struct{})}
	cmd.Stderr = &s.stderr
	// A grandchild that holds our stderr pipe must not keep Wait from returning.
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Our own pipe: exec's would be closed by Wait before it was read to its end.
	stdout, writeEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = writeEnd
	err = cmd.Start()
	_ = writeEnd.Close()
	if err != nil {
		_ = stdout.Close()
		return nil, fmt.Errorf("start %s: %w", server.Path, err)
	}
	s.stdin, s.stdout = stdin, stdout
	go s.read(stdout)
	go func() {
		s.waitErr = cmd.Wait()
		close(s.exited)
	}()
	return s, nil
}

// Pid is the server's process id, which is also the id of its process session.
func (s *Session) Pid() int { return s.cmd.Process.Pid }

func (s *Session) read(stdout io.Reader) {
	reader := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			s.record(func() {
				if len(line) > 0 {
					s.violations = append(s.violations, fmt.Errorf("stdout ends in the middle of a line: %.200q", line))
				}
				s.ended = true
			})
			return
		}
		frame, err := parseFrame(line[:len(line)-1])
		s.record(func() {
			if err != nil {
				s.violations = append(s.violations, err)
				return
			}
			s.frames = append(s.frames, frame)
		})
	}
}

func (s *Session) record(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Send writes bytes to the server as they are.
func (s *Session) Send(raw string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := io.WriteString(s.stdin, raw)
	return err
}

// Notify sends a notification.
func (s *Session) Notify(method string, params any) error {
	return s.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

func (s *Session) send(frame map[string]any) error {
	line, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return s.Send(string(line) + "\n")
}

// Request sends a request and returns its id without waiting for the answer.
func (s *Session) Request(method string, params any) (id string, err error) {
	s.mu.Lock()
	s.nextID++
	n := s.nextID
	s.mu.Unlock()
	return strconv.Itoa(n), s.send(map[string]any{"jsonrpc": "2.0", "id": n, "method": method, "params": params})
}

// Answer waits for the answer to the request with this id.
func (s *Session) Answer(ctx context.Context, id string) (Frame, error) {
	return s.WaitFrame(ctx, func(f Frame) bool { return f.ID == id })
}

// WaitFrame waits for the first frame of the whole session that matches.
func (s *Session) WaitFrame(ctx context.Context, match func(Frame) bool) (Frame, error) {
	for seen := 0; ; {
		s.mu.Lock()
		frames, ended, changed := s.frames[seen:], s.ended, s.changed
		s.mu.Unlock()
		for _, frame := range frames {
			if match(frame) {
				return frame, nil
			}
		}
		seen += len(frames)
		if ended {
			return Frame{}, fmt.Errorf("the server closed its stdout without answering; stderr: %.2000s", s.Stderr())
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Frame{}, fmt.Errorf("waiting for the server: %w; stderr: %.2000s", ctx.Err(), s.Stderr())
		}
	}
}

// Call sends a request and waits for its result. A JSON-RPC error is returned
// as *Error.
func (s *Session) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, err := s.Request(method, params)
	if err != nil {
		return nil, err
	}
	frame, err := s.Answer(ctx, id)
	if err != nil {
		return nil, err
	}
	if frame.Error != nil {
		return nil, frame.Error
	}
	return frame.Result, nil
}

// Initialize performs the handshake and returns the initialize result.
func (s *Session) Initialize(ctx context.Context) (json.RawMessage, error) {
	result, err := s.Call(ctx, "initialize", map[string]any{
		"protocolVersion": Revision,
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "acceptance", "version": "1"},
	})
	if err != nil {
		return nil, err
	}
	return result, s.Notify("notifications/initialized", map[string]any{})
}

// CallTool calls a tool and reads its result.
func (s *Session) CallTool(ctx context.Context, name string, arguments any) (ToolResult, error) {
	result, err := s.Call(ctx, "tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return ToolResult{}, err
	}
	return ParseToolResult(result)
}

// CloseInput closes the server's stdin, as a host does that leaves.
func (s *Session) CloseInput() error { return s.stdin.Close() }

// CloseOutput closes our end of the server's stdout, as a host does that died.
func (s *Session) CloseOutput() error { return s.stdout.Close() }

// Signal sends a signal to the server process alone.
func (s *Session) Signal(sig os.Signal) error { return s.cmd.Process.Signal(sig) }

// Wait waits for the server to exit and returns how it ended; nil means exit
// status 0.
func (s *Session) Wait(ctx context.Context) error {
	select {
	case <-s.exited:
	case <-ctx.Done():
		return fmt.Errorf("the server did not exit: %w; stderr: %.2000s", ctx.Err(), s.Stderr())
	}
	// The rest of stdout may still be on its way to the reader.
	_, _ = s.WaitFrame(ctx, func(Frame) bool { return false })
	if errors.Is(s.waitErr, exec.ErrWaitDelay) {
		return errors.New("a descendant of the server still held its stderr after it had exited")
	}
	return s.waitErr
}

// Close closes stdin, waits, and kills the server when ctx ends first.
func (s *Session) Close(ctx context.Context) error {
	_ = s.CloseInput()
	err := s.Wait(ctx)
	_ = s.cmd.Process.Kill()
	<-s.exited
	_ = s.stdout.Close()
	return err
}

// Frames returns every frame so far, in the order they came.
func (s *Session) Frames() []Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Frame(nil), s.frames...)
}

// Violation joins what was wrong with the server's stdout so far; nil when
// every byte was part of a frame.
func (s *Session) Violation() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.violations...)
}

// Stderr is what the server wrote to stderr so far.
func (s *Session) Stderr() string { return s.stderr.String() }

// lockedBuffer is a buffer that is written and read by two goroutines.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
