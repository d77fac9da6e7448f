package tcgfamily

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"vibevm.org/tcgfamily/oracleproto"
)

// maxFrame bounds one frame in either direction, in bytes, newline included.
const maxFrame = 64 << 20

// read matches answers to requests until the relay ends or stops making
// sense, then sees it out.
func (o *oracle) read() {
	if failure := o.readFrames(); failure != nil {
		o.end(failure)
		_ = o.process.Close()
		return
	}
	// A relay without stdout is of no use, dead or not; most likely it is
	// dead, and Close only waits for its exit status and its last words.
	_ = o.process.Close()
	o.mu.Lock()
	failure := o.remark
	o.mu.Unlock()
	if failure == nil {
		failure = crashError(o.name, o.process.Exit(), o.process.StderrTail())
	}
	o.end(failure)
}

// readFrames returns nil at the end of the relay's output, and otherwise why
// there is no use in reading on.
func (o *oracle) readFrames() *ToolError {
	lines := bufio.NewReaderSize(o.process.Stdout(), 64<<10)
	for {
		line, err := readLine(lines, maxFrame)
		if errors.Is(err, errLineTooLong) {
			return protocolError(o.name, fmt.Sprintf("an answer of over %d MiB", maxFrame>>20))
		}
		if err != nil {
			return nil // a line without an end was cut off by a crash
		}
		if len(line) == 0 {
			continue
		}
		if failure := o.receive(line); failure != nil {
			return failure
		}
	}
}

// receive handles one frame and returns why it must be the last one, if so.
func (o *oracle) receive(line []byte) *ToolError {
	response, err := decodeResponse(line)
	if err != nil {
		return protocolError(o.name, err.Error())
	}
	if response.Error != nil && response.Error.Kind == oracleproto.KindOracleCrashed {
		// The compiler behind the relay died and the relay ends itself, so
		// whatever else is pending will not be answered either.
		return response.Error
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.remark = nil
	if response.ID == nil {
		if response.Error != nil {
			// It is about one of the pending requests or about the relay's
			// start; either way it is the best answer any of them will get.
			o.remark = response.Error
			o.failPending(response.Error)
		}
		return nil
	}
	o.answered = o.answered || response.OK
	replies := o.settle(*response.ID)
	if replies == nil {
		return nil // given up meanwhile
	}
	if response.OK {
		replies <- reply{result: response.Result}
	} else {
		replies <- reply{err: response.Error}
	}
	return nil
}

// decodeResponse reads one frame from the relay. A frame that it accepts has a
// result or an error, never both.
func decodeResponse(line []byte) (oracleproto.Response, error) {
	var response oracleproto.Response
	if err := json.Unmarshal(line, &response); err != nil {
		return response, fmt.Errorf("a line that is no answer frame (%.80q)", line)
	}
	hasResult := len(response.Result) > 0 && !bytes.Equal(response.Result, []byte("null"))
	switch {
	case response.Proto != oracleproto.Version:
		return response, fmt.Errorf("protocol %d where protocol %d was expected", response.Proto, oracleproto.Version)
	case response.OK && (!hasResult || response.Error != nil):
		return response, fmt.Errorf("a success frame without a result (%.80q)", line)
	case !response.OK && (response.Error == nil || response.Error.Kind == "" || hasResult):
		return response, fmt.Errorf("a failure frame without an error (%.80q)", line)
	}
	return response, nil
}

var errLineTooLong = errors.New("line too long")

// readLine returns the next line without surrounding white space. The slice is
// valid until the next call. A line without an end is not returned. A line
// over the limit, line end included, is an error after which there is no use
// in reading on; a line that fits the reader's buffer is always returned.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = r.ReadSlice('\n')
			if len(long)+len(line) > limit {
				return nil, errLineTooLong
			}
			long = append(long, line...)
		}
		line = long
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSpace(line), nil
}
