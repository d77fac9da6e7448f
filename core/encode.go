package core

import (
	"strconv"
	"unicode/utf8"
)

// JSON-RPC error codes this server uses (MCP-CORE §1 p10, §2 p15).
const (
	codeParseError     = -32700
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
)

// Frames are appended by hand into a slice the session reuses: an encoder
// would allocate for every answer and walk a large report once more. Each
// function below yields one whole frame, newline included, and the newline at
// its end is the only one in it.

func appendResult(dst, id []byte, result string) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"result":`...)
	dst = append(dst, result...)
	return append(dst, "}\n"...)
}

func appendError(dst, id []byte, code int, message string) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, message)
	return append(dst, "}}\n"...)
}

// appendOutput writes a tool's result. out must have been through fit.
func appendOutput(dst, id []byte, out Output) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"result":{"content":[{"type":"text","text":`...)
	dst = appendString(dst, out.Report)
	dst = append(dst, `}],`...)
	if out.Structured != nil {
		dst = append(dst, `"structuredContent":`...)
		dst = append(dst, out.Structured...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"isError":`...)
	dst = strconv.AppendBool(dst, out.IsError)
	return append(dst, "}}\n"...)
}

func appendProgress(dst, token []byte, message string, done, total float64) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	dst = append(dst, token...)
	dst = append(dst, `,"progress":`...)
	dst = strconv.AppendFloat(dst, done, 'f', -1, 64)
	if total > 0 {
		dst = append(dst, `,"total":`...)
		dst = strconv.AppendFloat(dst, total, 'f', -1, 64)
	}
	if message != "" {
		dst = append(dst, `,"message":`...)
		dst = appendString(dst, message)
	}
	return append(dst, "}}\n"...)
}

func appendHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, id...)
	}
	return append(dst, ',')
}

const hexDigits = "0123456789abcdef"

// appendString writes s as a JSON string. A byte that is not UTF-8 becomes
// U+FFFD: a frame is valid UTF-8 whatever a tool was fed with.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	plain := 0 // s[plain:i] needs no escape and is not written yet
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[plain:i]...)
				dst = utf8.AppendRune(dst, utf8.RuneError)
				plain = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[plain:i]...)
		dst = appendEscape(dst, c)
		i++
		plain = i
	}
	dst = append(dst, s[plain:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// quoteForText quotes what a peer sent for use inside a message: valid UTF-8,
// no control characters, and short enough that a message stays one.
func quoteForText(s string) string {
	const most = 128
	if len(s) > most {
		return strconv.Quote(headOf(s, most)) + " (cut)"
	}
	return strconv.Quote(s)
}
