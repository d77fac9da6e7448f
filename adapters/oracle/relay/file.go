package relay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"vibevm.org/adapters/lsp"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/workspace"
)

// file is a path of the project, resolved.
type file struct {
	root string      // symlinks resolved
	abs  string      // symlinks resolved, inside the root
	rel  string      // root-relative, forward slashes
	info fs.FileInfo // nil when there is nothing at abs
}

// resolve finds the file a caller named: a path relative to the root, an
// absolute path or a file URI. Whatever form it has, the file must lie inside
// the root once symlinks and ".." are resolved. It need not exist.
func (r *Relay) resolve(name string) (file, error) {
	if name == "" {
		return file{}, fail(oracleproto.KindBadArguments, "pass the file's path relative to the project root", "file is empty")
	}
	if strings.ContainsRune(name, 0) {
		return file{}, fail(oracleproto.KindBadArguments, "pass the file's path relative to the project root", "file contains a NUL byte")
	}
	path := filepath.FromSlash(name)
	if strings.HasPrefix(name, "file:") {
		var err error
		if path, err = lsp.URIToPath(name); err != nil {
			return file{}, fail(oracleproto.KindBadArguments, "pass the file's path relative to the project root", "file is not a usable URI: %v", err)
		}
	}
	root, err := r.resolveRoot()
	if err != nil {
		return file{}, err
	}
	if f, ok := plain(root, path); ok {
		return f, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	real, err := resolveExisting(filepath.Clean(path), 0)
	if err != nil {
		return file{}, fail(oracleproto.KindFileUnreadable, "check the permissions of the path's directories", "%s cannot be resolved: %v", name, cause(err))
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return file{}, fail(oracleproto.KindOutsideRoot, "pass a path inside the project root, or start it with the directory that holds the file as its root", "%s lies outside the project root", name)
	}
	info, _ := os.Stat(real) // what is wrong with it is said by whoever reads it
	return file{root: root, abs: real, rel: filepath.ToSlash(rel), info: info}, nil
}

// plain resolves the usual case, a relative path to an existing file without
// any symlink on its way, at the cost of one look per element.
func plain(root, path string) (file, bool) {
	path = filepath.Clean(path)
	if !filepath.IsLocal(path) {
		return file{}, false
	}
	f := file{root: root, abs: root, rel: filepath.ToSlash(path)}
	for element := range strings.SplitSeq(f.rel, "/") {
		f.abs += string(filepath.Separator) + element
		info, err := os.Lstat(f.abs)
		if err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return file{}, false
		}
		f.info = info
	}
	return f, true
}

// resolveRoot resolves the root for every question: it may be created, removed
// or relinked while the relay runs. As long as the path leads to the same
// directory by the same name, one look is enough.
func (r *Relay) resolveRoot() (string, error) {
	if info, err := os.Stat(r.root); err == nil && r.rootInfo != nil && os.SameFile(info, r.rootInfo) {
		if here, err := os.Lstat(r.rootReal); err == nil && os.SameFile(info, here) {
			return r.rootReal, nil
		}
	}
	root, err := workspace.ResolveRoot(r.root)
	if unusable := (*workspace.RootError)(nil); errors.As(err, &unusable) {
		return "", fail(oracleproto.KindRootMissing, unusable.Fix(), "%s", unusable.Error())
	}
	if err == nil {
		r.rootReal = root
		r.rootInfo, err = os.Stat(root)
	}
	return root, err
}

// maxLinks bounds a chain of symlinks, as the kernel does.
const maxLinks = 40

