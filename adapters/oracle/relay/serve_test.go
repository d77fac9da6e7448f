package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/tcgfamily/oracleproto"
)

// session is a relay serving over pipes.
type session struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error
}

func serve(t *testing.T, ctx context.Context, r *relay.Relay) *session { //nolint:revive // t comes first in tests
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{t: t, in: inW, out: bufio.NewReader(outR), ended: make(chan error, 1)}
	go func() {
		err := r.Serve(ctx, inR, outW)
		_ = outW.Close()
		_ = inR.Close()
		s.ended <- err
	}()
	t.Cleanup(func() { _ = inW.Close() })
	return s
}

func (s *session) send(line string) {
	s.t.Helper()
	_, err := io.WriteString(s.in, line+"\n")
	require.NoError(s.t, err)
}

func (s *session) receive() oracleproto.Response {
	s.t.Helper()
	line, err := s.out.ReadBytes('\n')
	require.NoError(s.t, err)
	var resp oracleproto.Response
	require.NoError(s.t, json.Unmarshal(line, &resp))
	assert.Equal(s.t, oracleproto.Version, resp.Proto)
	return resp
}

func request(id int, op, params string) string {
	return fmt.Sprintf(`{"proto":1,"id":%d,"op":%q,"params":%s}`, id, op, params)
}

func TestFramesThatAreNotRequestsAreRefusedAndTheSessionGoesOn(t *testing.T) {
	_, _, r := project(t, nil)
	s := serve(t, t.Context(), r)
	for line, id := range map[string]string{
		`not json`:                         "null",
		`[]`:                               "null",
		`{"proto":1,"id":"x","op":"init"}`: "null",
		`{"proto":1,"id":-1,"op":"init"}`:  "null",
		`{"proto":1,"id":1.5,"op":"init"}`: "null",
		`{"proto":2,"id":7,"op":"init"}`:   "7",
		`{"id":8,"op":"init"}`:             "8",
		`{"proto":1,"op":"init"}`:          "null",
		`{"proto":1,"id":9}`:               "9",
		request(10, "nonsense", `{}`):      "10",
	} {
		s.send(line)
		resp := s.receive()
		require.NotNil(t, resp.Error, line)
		assert.Equal(t, oracleproto.KindProtocol, resp.Error.Kind, line)
		assert.NotEmpty(t, resp.Error.Recipe, line)
		got, err := json.Marshal(resp.ID)
		require.NoError(t, err)
		assert.Equal(t, id, string(got), line)
	}
	s.send("\n  \n" + request(11, "init", `null`))
	assert.True(t, s.receive().OK)
}

func TestAFrameMeansTheSameHoweverItIsSpelled(t *testing.T) {
	_, _, r := project(t, nil)
	s := serve(t, t.Context(), r)
	for line, ok := range map[string]bool{
		`{"proto":1,"id":1,"op":"validate","params":{"file":"a.ts","content":""}}`:               true,
		` { "params" : {"content":"","file":"a.ts"}, "op":"validate","id":1,"proto":1 } `:        true,
		`{"proto":1,"id":1,"op":"validate","params":{"file":"a.ts","content":""},"id":1}`:        true,
		`{"proto":1,"id":1,"op":"validate","params":{"file":"a.ts","content":""}} trailing`:      false,
		`{"proto":1,"id":1,"op":"validate","params":{"file":"a.ts","content":""}`:                false,
		`{"proto":1,"id":1,"op":"validate","params":{"file":"a.ts","content":"` + "\x01" + `"}}`: false,
		`{"proto":1,"id":01,"op":"validate","params":{"file":"a.ts","content":""}}`:              false,
	} {
		s.send(line)
		resp := s.receive()
		assert.Equal(t, ok, resp.OK, line)
		if !ok {
			assert.Equal(t, oracleproto.KindProtocol, resp.Error.Kind, line)
		}
	}
}

func TestRequestsAreAnsweredInOrderAlsoAfterTheEndOfInput(t *testing.T) {
	_, _, r := project(t, map[string]string{"a.ts": ""})
	var lines strings.Builder
	for id := range 20 {
		content := `""`
		if id%2 == 1 {
			content = `"error"`
		}
		fmt.Fprintln(&lines, request(id, "validate", `{"file":"a.ts","content":`+content+`}`))
	}
	var out strings.Builder
	require.NoError(t, r.Serve(t.Context(), strings.NewReader(strings.TrimSuffix(lines.String(), "\n")), &out))
	frames := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, frames, 20)
	for id, frame := range frames {
		var resp oracleproto.Response
		var res oracleproto.ValidateResult
		require.NoError(t, json.Unmarshal([]byte(frame), &resp))
		require.NoError(t, json.Unmarshal(resp.Result, &res))
		assert.EqualValues(t, id, *resp.ID)
		assert.Len(t, res.Diagnostics, id%2, "no answer is another's")
	}
}

