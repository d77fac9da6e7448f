package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxReport is the largest report, in bytes of UTF-8, that goes out whole.
// Clients exist that end the session at a frame of 10 MiB, and escaping may
// double a text.
const MaxReport = 4 << 20

// fit makes out safe to send: its report valid UTF-8 and bounded, its
// structured content one JSON object on one line. What a tool got wrong becomes
// an error result that says so; it never becomes a broken frame.
func fit(out Output) Output {
	if out.Structured != nil {
		if !json.Valid(out.Structured) || !isObject(out.Structured) {
			out.Structured = nil
			out.IsError = true
			out.Report = strings.TrimSuffix("the tool returned structured content that is not a JSON object\n"+out.Report, "\n")
		} else {
			out.Structured = oneLine(out.Structured)
		}
	}
	out.Report = fitReport(out.Report)
	return out
}

// fitReport returns s as valid UTF-8 of at most MaxReport bytes. A longer text
// keeps its head and its tail, where verdict and summary stand, and says how
// much is missing between them.
func fitReport(s string) string {
	if len(s) <= MaxReport {
		if utf8.ValidString(s) {
			return s
		}
		// Replacing may make the text longer, hence the second look at its length.
		if s = validText(s); len(s) <= MaxReport {
			return s
		}
	}
	const half = MaxReport/2 - 128 // the notice fits into what is left
	head := headOf(validText(headOf(s, half)), half)
	tail := tailOf(validText(tailOf(s, half)), half)
	return head + fmt.Sprintf("\n[... the report is %d bytes long; its middle was left out, %d bytes are shown ...]\n",
		len(s), len(head)+len(tail)) + tail
}

func validText(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

// headOf returns at most n bytes of s from its start, cut between runes.
func headOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	// A rune has at most three bytes after its first; more continuation bytes
	// are garbage, and any cut is as good as another.
	for back := range utf8.UTFMax {
		if n-back >= 0 && utf8.RuneStart(s[n-back]) {
			return s[:n-back]
		}
	}
	return s[:n]
}

// tailOf returns at most n bytes of s from its end, cut between runes.
func tailOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for skip := range utf8.UTFMax {
		if at+skip < len(s) && utf8.RuneStart(s[at+skip]) {
			return s[at+skip:]
		}
	}
	return s[at:]
}

// oneLine returns valid JSON without line ends and with valid UTF-8 in its
// strings; text that has both already comes back as it is.
func oneLine(text json.RawMessage) json.RawMessage {
	if bytes.ContainsAny(text, "\r\n") {
		var b bytes.Buffer
		if err := json.Compact(&b, text); err == nil {
			text = b.Bytes()
		}
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte(string(utf8.RuneError)))
	}
	return text
}
