package disk

import (
	"hash/maphash"
	"io"
	"os"
	"syscall"
	"time"
)

// stamp identifies a file's state as the file system shows it.
type stamp struct {
	kind         kind
	size         int64
	mtime, ctime int64 // nanoseconds
	inode        uint64
	device       uint64
	names        uint64 // hard links to the file

	// racy marks a stamp taken so soon after the modification time that a
	// later write could leave it unchanged: file system clocks tick coarsely.
	// The state is then told apart by sum, the hash of the contents.
	racy bool
	sum  uint64
}

// kind is what a path leads to.
type kind uint8

const (
	other   kind = iota // a pipe, a device: nothing a compiler reads
	regular             // a file
	folder              // a directory
)

// racyWindow is longer than the tick of any file system clock in use for
// source code (FAT excepted, which ticks every two seconds).
const racyWindow = 50 * time.Millisecond

// same compares what the file system shows. Of a directory only its identity
// counts here: what is in it has stamps of its own.
func (a stamp) same(b stamp) bool {
	identical := a.kind == b.kind && a.inode == b.inode && a.device == b.device
	if a.kind == folder {
		return identical
	}
	return identical && a.size == b.size && a.mtime == b.mtime && a.ctime == b.ctime
}

// listed reports that a directory's entries are those of an earlier stamp.
func (a stamp) listed(b stamp) bool {
	return a.same(b) && a.mtime == b.mtime && a.ctime == b.ctime
}

// linked reports that a file with several names differs from an earlier stamp
// in its change time at most. Package managers that share a store link and
// unlink each other's files all the time.
func (a stamp) linked(b stamp) bool {
	return max(a.names, b.names) > 1 && a.mtime == b.mtime && a.size == b.size && a.kind == b.kind && a.inode == b.inode && a.device == b.device
}

// changed is when the state came about, in nanoseconds of the file system's
// clock. The change time, where there is one, cannot be set by anybody.
func (a stamp) changed() int64 {
	if a.ctime != 0 {
		return a.ctime
	}
	return a.mtime
}

// at notes when the stamp was taken.
func (a stamp) at(now time.Time) stamp {
	a.racy = now.UnixNano()-max(a.mtime, a.ctime) < int64(racyWindow)
	return a
}

var seed = maphash.MakeSeed()

// mostSummed bounds the contents that are hashed, in bytes; no compiler is
// asked about larger sources.
const mostSummed = 32 << 20

// sum hashes a file's contents; what cannot be read hashes to 0. The path may
// have become anything since it was looked at, so nothing is opened that could
// block and nothing is read without bound.
func sum(path string) uint64 {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(seed)
	if _, err := io.Copy(&h, io.LimitReader(f, mostSummed)); err != nil {
		return 0
	}
	return h.Sum64()
}