func TestShutdownIsAnsweredAndEndsTheSession(t *testing.T) {
	_, _, r := project(t, nil)
	s := serve(t, t.Context(), r)
	s.send(request(1, "shutdown", `{}`))
	assert.True(t, s.receive().OK)
	require.NoError(t, <-s.ended)
}

func TestACrashedCompilerIsAnsweredAndEndsTheSession(t *testing.T) {
	_, b, r := project(t, map[string]string{"a.ts": ""})
	b.validate = func(context.Context) error {
		return &oracleproto.Error{Kind: oracleproto.KindOracleCrashed, Detail: "exit status 3"}
	}
	s := serve(t, t.Context(), r)
	s.send(request(1, "validate", `{"file":"a.ts"}`))
	assert.Equal(t, oracleproto.KindOracleCrashed, s.receive().Error.Kind)
	require.NoError(t, <-s.ended)
}

func TestAPanicIsAnsweredAndTheSessionGoesOn(t *testing.T) {
	_, _, r := project(t, nil)
	s := serve(t, t.Context(), r)
	s.send(request(1, "validate", `{"file":"a.ts","content":"panic"}`))
	assert.Equal(t, oracleproto.KindInternal, s.receive().Error.Kind)
	s.send(request(2, "validate", `{"file":"a.ts","content":""}`))
	assert.True(t, s.receive().OK)
}

func TestCancelReachesRunningAndWaitingRequests(t *testing.T) {
	_, b, r := project(t, map[string]string{"a.ts": ""})
	running := make(chan struct{}, 1)
	b.validate = func(ctx context.Context) error {
		running <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	s := serve(t, t.Context(), r)
	s.send(request(1, "validate", `{"file":"a.ts"}`))
	<-running
	s.send(request(2, "validate", `{"file":"a.ts"}`))
	s.send(request(3, "init", `{}`))
	s.send(`{"proto":1,"op":"cancel","params":{"id":2}}`)
	s.send(`{"proto":1,"op":"cancel","params":{"id":1}}`)
	s.send(`{"proto":1,"op":"cancel","params":{"id":77}}`)
	for _, id := range []uint64{1, 2} {
		resp := s.receive()
		assert.Equal(t, id, *resp.ID)
		assert.Equal(t, oracleproto.KindCancelled, resp.Error.Kind)
	}
	assert.True(t, s.receive().OK)
}

func TestTheEndOfInputGivesUpWorkThatGoesOn(t *testing.T) {
	_, b, r := project(t, map[string]string{"a.ts": ""})
	b.validate = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	s := serve(t, t.Context(), r)
	s.send(request(1, "validate", `{"file":"a.ts"}`))
	require.NoError(t, s.in.Close())
	assert.Equal(t, oracleproto.KindCancelled, s.receive().Error.Kind)
	require.NoError(t, <-s.ended)
}

func TestServeEndsWithItsContextThoughInputStaysOpen(t *testing.T) {
	_, _, r := project(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, ctx, r)
	s.send(request(1, "init", `{}`))
	assert.True(t, s.receive().OK)
	cancel()
	require.NoError(t, <-s.ended)
}

func TestAClosedOutputEndsTheSession(t *testing.T) {
	_, _, r := project(t, nil)
	outR, outW := io.Pipe()
	require.NoError(t, outR.Close())
	err := r.Serve(t.Context(), strings.NewReader(request(1, "init", `{}`)+"\n"), outW)
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestALongFrameIsRefusedInBoundedMemoryAndTheNextIsAnswered(t *testing.T) {
	_, _, r := project(t, nil)
	in := io.MultiReader(&repeat{left: 65 << 20}, strings.NewReader("\n"+request(1, "init", `{}`)+"\n"))
	var out strings.Builder
	require.NoError(t, r.Serve(t.Context(), in, &out))
	frames := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, frames, 2)
	assert.Contains(t, frames[0], `"kind":"protocol"`)
	assert.Contains(t, frames[1], `"ok":true`)
}

// repeat is a reader of n bytes 'a'.
type repeat struct{ left int }

func (r *repeat) Read(p []byte) (int, error) {
	n := min(len(p), r.left)
	for i := range p[:n] {
		p[i] = 'a'
	}
	if r.left -= n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
