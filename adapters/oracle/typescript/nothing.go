package typescript

import "strconv"

// What an empty answer says. It is the compiler's answer, not the want of one.

// nothingThere is the advice of a type that is asked for on a blank spot.
const nothingThere = "nothing with a type is at this position; point at a name, such as at its first character"

// nothingFits is the advice of a list of completions without entries.
func nothingFits(prefix string) string {
	if prefix == "" {
		return "nothing can be completed at this position; ask right behind a dot or where a name, a key or a value of a known type is expected"
	}
	return "nothing that begins with " + strconv.Quote(prefix) + " fits at this position; ask with a shorter prefix, or with none for all that fits"
}
