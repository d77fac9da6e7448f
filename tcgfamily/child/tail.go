package child

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxTail bounds Process.StderrTail, in bytes.
const MaxTail = 8 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu      sync.Mutex
	buf     []byte // the last MaxTail bytes at least, 2*MaxTail at most
	dropped bool   // something before buf is gone
}

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if n > MaxTail {
		b = b[n-MaxTail:]
		t.buf, t.dropped = t.buf[:0], true
	}
	if over := len(t.buf) + len(b) - 2*MaxTail; over > 0 {
		keep := MaxTail - len(b)
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-keep:]...)
		t.dropped = true
	}
	t.buf = append(t.buf, b...)
	return n, nil
}

// String is the tail as text.
func (t *tail) String() string {
	t.mu.Lock()
	raw, dropped := string(t.buf), t.dropped
	t.mu.Unlock()
	// Replacement characters are longer than the bytes they stand for: cut
	// after replacing.
	text := strings.ToValidUTF8(raw, string(utf8.RuneError))
	if over := len(text) - MaxTail; over > 0 {
		for over < len(text) && !utf8.RuneStart(text[over]) {
			over++
		}
		text, dropped = text[over:], true
	}
	if dropped {
		// The first line lost its beginning. A single huge line is better
		// shown in part than not at all.
		if _, rest, found := strings.Cut(text, "\n"); found && rest != "" {
			text = rest
		}
	}
	return text
}
