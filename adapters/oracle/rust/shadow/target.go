package shadow

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// measureEvery is after how many runs the size of a target directory is
// looked at again.
const measureEvery = 100

// limit starts a shadow afresh whose target directory has grown over its
// bound, in bytes: cargo never removes what it no longer needs.
func (s *shadow) limit(most int64) error {
	if s.since--; s.since >= 0 {
		return nil
	}
	s.since = measureEvery
	if sizeOf(s.target) > most {
		return s.renew()
	}
	return nil
}

// makeTarget makes the target directory if it is not there.
func (s *shadow) makeTarget(ctx context.Context, most int64, p *project, r *run) error {
	if _, err := os.Stat(s.target); err == nil {
		return nil
	}
	r.enter(func() string { return "what the project's own cargo check has compiled is being copied" })
	if err := os.Mkdir(s.target, 0o755); err != nil {
		return unavailable(err)
	}
	if err := seed(ctx, p.target, s.target, most); err != nil {
		// Without the copy cargo compiles the dependencies itself.
		if err := os.RemoveAll(s.target); err != nil {
			return unavailable(err)
		}
		return ctx.Err()
	}
	return nil
}

// Reasons why nothing was copied.
var (
	errBusy     = errors.New("the user's target directory is in use or has no builds")
	errTooLarge = errors.New("the user's target directory is too large to copy")
)

func sizeOf(dir string) int64 {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// seed copies what the user's cargo has compiled of the dependencies, so that
// the first run need not. They are copies and not hard links, because cargo
// rewrites such files in place. The user's own crates have other names in the
// shadow and cost only space.
func seed(ctx context.Context, from, to string, most int64) error {
	from, to = filepath.Join(from, "debug"), filepath.Join(to, "debug")
	before, ok := settled(from)
	if !ok {
		return errBusy
	}
	for _, dir := range []string{".fingerprint", "build", "deps"} {
		err := filepath.WalkDir(filepath.Join(from, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			rel, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			switch {
			case entry.IsDir():
				return os.MkdirAll(filepath.Join(to, rel), 0o755)
			case !entry.Type().IsRegular() || dir == "deps" && !forCheck(entry.Name()):
				return nil
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if most -= info.Size(); most < 0 {
				return errTooLarge
			}
			return copyFile(path, filepath.Join(to, rel), info)
		})
		if err != nil {
			return err
		}
	}
	if after, ok := settled(from); !ok || after != before {
		return errBusy
	}
	return nil
}

// forCheck reports the files of deps/ that cargo check reads: metadata,
// procedural macros with the libraries they are linked from, and lists of
// sources.
func forCheck(name string) bool {
	switch filepath.Ext(name) {
	case ".rmeta", ".rlib", ".d", ".so", ".dylib", ".dll":
		return !strings.HasPrefix(name, ".")
	}
	return false
}

// settled reports that no cargo writes to a directory of the user's target,
// and the state in which that was so.
func settled(dir string) (state digest, ok bool) {
	free, err := unlocked(filepath.Join(dir, ".cargo-lock"))
	if err != nil || !free {
		return digest{}, false
	}
	var text []byte
	for _, name := range []string{".fingerprint", "build", "deps"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return digest{}, false
		}
		d := digestOfInfo(info)
		text = append(text, d[:]...)
	}
	return digestOfText(text), true
}

// copyFile copies a file with its modification time, which cargo compares.
// On file systems that can share blocks between files, the system does.
func copyFile(from, to string, info fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
