package typescript

import (
	"fmt"
	"path/filepath"
	"strconv"

	"vibevm.org/adapters/oracle/typescript/native"
	"vibevm.org/tcgfamily/oracleproto"
)

// What an answer says of itself that is empty or lacks something. An empty one is
// the compiler's answer, not the want of one.

// nothingThere is the advice of a type that is asked for on a blank spot.
const nothingThere = "nothing with a type is at this position; point at a name, such as at its first character"

// nothingFits is the advice of a list of completions without entries.
func nothingFits(prefix string) string {
	if prefix == "" {
		return "nothing can be completed at this position; ask right behind a dot or where a name, a key or a value of a known type is expected"
	}
	return "nothing that begins with " + strconv.Quote(prefix) + " fits at this position; ask with a shorter prefix, or with none for all that fits"
}

// manyNames is the advice of a scope with more names than are given types.
func manyNames(n int) string {
	return fmt.Sprintf("%d names are in scope; the first %d by name carry their types, ask tcg_type for others", n, native.MaxTyped)
}

// noScope refuses to look for names where there are none.
func noScope(path string) error {
	return &oracleproto.Error{
		Kind:   oracleproto.KindFileUnsupported,
		Detail: filepath.Base(path) + " is JSON, in which no names are in scope",
		Recipe: "ask about a file with code, such as one that imports it",
	}
}
