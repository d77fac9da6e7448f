package lsp

import (
	"fmt"
	"runtime"
	"strings"
)

// PathToURI is the file URI of an absolute path of this operating system
// (RFC 8089). Everything but unreserved characters is percent-encoded; bytes
// that are no UTF-8 survive the round trip.
func PathToURI(path string) string { return pathToURI(path, runtime.GOOS == "windows") }

// URIToPath is the absolute path a file URI names on this operating system. On
// Windows it accepts the spellings met in the wild (file:///C:/x,
// file:///c%3A/x, file://C:\x, file://server/share/x) and writes the drive
// letter in upper case, so that paths from different servers compare equal.
func URIToPath(uri string) (string, error) { return uriToPath(uri, runtime.GOOS == "windows") }

func pathToURI(path string, windows bool) string {
	var b strings.Builder
	b.WriteString("file://")
	if windows {
		path = strings.ReplaceAll(trimVerbatim(path), `\`, "/")
		switch {
		case strings.HasPrefix(path, "//"): // UNC: the server is the authority
			path = path[2:]
		case hasDrive(path):
			b.WriteString("/" + path[:2])
			path = path[2:]
		}
	}
	const hex = "0123456789ABCDEF"
	for i := range len(path) {
		if c := path[i]; c == '/' || unreserved(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// trimVerbatim removes the \\?\ prefix that switches off Windows path parsing.
func trimVerbatim(path string) string {
	if rest, ok := strings.CutPrefix(path, `\\?\UNC\`); ok {
		return `\\` + rest
	}
	return strings.TrimPrefix(path, `\\?\`)
}

func uriToPath(uri string, windows bool) (string, error) {
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok || !strings.EqualFold(scheme, "file") {
		return "", fmt.Errorf("%.80q is no file URI", uri)
	}
	if strings.ContainsAny(rest, "?#") {
		return "", fmt.Errorf("%.80q has an unescaped ? or #; write %%3F or %%23", uri)
	}
	if windows {
		rest = strings.ReplaceAll(rest, `\`, "/")
	}
	path, err := unescape(rest)
	if err != nil {
		return "", fmt.Errorf("%.80q: %w", uri, err)
	}
	host := ""
	if after, ok := strings.CutPrefix(path, "//"); ok {
		slash := strings.IndexByte(after, '/')
		if slash < 0 {
			slash = len(after)
		}
		host, path = after[:slash], after[slash:]
	}
	if windows && hasDrive(host) { // file://C:/x, a common slip
		host, path = "", "/"+host+path
	}
	if strings.EqualFold(host, "localhost") {
		host = ""
	}
	if !strings.HasPrefix(path, "/") {
		return "", fmt.Errorf("%.80q has no absolute path", uri)
	}
	if !windows {
		if host != "" {
			return "", fmt.Errorf("%.80q names the host %q; only local files can be read", uri, host)
		}
		return path, nil
	}
	switch {
	case host != "":
		path = "//" + host + path
	case hasDrive(path[1:]):
		path = strings.ToUpper(path[1:2]) + path[2:]
	default:
		return "", fmt.Errorf("%.80q has no drive letter", uri)
	}
	return strings.ReplaceAll(path, "/", `\`), nil
}

// unescape decodes %XX. It differs from net/url in keeping "+" and in refusing
// an encoded NUL, which no path contains.
func unescape(s string) (string, error) {
	if !strings.ContainsAny(s, "%\x00") {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) {
				return "", fmt.Errorf("the percent-encoding %q is cut off", s[i:])
			}
			hi, ok1 := unhex(s[i+1])
			lo, ok2 := unhex(s[i+2])
			if !ok1 || !ok2 {
				return "", fmt.Errorf("the percent-encoding %q is malformed", s[i:i+3])
			}
			c, i = hi<<4|lo, i+2
		}
		if c == 0 {
			return "", fmt.Errorf("a path cannot contain NUL")
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func unreserved(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// hasDrive reports a leading drive such as "C:" that ends there or at a slash.
func hasDrive(path string) bool {
	return len(path) >= 2 && isLetter(path[0]) && path[1] == ':' && (len(path) == 2 || path[2] == '/')
}
