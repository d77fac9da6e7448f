package disk

import "syscall"

// times are a file's modification and change times in nanoseconds.
func times(st *syscall.Stat_t) (mtime, ctime int64) { return st.Mtim.Nano(), st.Ctim.Nano() }
