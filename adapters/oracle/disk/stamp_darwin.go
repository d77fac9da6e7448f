package disk

import "syscall"

// stat takes a path's stamp, following symlinks; false when there is nothing.
func stat(path string) (stamp, bool) {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return stamp{}, false
	}
	return stamp{
		size:  st.Size,
		mtime: st.Mtimespec.Nano(),
		ctime: st.Ctimespec.Nano(),
		inode: st.Ino,
		names: uint64(st.Nlink),
	}, true
}
