package shadow_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/rust/shadow"
	"vibevm.org/tcgfamily/child"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/tcgfamily/oracleproto"
)

// gated is a package whose build script waits for a file named by TCG_TEST_GATE
// when src/lib.rs has the word wait, after having added its process id to the
// file named by TCG_TEST_PIDS.
func gated(t *testing.T) (root, gate, pids string) {
	t.Helper()
	root = project(t, files{
		"Cargo.toml": manifest("gated"),
		"src/lib.rs": "pub fn f() -> u8 { 1 }\n",
		"build.rs": `use std::{env, fs, io::Write, path::Path, thread, time::Duration};
fn main() {
    println!("cargo:rerun-if-changed=src/lib.rs");
    if !fs::read_to_string("src/lib.rs").unwrap().contains("wait") {
        return;
    }
    let mut pids = fs::OpenOptions::new().create(true).append(true).open(env::var("TCG_TEST_PIDS").unwrap()).unwrap();
    writeln!(pids, "{}", std::process::id()).unwrap();
    let gate = env::var("TCG_TEST_GATE").unwrap();
    while !Path::new(&gate).exists() {
        thread::sleep(Duration::from_millis(5));
    }
}
`,
	})
	gate, pids = filepath.Join(t.TempDir(), "gate"), filepath.Join(t.TempDir(), "pids")
	t.Setenv("TCG_TEST_GATE", gate)
	t.Setenv("TCG_TEST_PIDS", pids)
	return root, gate, pids
}

// waiting returns the process ids of the build scripts that have run, once
// there are n.
func waiting(t *testing.T, pids string, n int) []int {
	t.Helper()
	var found []int
	require.True(t, childtest.Eventually(patience, func() bool {
		text, _ := os.ReadFile(pids)
		found = nil
		for _, line := range strings.Fields(string(text)) {
			var pid int
			if _, err := fmt.Sscan(line, &pid); err == nil {
				found = append(found, pid)
			}
		}
		return len(found) >= n && strings.HasSuffix(string(text), "\n")
	}), "build scripts did not start")
	return found
}

func TestARunGoesOnAfterItsCallerGaveUp(t *testing.T) {
	root, gate, pids := gated(t)
	c := newChecker(t, root)
	requireClean(t, c.check("src/lib.rs", nil))
	request := c.request("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 'c' } // wait\n"})

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Check(ended, request)
	require.ErrorIs(t, err, context.Canceled)
	waiting(t, pids, 1)

	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = c.Check(short, request)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "cargo check is at: Compiling gated v0.1.0")

	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	result, err := c.ask(request)
	require.NoError(t, err)
	require.Equal(t, []string{"E0308"}, codes(result))
	again, err := c.ask(request)
	require.NoError(t, err)
	require.Equal(t, result, again)
	require.Len(t, waiting(t, pids, 1), 1, "the request was answered by more than one run")
}

func TestANewerRequestEndsTheRun(t *testing.T) {
	root, _, pids := gated(t)
	c := newChecker(t, root)
	requireClean(t, c.check("src/lib.rs", nil))
	superseded := make(chan error, 1)
	go func() {
		_, err := c.ask(c.request("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 1 } // wait\n"}))
		superseded <- err
	}()
	script := waiting(t, pids, 1)
	for i := range 5 {
		require.Equal(t, []string{"E0308"}, codes(c.check("src/lib.rs", files{"src/lib.rs": fmt.Sprintf(wrong, i)})))
		requireClean(t, c.check("src/lib.rs", files{"src/lib.rs": fmt.Sprintf(right, i)}))
	}
	require.ErrorContains(t, <-superseded, "superseded")
	childtest.RequireGone(t, patience, script...)
}

