package core

// The functions below check JSON text and find where its values end in one
// pass. encoding/json can check (json.Valid) or take apart, but not both at
// once, and the check alone takes longer than all the rest of an answer.
// FuzzScan holds them to json.Valid: what it refuses, they refuse, and nothing
// else.
//
// Each returns the index after what it scanned, or malformed.
const malformed = -1

// mostNested is how deep arrays and objects may nest; encoding/json's limit.
const mostNested = 10000

// scanValue scans the value that starts at i, which is inside depth arrays and
// objects.
func scanValue(b []byte, i, depth int) int {
	switch c := at(b, i); {
	case c == '"':
		return scanString(b, i)
	case c == '{':
		return scanObject(b, i, depth+1)
	case c == '[':
		return scanArray(b, i, depth+1)
	case c == '-' || isDigit(c):
		return scanNumber(b, i)
	case c == 't':
		return scanWord(b, i, "true")
	case c == 'f':
		return scanWord(b, i, "false")
	case c == 'n':
		return scanWord(b, i, "null")
	}
	return malformed
}

func scanObject(b []byte, i, depth int) int {
	if depth > mostNested {
		return malformed
	}
	i = skipSpace(b, i+1)
	if at(b, i) == '}' {
		return i + 1
	}
	for {
		if _, _, i = scanMember(b, i, depth); i == malformed {
			return malformed
		}
		i = skipSpace(b, i)
		switch at(b, i) {
		case ',':
			i = skipSpace(b, i+1)
		case '}':
			return i + 1
		default:
			return malformed
		}
	}
}

// scanMember scans `"key": value` of an object at this depth. It returns where
// the key ends, and where the value starts and ends.
func scanMember(b []byte, i, depth int) (keyEnd, val, end int) {
	if at(b, i) != '"' {
		return 0, 0, malformed
	}
	if keyEnd = scanString(b, i); keyEnd == malformed {
		return 0, 0, malformed
	}
	i = skipSpace(b, keyEnd)
	if at(b, i) != ':' {
		return 0, 0, malformed
	}
	val = skipSpace(b, i+1)
	return keyEnd, val, scanValue(b, val, depth)
}

func scanArray(b []byte, i, depth int) int {
	if depth > mostNested {
		return malformed
	}
	i = skipSpace(b, i+1)
	if at(b, i) == ']' {
		return i + 1
	}
	for {
		if i = scanValue(b, i, depth); i == malformed {
			return malformed
		}
		i = skipSpace(b, i)
		switch at(b, i) {
		case ',':
			i = skipSpace(b, i+1)
		case ']':
			return i + 1
		default:
			return malformed
		}
	}
}

// scanString scans a string. Bytes that are not UTF-8 pass, as they do in
// encoding/json; whoever decodes the string replaces them.
func scanString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			i++
			switch at(b, i) {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					i++
					if !isHex(at(b, i)) {
						return malformed
					}
				}
			default:
				return malformed
			}
		case c < ' ':
			return malformed
		}
	}
	return malformed
}

func scanNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch c := at(b, i); {
	case c == '0':
		i++
	case isDigit(c):
		i = skipDigits(b, i)
	default:
		return malformed
	}
	if at(b, i) == '.' {
		if i++; !isDigit(at(b, i)) {
			return malformed
		}
		i = skipDigits(b, i)
	}
	if c := at(b, i); c == 'e' || c == 'E' {
		i++
		if c := at(b, i); c == '+' || c == '-' {
			i++
		}
		if !isDigit(at(b, i)) {
			return malformed
		}
		i = skipDigits(b, i)
	}
	return i
}

func scanWord(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return malformed
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// at returns the byte at i, or 0, which no JSON text holds outside a string and
// no string may hold bare.
func at(b []byte, i int) byte {
	if i < len(b) {
		return b[i]
	}
	return 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
