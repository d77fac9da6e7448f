package shadow

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"vibevm.org/tcgfamily/oracleproto"
)

// A shadow's directory holds:
//
//	lock      held by the process that uses the shadow
//	origin    the path of the workspace
//	clock     see clock
//	running   there while the shadow changes; one that was left says that the
//	          process died, and a rustc of its may still be at work
//	state     what is in the tree and what the target directory was compiled from
//	tree/     see tree
//	target-N/ cargo's target directory
const (
	lockName    = "lock"
	originName  = "origin"
	clockName   = "clock"
	runningName = "running"
	stateName   = "state"
	treeName    = "tree"
	targetName  = "target-"
)

const (
	// mostSlots is how many processes can check one workspace at once, each in
	// a shadow of its own.
	mostSlots = 8
	// unused is the age at which a shadow nobody has used since is removed.
	unused = 30 * 24 * time.Hour
)

// shadow is a shadow in use by this process.
type shadow struct {
	dir    string
	lock   *os.File
	tree   *tree
	target string
	state  state
	code   codeOfOthers
	since  int // runs since the target directory was measured
}

// state is what has to survive the process.
type state struct {
	Generation int               `json:"generation"` // N of target-N
	Copies     map[string]bool   `json:"copies"`     // tree.copies
	Known      map[string]digest `json:"known"`      // tree.known
	Copied     map[string]digest `json:"copied"`     // tree.copied
	// Watched are files, and WatchedDirs directories, outside of packages that
	// compilers and build scripts depend on, relative to the top of the tree.
	Watched     []string `json:"watched"`
	WatchedDirs []string `json:"watched_dirs"`
}

// place is where shadows of a project lie: first in its target directory, if
// it has one and lies in the root; else in the cache directory.
func (c *Checker) places(workspace string) ([]string, error) {
	var places []string
	target := filepath.Join(workspace, "target")
	if _, inside := within(c.options.Root, workspace); inside {
		if info, err := os.Lstat(target); err == nil && info.IsDir() {
			places = append(places, filepath.Join(target, "tcg"))
		}
	}
	cache, err := cacheDir(c.options.CacheDir)
	if err == nil {
		places = append(places, cache)
	}
	if len(places) == 0 {
		return nil, &oracleproto.Error{
			Kind:   oracleproto.KindShadowUnavailable,
			Detail: "there is no place for the shadow: the workspace has no target directory, and " + err.Error(),
			Recipe: "run `cargo check` in the project once, which makes its target directory",
		}
	}
	return places, nil
}

// cacheDir is the directory for shadows that have no place in their project.
func cacheDir(configured string) (string, error) {
	if configured != "" {
		return configured, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("the user has no cache directory: %w", err)
	}
	return filepath.Join(dir, "rust-ai-native-tcg", "shadow"), nil
}

// open takes a free shadow of a workspace that mirrors top.
func (c *Checker) open(workspace, top string) (*shadow, error) {
	places, err := c.places(workspace)
	if err != nil {
		return nil, err
	}
	sum := digestOfText([]byte(workspace + "\x00" + top))
	name := hex.EncodeToString(sum[:6])
	var failed error
	for _, place := range places {
		s, err := openIn(place, name, workspace, top)
		if err == nil {
			return s, nil
		}
		failed = err
		if isDiskFull(err) {
			break
		}
	}
	return nil, unavailable(failed)
}

func openIn(place, name, workspace, top string) (*shadow, error) {
	if err := os.MkdirAll(place, 0o755); err != nil {
		return nil, err
	}
	// Compilers report the path that the system gives for where they run.
	place, err := filepath.EvalSymlinks(place)
	if err != nil {
		return nil, err
	}
	for slot := range mostSlots {
		dir := filepath.Join(place, name+"-"+strconv.Itoa(slot))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		lock, err := lockFile(filepath.Join(dir, lockName))
		if err != nil {
			return nil, err
		}
		if lock == nil {
			continue
		}
		s := &shadow{dir: dir, lock: lock}
		if !s.held() { // removed between our opening and our locking it
			_ = lock.Close()
			continue
		}
		if err := s.takeOver(workspace, top); err != nil {
			_ = lock.Close()
			return nil, err
		}
		removeUnused(place)
		return s, nil
	}
	return nil, fmt.Errorf("%d other servers check this workspace", mostSlots)
}

