package core

import (
	"context"
	"log/slog"
	"time"
)

// ProtocolVersion is the one MCP revision this server answers, whatever the
// caller asks for (MCP-CORE §1 p07).
const ProtocolVersion = "2024-11-05"

// Info is what initialize says about the server.
type Info struct {
	Name    string
	Version string
	// Instructions tell a model what the server is for; left out when empty.
	Instructions string
}

// Options adjust a server. The zero value, and nil, mean the defaults.
type Options struct {
	// Log receives one debug record per tool call and per malformed line. Nil
	// means no log. It must not write to standard output.
	Log *slog.Logger
}

// Server answers MCP frames with the tools of one ToolSet (MCP-CORE §2 p13).
// It holds no state of a connection.
type Server struct {
	tools map[string]registered
	log   *slog.Logger

	// Constant results, encoded once.
	initialize string
	toolList   string
}

// NewServer returns a server over the tools registered so far; later
// registrations do not reach it. A nil set means no tools.
func NewServer(info Info, tools *ToolSet, opts *Options) *Server {
	s := &Server{tools: make(map[string]registered)}
	if opts != nil {
		s.log = opts.Log
	}
	var all []Descriptor
	if tools != nil {
		all = tools.Descriptors()
	}
	for _, d := range all {
		s.tools[d.Name] = tools.byName[d.Name]
	}
	s.initialize = string(appendInitialize(nil, info))
	s.toolList = string(appendToolList(nil, all))
	return s
}

func appendInitialize(dst []byte, info Info) []byte {
	dst = append(dst, `{"protocolVersion":"`+ProtocolVersion+`","serverInfo":{"name":`...)
	dst = appendString(dst, info.Name)
	dst = append(dst, `,"version":`...)
	dst = appendString(dst, info.Version)
	dst = append(dst, `},"capabilities":{"tools":{"listChanged":false}}`...)
	if info.Instructions != "" {
		dst = append(dst, `,"instructions":`...)
		dst = appendString(dst, info.Instructions)
	}
	return append(dst, '}')
}

// How long Serve waits when it ends.
const (
	// inputEndedGrace is for work still running when the input ends: hosts that
	// leave only close stdin, and what they asked for is still answered.
	inputEndedGrace = 2 * time.Second
	// stopGrace is for a cancelled tool to return. A tool deaf to its context
	// is left behind after it.
	stopGrace = 500 * time.Millisecond
)

// Serve answers frames from t until one of these:
//
//   - the input ends: everything received is answered, and Serve returns nil.
//     Work still running two seconds later is cancelled and answered with an
//     error result saying so;
//   - ctx is done: work is cancelled likewise, and Serve returns nil;
//   - the channel is dead: Serve returns a TransportError of CodeWrite or
//     CodeRead. No malformed frame and no tool ends the loop (MCP-CORE §1 p10).
//
// Serve waits at most a second for a tool deaf to its context, and never for a
// reader blocked in t.ReadLine: closing t, which is the caller's to do, ends
// that one. Nothing is written to t after Serve returned.
func (s *Server) Serve(ctx context.Context, t Transport) error {
	ss := newSession(ctx, s, t)
	ss.start()

	var why error
	select {
	case <-ss.idle:
	case <-ss.failed:
		why = errPeerGone
	case <-ctx.Done():
		why = errServerStops
	case <-ss.inputEnded:
		deadline := time.NewTimer(inputEndedGrace)
		defer deadline.Stop()
		select {
		case <-ss.idle:
		case <-ss.failed:
			why = errPeerGone
		case <-ctx.Done():
			why = errServerStops
		case <-deadline.C:
			why = errInputEnded
		}
	}
	if why != nil {
		ss.stop(why)
	}
	return ss.close(why)
}
