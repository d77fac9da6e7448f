package shadow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/rust/shadow"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/tcgfamily/oracleproto"
)

// process is this test binary asking a question.
func process(t *testing.T, q question, env ...string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(q)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+string(text))
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestAKilledProcess is killed while cargo runs a build script. cargo dies
// with it; the script does not, and may go on writing.
func TestAKilledProcess(t *testing.T) {
	root, gate, pids := gated(t)
	options := shadow.Options{Root: root, CacheDir: filepath.Join(t.TempDir(), "cache")}
	first := newChecker(t, root, func(o *shadow.Options) { *o = options })
	requireClean(t, first.check("src/lib.rs", nil))
	require.NoError(t, first.Close())

	request := first.request("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 1 } // wait\n"})
	cmd := process(t, question{Options: options, Request: request})
	require.NoError(t, cmd.Start())
	script := waiting(t, pids, 1)
	var cargo []int
	for _, e := range childtest.Descendants(t, cmd.Process.Pid) {
		if e.Pid != script[0] {
			cargo = append(cargo, e.Pid)
		}
	}
	require.NotEmpty(t, cargo)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	childtest.RequireGone(t, 2*time.Second, cargo...)

	next := newChecker(t, root, func(o *shadow.Options) { *o = options })
	for i := range 3 {
		requireClean(t, next.check("src/lib.rs", files{"src/lib.rs": fmt.Sprintf(right, i)}))
		require.Equal(t, []string{"E0308"}, codes(next.check("src/lib.rs", files{"src/lib.rs": fmt.Sprintf(wrong, i)})))
	}
	targets, err := filepath.Glob(filepath.Join(options.CacheDir, "*", "target-*"))
	require.NoError(t, err)
	require.Len(t, targets, 1)
	require.Equal(t, "target-2", filepath.Base(targets[0]), "a target directory that an orphan may write to is in use")
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	childtest.RequireGone(t, patience, script...)
}

// mountEnv names a directory and a size: the process sees a file system of
// that size there.
const mountEnv = "TCG_TEST_MOUNT"

// prepareProcess mounts what the environment asks for.
func prepareProcess() error {
	text := os.Getenv(mountEnv)
	if text == "" {
		return nil
	}
	size, dir, err := atoi(text)
	if err != nil {
		return err
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(size)); err != nil {
		return fmt.Errorf("mount a small file system: %w", err)
	}
	return nil
}

func atoi(text string) (size int, dir string, err error) {
	_, err = fmt.Sscanf(text, "%d %s", &size, &dir)
	return size, dir, err
}

// TestDiskFull has the shadow on file systems of different sizes: the disk is
// full for us, or for cargo, or for rustc, or for nobody.
func TestDiskFull(t *testing.T) {
	root := crate(t)
	outcomes := map[string]int{}
	for size := 4 << 10; size <= 4<<20; size *= 2 {
		dir := filepath.Join(t.TempDir(), "small")
		require.NoError(t, os.Mkdir(dir, 0o755))
		request := shadow.Request{
			File:     filepath.Join(root, "src", "lib.rs"),
			Overlays: map[string]string{filepath.Join(root, "src", "lib.rs"): "pub fn f() -> u8 { 1 }\n" + fmt.Sprintf("// %02000d\n", 1)},
		}
		cmd := process(t, question{Options: shadow.Options{Root: root, CacheDir: dir}, Request: request},
			fmt.Sprintf("%s=%d %s", mountEnv, size, dir))
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if os.Getuid() != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		out, err := cmd.Output()
		if errors.Is(err, syscall.EPERM) {
			t.Fatal("this test mounts a small file system in a namespace of its own: run it as root, or allow user namespaces with `sysctl kernel.unprivileged_userns_clone=1`")
		}
		require.NoError(t, err, "%s", out)
		var answer struct {
			oracleproto.Error
			Reached bool
		}
		require.NoError(t, json.Unmarshal(out, &answer), "%s", out)
		if answer.Reached {
			outcomes["clean"]++
			continue
		}
		require.Equal(t, oracleproto.KindShadowDiskFull, answer.Kind, "%d bytes: %s", size, out)
		require.NotEmpty(t, answer.Recipe)
		outcomes["full"]++
		t.Logf("%7d bytes: %s", size, answer.Detail)
	}
	require.Positive(t, outcomes["clean"], "no file system was large enough")
	require.Greater(t, outcomes["full"], 2)
}