func TestCloseLeavesNoProcess(t *testing.T) {
	root, _, pids := gated(t)
	c := newChecker(t, root)
	answered := make(chan error, 1)
	go func() {
		_, err := c.ask(c.request("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 1 } // wait\n"}))
		answered <- err
	}()
	script := waiting(t, pids, 1)
	children := childtest.Descendants(t, os.Getpid())
	require.NotEmpty(t, children)
	require.NoError(t, c.Close())
	require.Equal(t, oracleproto.KindClosed, kind(t, <-answered))
	for _, e := range children {
		script = append(script, e.Pid)
	}
	childtest.RequireGone(t, patience, script...)
	_, err := c.ask(c.request("src/lib.rs", nil))
	require.Equal(t, oracleproto.KindClosed, kind(t, err))

	// What was cut short is no harm to the next one.
	next := newChecker(t, root)
	requireClean(t, next.check("src/lib.rs", nil))
}

func TestARunHasADeadline(t *testing.T) {
	root, _, pids := gated(t)
	c := newChecker(t, root, func(o *shadow.Options) { o.MaxRun = 10 * time.Second })
	requireClean(t, c.check("src/lib.rs", nil))
	_, err := c.ask(c.request("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 1 } // wait\n"}))
	require.Equal(t, oracleproto.KindTimeout, kind(t, err))
	childtest.RequireGone(t, patience, waiting(t, pids, 1)...)
	requireClean(t, c.check("src/lib.rs", nil))
}

// TestAFileThatChangesUnderTheCompiler changes one while cargo is held up.
func TestAFileThatChangesUnderTheCompiler(t *testing.T) {
	root, gate, pids := gated(t)
	write(t, root, files{"src/lib.rs": "mod part; // wait\npub fn f() -> u8 { part::part() }\n", "src/part.rs": "pub fn part() -> u8 { 1 }\n"})
	c := newChecker(t, root)
	answer := make(chan shadow.Result, 1)
	go func() {
		result, err := c.ask(c.request("src/lib.rs", nil))
		if err != nil {
			result.Advice = append(result.Advice, err.Error())
		}
		answer <- result
	}()
	waiting(t, pids, 1)
	write(t, root, files{"src/part.rs": "pub fn part() -> u16 { 1 }\n"})
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	result := <-answer
	require.Equal(t, []string{"E0308"}, codes(result), "%+v", result)
}

func TestTwoCheckersOfOneRoot(t *testing.T) {
	root := crate(t)
	require.NoError(t, os.Mkdir(filepath.Join(root, "target"), 0o755))
	before := checksum(t, root)
	var all sync.WaitGroup
	for range 2 {
		c := newChecker(t, root)
		all.Go(func() {
			for i := range 5 {
				result, err := c.ask(c.request("src/lib.rs", files{"src/lib.rs": fmt.Sprintf(wrong, i)}))
				if err != nil || len(codes(result)) != 1 {
					t.Errorf("round %d: %v, %+v", i, err, result)
				}
				result, err = c.ask(c.request("src/lib.rs", files{"src/lib.rs": fmt.Sprintf(right, i)}))
				if err != nil || !result.Reached || len(codes(result)) != 0 {
					t.Errorf("round %d: %v, %+v", i, err, result)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, before, checksum(t, root))
}

// TestTheUsersBuildIsNotDelayed holds the lock of the user's target directory
// in the way the user's own cargo would.
func TestTheUsersBuildAndOursDoNotWaitForEachOther(t *testing.T) {
	root, gate, pids := gated(t)
	cargo, err := child.LookPath("cargo")
	require.NoError(t, err)
	build := func() error {
		_, err := child.Run(t.Context(), child.Spec{Path: cargo, Args: []string{"build", "--offline", "-q"}, Dir: root}, nil)
		return err
	}
	require.NoError(t, build())
	c := newChecker(t, root)

	// While ours runs, the user's ends.
	request := c.request("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 1 } // wait\n"})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Check(ended, request)
	require.ErrorIs(t, err, context.Canceled)
	waiting(t, pids, 1)
	write(t, root, files{"src/lib.rs": "pub fn f() -> u8 { 2 }\n"})
	require.NoError(t, build())

	// While the user's runs, ours ends.
	write(t, root, files{"src/lib.rs": "pub fn f() -> u8 { 2 } // wait\n"})
	built := make(chan error, 1)
	go func() { built <- build() }()
	waiting(t, pids, 2)
	require.Equal(t, []string{"E0308"}, codes(c.check("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 'c' }\n"})))
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	require.NoError(t, <-built)
}