// resolveExisting resolves the symlinks of the longest existing prefix of a
// clean absolute path and keeps the rest. A dangling symlink is followed to
// where it points, so that it cannot smuggle a path out of the root.
func resolveExisting(path string, links int) (string, error) {
	if links > maxLinks {
		return "", errors.New("too many levels of symbolic links")
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !missing(err) {
		return real, err
	}
	if target, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		return resolveExisting(filepath.Clean(target), links+1)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	if parent, err = resolveExisting(parent, links); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// missing reports that a path does not exist; "file.ts/x" counts as such.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// maxText bounds the text of one file, in bytes.
const maxText = 32 << 20

// readDisk returns the file's text as the language's compiler would decode it.
// The path may have become anything since it was resolved: opening must not
// block, and reading ends at the limit.
func (l Language) readDisk(f file) (string, error) {
	if f.info == nil {
		return "", fail(oracleproto.KindFileMissing, "check the path and the project root, or bring the text you mean to write as content", "there is no file %s in the project root %s, and no content came with the question", f.rel, f.root)
	}
	opened, err := os.OpenFile(f.abs, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", unreadable(f, err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return "", unreadable(f, err)
	}
	f.info = info
	if err := mustBeRegular(f); err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(opened, maxText+1))
	switch {
	case err != nil:
		return "", unreadable(f, err)
	case len(b) > maxText:
		return "", tooLarge(f, max(info.Size(), int64(len(b))))
	case l.UTF8 && !utf8.Valid(b):
		return "", notUTF8(f, b)
	}
	return checkText(f, decode(b))
}

// notUTF8 refuses a file that the compiler refuses for its encoding.
func notUTF8(f file, b []byte) error {
	valid := 0
	for r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(b[valid:]) {
		valid += size
	}
	line := 1 + bytes.Count(b[:valid], []byte("\n"))
	return fail(oracleproto.KindNotText, "convert it, for example: iconv -f latin1 -t utf-8 "+f.rel, "%s is not valid UTF-8, which the compiler needs: line %d has the byte 0x%02X", f.rel, line, b[valid])
}

func unreadable(f file, err error) error {
	return fail(oracleproto.KindFileUnreadable, "check the file's permissions", "%s cannot be read: %v", f.rel, cause(err))
}

// mustBeRegular refuses paths that exist as something a compiler cannot read.
func mustBeRegular(f file) error {
	switch {
	case f.info == nil || f.info.Mode().IsRegular():
		return nil
	case f.info.IsDir():
		return fail(oracleproto.KindNotAFile, "pass the path of a source file", "%s is a directory", f.rel)
	}
	return fail(oracleproto.KindNotAFile, "pass the path of a source file", "%s is not a regular file", f.rel)
}

// checkText refuses what is no source text and strips a byte order mark, which
// would shift the first line's columns.
func checkText(f file, text string) (string, error) {
	if len(text) > maxText {
		return "", tooLarge(f, int64(len(text)))
	}
	if strings.ContainsRune(text, 0) {
		return "", fail(oracleproto.KindNotText, "pass a source file, or its text as content", "%s is binary: it contains NUL bytes", f.rel)
	}
	return strings.TrimPrefix(text, "\ufeff"), nil
}

func tooLarge(f file, size int64) error {
	return fail(oracleproto.KindTooLarge, fmt.Sprintf("ask about a file of at most %d MiB", maxText>>20), "%s has %d bytes", f.rel, size)
}

// supported refuses files the language's compiler does not take.
func (r *Relay) supported(f file) error {
	if r.language.takes(f.rel) {
		return nil
	}
	return fail(oracleproto.KindFileUnsupported, "ask about one of "+strings.Join(r.language.Extensions, " "), "%s is no %s source file", f.rel, r.language.Name)
}

// takes reports whether the language's compiler reads files of this name.
func (l Language) takes(name string) bool {
	return len(l.Extensions) == 0 || slices.Contains(l.Extensions, strings.ToLower(filepath.Ext(name)))
}

// fail builds a refusal.
func fail(kind oracleproto.Kind, recipe, detail string, args ...any) *oracleproto.Error {
	return &oracleproto.Error{Kind: kind, Detail: fmt.Sprintf(detail, args...), Recipe: recipe}
}

// cause drops the path that os errors repeat.
func cause(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