// takeOver goes on with what an earlier process left.
func (s *shadow) takeOver(workspace, top string) error {
	if err := os.WriteFile(filepath.Join(s.dir, originName), []byte(workspace+"\n"), 0o644); err != nil {
		return err
	}
	clock, err := openClock(filepath.Join(s.dir, clockName))
	if err != nil {
		return err
	}
	s.tree = &tree{
		top: top, dir: filepath.Join(s.dir, treeName), clock: clock,
		left: func(path string) bool { return leftOut(path, s.dir) },
	}
	text, err := os.ReadFile(filepath.Join(s.dir, stateName))
	if err == nil {
		err = json.Unmarshal(text, &s.state)
	}
	_, running := os.Lstat(filepath.Join(s.dir, runningName))
	if err != nil || running == nil || s.state.Copies == nil || s.state.Known == nil || s.state.Copied == nil {
		return s.renew()
	}
	s.tree.copies, s.tree.known, s.tree.copied = s.state.Copies, s.state.Known, s.state.Copied
	s.target = filepath.Join(s.dir, targetName+strconv.Itoa(s.state.Generation))
	return nil
}

// renew starts with nothing. The target directory has another name than the
// last, because a rustc that was orphaned may still be writing to that.
func (s *shadow) renew() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	generation := s.state.Generation
	for _, entry := range entries {
		if n, ok := strings.CutPrefix(entry.Name(), targetName); ok {
			number, _ := strconv.Atoi(n)
			generation = max(generation, number)
			if err := os.RemoveAll(filepath.Join(s.dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.RemoveAll(s.tree.dir); err != nil {
		return err
	}
	if err := os.Mkdir(s.tree.dir, 0o755); err != nil {
		return err
	}
	s.tree.copies, s.tree.known, s.tree.copied = map[string]bool{}, map[string]digest{}, map[string]digest{}
	s.state = state{Generation: generation + 1}
	s.target = filepath.Join(s.dir, targetName+strconv.Itoa(s.state.Generation))
	return nil
}

// begin notes that the shadow changes from now on.
func (s *shadow) begin() error {
	return os.WriteFile(filepath.Join(s.dir, runningName), nil, 0o644)
}

// end notes that the shadow and its state are whole again.
func (s *shadow) end() error {
	if err := s.save(); err != nil {
		return err
	}
	return os.Remove(filepath.Join(s.dir, runningName))
}

// save writes the state.
func (s *shadow) save() error {
	s.state.Copies, s.state.Known, s.state.Copied = s.tree.copies, s.tree.known, s.tree.copied
	text, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, stateName)
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// held reports that the shadow is still there and ours: `cargo clean` may have
// removed it, and another process have made it anew.
func (s *shadow) held() bool {
	ours, err := s.lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(filepath.Join(s.dir, lockName))
	return err == nil && os.SameFile(ours, there)
}

// leftOut reports what of the user's is not mirrored into a shadow in dir: the
// directory that holds the shadow, and above it what is found from inside the
// shadow anyway. CARGO_HOME is found everywhere.
func leftOut(path, dir string) bool {
	if _, holds := within(path, dir); holds {
		return true
	}
	_, above := within(filepath.Dir(path), dir)
	switch filepath.Base(path) {
	case ".git":
		return above
	case ".cargo":
		return above || path == cargoHome()
	}
	return false
}

func cargoHome() string { return homeOf("CARGO_HOME", ".cargo") }

func rustupHome() string { return homeOf("RUSTUP_HOME", ".rustup") }

// homeOf is the directory that a variable names, else one in the user's home.
func homeOf(variable, name string) string {
	if home := os.Getenv(variable); home != "" {
		return filepath.Clean(home)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, name)
}

// removeUnused removes shadows that nobody has used for long.
func removeUnused(place string) {
	entries, err := os.ReadDir(place)
	if err != nil {
		return
	}
	for _, entry := range entries {
		dir := filepath.Join(place, entry.Name())
		info, err := os.Stat(filepath.Join(dir, clockName))
		if err == nil && time.Since(info.ModTime()) > unused {
			_, _ = removeShadow(dir)
		}
	}
}

// removeShadow removes a shadow; false when a process uses it.
func removeShadow(dir string) (bool, error) {
	lock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil || lock == nil {
		return false, err
	}
	defer lock.Close()
	return true, removeLocked(dir, lock)
}

// unavailable is the error for a shadow that cannot be written.
func unavailable(err error) error {
	if isDiskFull(err) {
		return diskFull(err.Error())
	}
	recipe := "make the directory writable, or run `rust-ai-native-tcg clean` and ask again"
	if runtime.GOOS == "windows" {
		recipe = "turn on Developer Mode in the settings of Windows, which allows symbolic links, and ask again"
	}
	return &oracleproto.Error{
		Kind:   oracleproto.KindShadowUnavailable,
		Detail: "the shadow for cargo check cannot be written: " + err.Error(),
		Recipe: recipe,
	}
}

func diskFull(detail string) error {
	return &oracleproto.Error{
		Kind:   oracleproto.KindShadowDiskFull,
		Detail: "there is no space left for the shadow of cargo check: " + detail,
		Recipe: "free some disk space, for example with `cargo clean`, and ask again",
	}
}
