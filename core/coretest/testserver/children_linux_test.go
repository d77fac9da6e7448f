package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Regression: the private descriptors of the wire must not reach a child, nor
// may an ignored SIGPIPE: a child that inherits it never ends.
func TestChildrenInheritNeitherDescriptorsNorIgnoredSignals(t *testing.T) {
	p := start(t)
	p.send(t, call("1", "child", `"ls -l /proc/self/fd >&2; grep SigIgn /proc/self/status >&2"`))
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	require.NoError(t, json.Unmarshal([]byte(p.next(t)), &answer))
	said := answer.Result.Content[0].Text

	in, ok := p.in.(*os.File)
	require.True(t, ok)
	pipe, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", in.Fd()))
	require.NoError(t, err)
	require.Regexp(t, `^pipe:\[\d+\]$`, pipe)
	require.NotContains(t, said, pipe)
	pipe, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", p.stdout.Fd()))
	require.NoError(t, err)
	require.Regexp(t, `^pipe:\[\d+\]$`, pipe)
	require.NotContains(t, said, pipe)

	at := strings.Index(said, "SigIgn:")
	require.GreaterOrEqual(t, at, 0, said)
	var ignored uint64
	_, err = fmt.Sscanf(said[at:], "SigIgn: %x", &ignored)
	require.NoError(t, err)
	require.Zero(t, ignored&(1<<(syscall.SIGPIPE-1)), "SIGPIPE is ignored in a child")
}
