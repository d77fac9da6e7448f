package disk

import (
	"encoding/binary"
	"errors"
	"slices"
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
	known map[string]bool  // the values of paths
	buf   []byte
}

// watched is what may change a directory's names or its files' stamps.
const watched = syscall.IN_CREATE | syscall.IN_DELETE | syscall.IN_MODIFY | syscall.IN_ATTRIB |
	syscall.IN_CLOSE_WRITE | syscall.IN_MOVED_FROM | syscall.IN_MOVED_TO | syscall.IN_DELETE_SELF | syscall.IN_MOVE_SELF |
	syscall.IN_ONLYDIR

// A watch stays with its directory, whatever that is called by now. When
// watched directories move or go, no path is certain any more.
const lost = syscall.IN_Q_OVERFLOW | syscall.IN_UNMOUNT | syscall.IN_MOVE_SELF | syscall.IN_DELETE_SELF

// localSystems are file systems that nobody writes to but this kernel, by the
// magic number of statfs(2): ext2 to 4, XFS, Btrfs, tmpfs, overlayfs, F2FS,
// ZFS, bcachefs, ramfs.
var localSystems = []int64{0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x858458f6}

// newEvents returns nil where there are none to be had.
func newEvents() *events {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	return &events{fd: fd, paths: map[int32]string{}, known: map[string]bool{}, buf: make([]byte, 64<<10)}
}

// watch adds a directory; false means that events cannot be trusted any more.
func (e *events) watch(dir string) bool {
	if e.known[dir] {
		return true
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || !slices.Contains(localSystems, int64(fs.Type)) {
		return errors.Is(err, syscall.ENOENT) // gone again: its parent knows
	}
	id, err := syscall.InotifyAddWatch(e.fd, dir, watched)
	if err != nil {
		return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR)
	}
	e.paths[int32(id)], e.known[dir] = dir, true
	return true
}

// drain returns the directories with events; false means that events cannot be
// trusted any more.
func (e *events) drain() (map[string]bool, bool) {
	var dirs map[string]bool
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
			if dirs == nil {
				dirs = map[string]bool{}
			}
			dirs[e.paths[id]] = true
		}
	}
}

func (e *events) close() { _ = syscall.Close(e.fd) }
