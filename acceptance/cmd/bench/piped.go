package main

import (
	"bufio"
	"io"
	"os/exec"
	"time"
)

// startPiped starts a contestant with pipes to its stdin and from its stdout.
func startPiped(cmd *exec.Cmd) (io.WriteCloser, *bufio.Reader, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return in, bufio.NewReaderSize(out, 1<<20), cmd.Start()
}

// endPiped closes a contestant's stdin and waits for its end.
func endPiped(cmd *exec.Cmd, in io.Closer) {
	_ = in.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait()
}
