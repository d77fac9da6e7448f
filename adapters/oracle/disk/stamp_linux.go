package disk

import "syscall"

// stat takes a path's stamp, following symlinks; false when there is nothing.
// The bare system call spares the allocations of os.Stat, which dominate a
// look over thousands of files.
func stat(path string) (stamp, bool) {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return stamp{}, false
	}
	return stamp{
		size:  st.Size,
		mtime: st.Mtim.Nano(),
		ctime: st.Ctim.Nano(),
		inode: st.Ino,
		names: uint64(st.Nlink), //nolint:unconvert // 32 bits wide on some architectures
	}, true
}
