package tcgtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
)

// Life is what one process of a fake oracle does.
type Life struct {
	// Start is done before any request is read; nothing by default.
	Start Act `json:"start,omitempty"`
	// Calls are done at the first, second, … request; the last one is done at
	// every later request too. Empty means Answer.
	Calls []Act `json:"calls,omitempty"`
	// Deaf makes the process ignore the end of its input and SIGTERM.
	Deaf bool `json:"deaf,omitempty"`
}

// Act is one thing a fake oracle does. A request is answered after it, unless
// the act says otherwise.
type Act struct {
	// Do is what to do; empty means Answer.
	Do Deed `json:"do,omitempty"`
	// Result replaces the result of the answer, which otherwise is an Echo.
	Result json.RawMessage `json:"result,omitempty"`
	// Error is the error that Refuse and NullID send.
	Error *oracleproto.Error `json:"error,omitempty"`
	// Until is a file that Wait waits for.
	Until string `json:"until,omitempty"`
	// Code is the exit status of Crash.
	Code int `json:"code,omitempty"`
	// Stderr is written to stderr first, whatever is done.
	Stderr string `json:"stderr,omitempty"`
}

// Deed names an act.
type Deed string

// Deeds.
const (
	Answer    Deed = ""          // answer
	Refuse    Deed = "refuse"    // answer with Error; after kind oracle-crashed, end
	Crash     Deed = "crash"     // exit with Code, without an answer
	Cut       Deed = "cut"       // exit in the middle of the answer
	Ignore    Deed = "ignore"    // never answer, but read on
	Hang      Deed = "hang"      // never answer and read no more
	Wait      Deed = "wait"      // answer once the file Until exists
	Garbage   Deed = "garbage"   // send a line that is no frame, then answer
	Oversized Deed = "oversized" // send a line over the limit, then answer
	Blank     Deed = "blank"     // send blank lines, then answer
	WrongID   Deed = "wrong-id"  // answer an id that nobody asked with, then answer
	NullID    Deed = "null-id"   // send Error with no id, without an answer
	CloseOut  Deed = "close-out" // close stdout and live on
)

// Echo is the default result of a fake oracle.
type Echo struct {
	Pid    int             `json:"pid"`
	Root   string          `json:"root"` // the --root it was started with
	Dir    string          `json:"dir"`  // its working directory
	Op     string          `json:"op"`
	Params json.RawMessage `json:"params"`
}

// Oracle is a fake oracle: a script for each of its processes and a record of
// what they saw.
type Oracle struct {
	name, dir string
}

// scriptFlag tells a re-executed test binary that it is an oracle, and where
// its script and record are.
const scriptFlag = "-tcgtest.oracle="

// NewOracle scripts a fake oracle. The first process follows the first life,
// and so on; the last life repeats, and without any every request is answered.
func NewOracle(tb testing.TB, lives ...Life) *Oracle {
	tb.Helper()
	o := &Oracle{name: "fake-tcg", dir: tb.TempDir()}
	script, err := json.Marshal(lives)
	if err == nil {
		err = os.WriteFile(filepath.Join(o.dir, "script"), script, 0o600)
	}
	if err != nil {
		tb.Fatalf("writing the script of a fake oracle: %v", err)
	}
	return o
}

// Artifact is the oracle as OracleBinaries finds it, present and of the group
// "org.example".
func (o *Oracle) Artifact() tcgfamily.Artifact {
	self, err := os.Executable()
	if err != nil {
		panic("tcgtest: " + err.Error())
	}
	return tcgfamily.Artifact{
		Name: o.name, Path: self, Args: []string{scriptFlag + o.dir},
		Present: true, Group: "org.example", Package: "fake",
	}
}

// Pids lists the processes started so far, in the order of their start.
func (o *Oracle) Pids(tb testing.TB) []int {
	tb.Helper()
	var pids []int
	for _, line := range o.record(tb, "pids") {
		pid, err := strconv.Atoi(line)
		if err != nil {
			tb.Fatalf("record of a fake oracle: %v", err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// Requests lists the frames that the processes have read so far.
func (o *Oracle) Requests(tb testing.TB) []oracleproto.Request {
	tb.Helper()
	var requests []oracleproto.Request
	for _, line := range o.record(tb, "requests") {
		var r oracleproto.Request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			tb.Fatalf("record of a fake oracle: %v", err)
		}
		requests = append(requests, r)
	}
	return requests
}

func (o *Oracle) record(tb testing.TB, name string) []string {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(o.dir, name))
	if err != nil && !os.IsNotExist(err) {
		tb.Fatalf("record of a fake oracle: %v", err)
	}
	// A line is complete once its end is there.
	lines := strings.Split(string(b), "\n")
	return lines[:len(lines)-1]
}

// append adds a line to a record with one write, which is atomic for the
// processes that share it.
func (o *Oracle) append(name string, line []byte) error {
	f, err := os.OpenFile(filepath.Join(o.dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(bytes.TrimSpace(line), '\n'))
	return errors.Join(err, f.Close())
}
