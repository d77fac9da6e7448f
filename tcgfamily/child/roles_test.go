package child_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"vibevm.org/tcgfamily/child"
)

// roleEnv makes the re-executed test binary play a child.
const roleEnv = "CHILD_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		play(role)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// play is the child's side of the tests: "name" or "name argument".
func play(role string) {
	name, arg, _ := strings.Cut(role, " ")
	switch name {
	case "cat": // ends at the end of its input
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "deaf-to-eof": // ends on SIGTERM
		fmt.Println("ready")
		select {}
	case "deaf": // ends on SIGKILL only
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "last-words": // flushes after the end of its input
		_, _ = io.Copy(io.Discard, os.Stdin)
		_, _ = os.Stdout.WriteString(strings.Repeat("x", 50_000))
		_, _ = os.Stdout.WriteString("bye\n")
	case "exit":
		code := 0
		_, _ = fmt.Sscan(arg, &code)
		fmt.Fprintln(os.Stderr, "first line")
		fmt.Fprintln(os.Stderr, "last line")
		os.Exit(code)
	case "stderr": // more than any tail, invalid UTF-8 throughout
		for i := range 5000 {
			fmt.Fprintf(os.Stderr, "line %d \xff\xc3 ä\n", i)
		}
	case "leaver": // leaves a deaf member of its group behind, holding its pipes
		fmt.Println(inherit("deaf", nil))
	case "straggler": // leaves a deaf process outside its group behind, holding its pipes
		fmt.Println(inherit("deaf", ownGroup()))
	case "family": // deaf, with a deaf member of its group
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(inherit("deaf", nil))
		time.Sleep(time.Hour)
	case "server": // a server with a relay with a compiler, each one's own child
		nested(arg)
	case "server-of-relay": // a server whose relay ends its compiler
		serverOfRelay()
	case "relay": // deaf to the end of its input; ends its compiler on SIGTERM
		relay()
	case "sigign": // ignores signals and runs a command
		signal.Ignore(ignorable...)
		out, err := child.Run(context.Background(), child.Spec{Path: "/bin/sh", Args: []string{"-c", "grep SigIgn /proc/self/status"}}, nil)
		fmt.Print(string(out), err)
	case "pipes": // lists the pipes it holds besides its own three
		for _, pipe := range openPipes() {
			fmt.Println(pipe)
		}
		fmt.Println("end")
		_, _ = io.Copy(io.Discard, os.Stdin)
	default:
		fmt.Fprintln(os.Stderr, "unknown role", role)
		os.Exit(2)
	}
}

// openPipes lists the pipes this process holds besides its first three files.
func openPipes() (pipes []string) {
	for fd := 3; fd < 1024; fd++ {
		if link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && strings.HasPrefix(link, "pipe:") {
			pipes = append(pipes, link)
		}
	}
	return pipes
}

// inherit starts a process that shares our pipes, as a careless program does,
// and returns its id once it has said that it is ready.
func inherit(role string, attr *syscall.SysProcAttr) int {
	cmd := exec.CommandContext(context.Background(), os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	cmd.Stdin, cmd.Stderr, cmd.SysProcAttr = os.Stdin, os.Stderr, attr
	r, w, err := os.Pipe()
	must(err)
	// Its first line comes to us; what it holds on to is our stdout as fd 3.
	cmd.Stdout, cmd.ExtraFiles = w, []*os.File{os.Stdout}
	must(cmd.Start())
	_, err = bufio.NewReader(r).ReadString('\n')
	must(err)
	return cmd.Process.Pid
}

// nested starts a chain of children through this package and prints the ids
// of all of them, then waits to be killed.
func nested(depth string) {
	next := map[string]string{"2": "server 1", "1": "deaf"}[depth]
	p, err := child.Start(roleSpec(next))
	must(err)
	fmt.Println(p.Pid())
	if depth != "1" {
		must(copyLine(p.Stdout()))
	}
	time.Sleep(time.Hour)
}

// serverOfRelay starts a relay, prints its id and what it prints, and waits to
// be killed.
func serverOfRelay() {
	spec := roleSpec("relay")
	spec.EndsItsChildren = true
	p, err := child.Start(spec)
	must(err)
	fmt.Println(p.Pid())
	must(copyLine(p.Stdout()))
	must(copyLine(p.Stdout()))
	time.Sleep(time.Hour)
}

// relay starts a deaf compiler with a deaf child of its own and prints the ids
// of both.
func relay() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	spec := roleSpec("family")
	spec.Grace = 20 * time.Millisecond
	p, err := child.Start(spec)
	must(err)
	fmt.Println(p.Pid())
	must(copyLine(p.Stdout()))
	<-terminated
	must(p.Close())
}

func copyLine(r io.Reader) error {
	for b := make([]byte, 1); ; { // not buffered: the next line is the next call's
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		_, _ = os.Stdout.Write(b)
		if b[0] == '\n' {
			return nil
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// roleSpec runs this test binary in a role.
func roleSpec(role string) child.Spec {
	return child.Spec{
		Path: os.Args[0],
		// The race detector sleeps for a second at exit unless told.
		Env: append(os.Environ(), roleEnv+"="+role, "GORACE=atexit_sleep_ms=0"),
	}
}

func startRole(t *testing.T, role string, grace time.Duration) *child.Process {
	t.Helper()
	spec := roleSpec(role)
	spec.Grace = grace
	p, err := child.Start(spec)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func readLine(t *testing.T, r io.Reader) string {
	t.Helper()
	var line []byte
	for b := make([]byte, 1); ; {
		_, err := io.ReadFull(r, b)
		require.NoError(t, err, "after %q", line)
		if b[0] == '\n' {
			return string(line)
		}
		line = append(line, b[0])
	}
}
