package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// stamp is a modification time in nanoseconds.
type stamp int64

func stampOf(info fs.FileInfo) stamp { return stamp(info.ModTime().UnixNano()) }

func (s stamp) after(other stamp) bool { return s > other }

// clock reads the time from the file system that the shadow is on, because
// that is the one cargo compares with. It never goes back.
type clock struct {
	path string // a file whose modification time is now
	now  stamp
}

// openClock goes on from where an earlier process stopped.
func openClock(path string) (*clock, error) {
	c := &clock{path: path}
	info, err := os.Stat(path)
	switch {
	case err == nil:
		c.now = stampOf(info)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return c, nil
}

// tick moves on to the present.
func (c *clock) tick() error {
	// The byte makes file systems note a change.
	if err := os.WriteFile(c.path, []byte{'\n'}, 0o644); err != nil {
		return err
	}
	info, err := os.Stat(c.path)
	if err != nil {
		return err
	}
	if present := stampOf(info); present.after(c.now) {
		c.now = present
		return nil
	}
	return setStamp(c.path, c.now) // the system's clock was set back
}

// stampLater makes sure that a file just written is later than now, and with
// it later than every compilation so far. File system clocks tick coarsely.
func (c *clock) stampLater(path string) error {
	for _, step := range []time.Duration{0, time.Millisecond, 2 * time.Second} {
		if step > 0 {
			if err := setStamp(path, c.now+stamp(step)); err != nil {
				return err
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if stampOf(info).after(c.now) {
			return nil
		}
	}
	return fmt.Errorf("%s does not take a modification time", path)
}

func setStamp(path string, s stamp) error {
	t := time.Unix(0, int64(s))
	return os.Chtimes(path, t, t)
}
