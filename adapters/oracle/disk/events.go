package disk

// watching is what came of the wish to hear of a directory's events.
type watching int

const (
	heard   watching = iota // events will tell
	absent                  // there is no such directory any more
	unheard                 // events of this file system cannot be trusted
	crowded                 // no watches are left
)
