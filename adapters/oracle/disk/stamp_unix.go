//go:build linux || darwin

package disk

import (
	"syscall"
	"time"
)

// clockTick is how coarsely file systems are told the time: by the tick of the
// kernel's timer. More would take more of what was installed just before a
// question for a change after it.
const clockTick = 10 * time.Millisecond

// stat takes a path's stamp, following symlinks; false when there is nothing.
// The bare system call spares the allocations of os.Stat, which dominate a
// look over thousands of files.
func stat(path string) (stamp, bool) {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return stamp{}, false
	}
	s := stamp{
		size:   st.Size,
		inode:  st.Ino,
		device: uint64(st.Dev),
		names:  uint64(st.Nlink),
	}
	s.mtime, s.ctime = times(&st)
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		s.kind = regular
	case syscall.S_IFDIR:
		s.kind = folder
	}
	return s, true
}
