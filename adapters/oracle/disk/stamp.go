package disk

import (
	"hash/maphash"
	"os"
	"time"
)

// stamp identifies a file's state as the file system shows it.
type stamp struct {
	size         int64
	mtime, ctime int64 // nanoseconds
	inode        uint64
	names        uint64 // hard links to the file

	// racy marks a stamp taken so soon after the modification time that a
	// later write could leave it unchanged: file system clocks tick coarsely.
	// The state is then told apart by sum, the hash of the contents.
	racy bool
	sum  uint64
}

// racyWindow is longer than the tick of any file system clock in use for
// source code (FAT excepted, which ticks every two seconds).
const racyWindow = 50 * time.Millisecond

// same compares what the file system shows.
func (a stamp) same(b stamp) bool {
	return a.size == b.size && a.mtime == b.mtime && a.ctime == b.ctime && a.inode == b.inode
}

// at notes when the stamp was taken.
func (a stamp) at(now time.Time) stamp {
	a.racy = now.UnixNano()-max(a.mtime, a.ctime) < int64(racyWindow)
	return a
}

var seed = maphash.MakeSeed()

// sum hashes a file's contents; an unreadable file hashes to 0.
func sum(path string) uint64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return maphash.Bytes(seed, b)
}
