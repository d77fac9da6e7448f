package slotbinary

import (
	"context"
	"time"
)

// lockPoll is how often a taken lock is tried again. The systems' blocking
// calls cannot be interrupted, so a cancelled build would wait on.
const lockPoll = 50 * time.Millisecond

// lockFile takes the lock that a file stands for, creating the file, and
// returns what gives it back. waiting is called once when another holds it.
// The system takes the lock from a process that dies.
func lockFile(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	unlock, err = tryLock(path)
	if err != nil || unlock != nil {
		return unlock, err
	}
	waiting()
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
			if unlock, err = tryLock(path); err != nil || unlock != nil {
				return unlock, err
			}
		}
	}
}
