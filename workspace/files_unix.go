//go:build unix

package workspace

import "syscall"

// openWithoutBlocking keeps the opening of a FIFO from waiting for its other
// end.
const openWithoutBlocking = syscall.O_NONBLOCK
