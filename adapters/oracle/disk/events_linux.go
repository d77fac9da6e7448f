package disk

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// events tells which directories something happened in since it was last
// asked. The kernel queues an event before the system call that caused it
// returns, so what was done before a question is in the queue when the question
// looks: no goroutine, no delay, no barrier.
//
// Events only say where to compare stamps. Whatever they may miss (another
// machine's writes, a full queue, too many watches) is a reason not to trust
// them, in which case all stamps are compared.
type events struct {
	fd    int
	paths map[int32]string // by watch descriptor
	ids   map[string]int32 // by directory
	local map[uint64]bool  // by device
	dirty map[string]bool  // directories that were given up, for the next drain
	packs map[int32]bool   // watches spent on packages
	most  int              // how many of those there may be
	buf   []byte
}

// watched is what may change a directory's names or its files' stamps.
const watched = syscall.IN_CREATE | syscall.IN_DELETE | syscall.IN_MODIFY | syscall.IN_ATTRIB |
	syscall.IN_CLOSE_WRITE | syscall.IN_MOVED_FROM | syscall.IN_MOVED_TO | syscall.IN_DELETE_SELF | syscall.IN_MOVE_SELF |
	syscall.IN_ONLYDIR

// lost is what may have swallowed events.
const lost = syscall.IN_Q_OVERFLOW | syscall.IN_UNMOUNT

// localSystems are file systems that nobody writes to but this kernel, by the
// magic number of statfs(2): ext2 to 4, XFS, Btrfs, tmpfs, overlayfs, F2FS,
// ZFS, bcachefs, ramfs.
var localSystems = []int64{0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x858458f6}

// mostPackages bounds the watches spent on packages; each costs the kernel
// about a kilobyte. A variable for tests.
var mostPackages = 20_000

// newEvents returns nil where there are none to be had.
func newEvents() *events {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	return &events{
		fd: fd, paths: map[int32]string{}, ids: map[string]int32{}, local: map[uint64]bool{}, dirty: map[string]bool{},
		packs: map[int32]bool{}, most: min(mostPackages, userWatches()/2), buf: make([]byte, 64<<10),
	}
}

// userWatches is how many watches this user may have in all.
func userWatches() int {
	b, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return mostPackages
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

// watch adds a directory.
func (e *events) watch(dir string, now stamp, packages bool) watching {
	if _, known := e.ids[dir]; known {
		return heard
	}
	local, known := e.local[now.device]
	if !known {
		var fs syscall.Statfs_t
		if err := syscall.Statfs(dir, &fs); err != nil {
			return absent
		}
		local = slices.Contains(localSystems, int64(fs.Type))
		e.local[now.device] = local
	}
	if !local {
		return unheard
	}
	if packages && len(e.packs) >= e.most {
		return crowded
	}
	id, err := syscall.InotifyAddWatch(e.fd, dir, watched)
	switch {
	case errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR):
		return absent
	case errors.Is(err, syscall.ENOSPC):
		return crowded
	case err != nil:
		return unheard
	}
	if packages {
		e.packs[int32(id)] = true
	}
	// The kernel knows a directory by one watch, whatever it is called.
	if old, moved := e.paths[int32(id)]; moved && old != dir {
		delete(e.ids, old)
		e.dirty[old] = true
	}
	e.paths[int32(id)], e.ids[dir] = dir, int32(id)
	return heard
}

// forget gives a directory's watch up.
func (e *events) forget(dir string) {
	if id, known := e.ids[dir]; known {
		_, _ = syscall.InotifyRmWatch(e.fd, uint32(id)) // gone with the directory, it may be
		e.drop(id)
	}
}

func (e *events) drop(id int32) {
	delete(e.ids, e.paths[id])
	delete(e.paths, id)
	delete(e.packs, id)
}

// drain returns the directories with events; false means that events were lost.
func (e *events) drain() (map[string]bool, bool) {
	dirs := e.dirty
	e.dirty = map[string]bool{}
	for {
		n, err := syscall.Read(e.fd, e.buf)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return dirs, true
		case err != nil || n <= 0:
			return nil, false
		}
		for b := e.buf[:n]; len(b) >= syscall.SizeofInotifyEvent; {
			id, mask := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:])
			b = b[min(len(b), syscall.SizeofInotifyEvent+int(binary.NativeEndian.Uint32(b[12:]))):]
			if mask&lost != 0 {
				return nil, false
			}
			dir, known := e.paths[id]
			if !known {
				continue // given up meanwhile
			}
			dirs[dir] = true
			switch {
			case mask&syscall.IN_MOVE_SELF != 0:
				e.moved(dir, dirs)
			case mask&(syscall.IN_DELETE_SELF|syscall.IN_IGNORED) != 0:
				e.drop(id)
			}
		}
	}
}

// moved gives up the watches of a directory that has another name now, and of
// everything below it: a watch stays with its directory.
func (e *events) moved(dir string, dirs map[string]bool) {
	below := dir + string(filepath.Separator)
	for known := range e.ids {
		if known == dir || strings.HasPrefix(known, below) {
			dirs[known] = true
			e.forget(known)
		}
	}
}

func (e *events) close() { _ = syscall.Close(e.fd) }
