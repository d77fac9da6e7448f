//go:build !linux && !darwin

package disk

import (
	"os"
	"time"
)

// clockTick is how coarsely file systems are told the time: Windows ticks every
// 15.6 ms.
const clockTick = 16 * time.Millisecond

// stat takes a path's stamp, following symlinks; false when there is nothing.
func stat(path string) (stamp, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, false
	}
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	switch {
	case info.Mode().IsRegular():
		s.kind = regular
	case info.IsDir():
		s.kind = folder
	}
	return s, true
}
