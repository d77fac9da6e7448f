package shadow

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
)

// inputs are the states of the files on disk that an answer depends on, by
// absolute path.
type inputs struct {
	files map[string]digest
	// partial is set when there are more files than are looked at. Such inputs
	// prove nothing.
	partial bool
}

// digest identifies a file's content; the zero digest is that of no file.
type digest [16]byte

// MarshalText writes the digest in hexadecimal.
func (d digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *digest) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(d[:], text); err != nil || n != len(d) {
		return fmt.Errorf("%q is no digest", text)
	}
	return nil
}

// mostHashed is the size in bytes up to which a content itself is compared.
// Larger files are data; their size and modification time stand for them.
const mostHashed = 1 << 20

func newInputs() inputs { return inputs{files: map[string]digest{}} }

func (in inputs) equal(other inputs) bool {
	return !in.partial && !other.partial && maps.Equal(in.files, other.files)
}

// digestOf reads a file through links. What cannot be read has the zero
// digest.
func digestOf(path string) digest {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // opening anything else could block
		return digest{}
	}
	if info.Size() > mostHashed {
		return digestOfInfo(info)
	}
	f, err := os.Open(path)
	if err != nil {
		return digest{}
	}
	defer f.Close()
	// One byte more than the file should have, to meet its end in one go.
	text := make([]byte, info.Size()+1)
	n, err := io.ReadFull(f, text)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return digest{}
	}
	return digestOfText(text[:n])
}

func digestOfText(text []byte) digest {
	sum := sha256.Sum256(text)
	return digest(sum[:len(digest{})])
}

func digestOfInfo(info fs.FileInfo) digest {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(info.Size()))
	binary.BigEndian.PutUint64(b[8:], uint64(info.ModTime().UnixNano()))
	return digestOfText(b[:])
}
