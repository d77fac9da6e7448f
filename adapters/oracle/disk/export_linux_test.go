package disk

// Crowd lets a Watch, before its Baseline has ended, watch no more than n
// directories of packages by events.
func Crowd(n int) (restore func()) {
	before := mostPackages
	mostPackages = n
	return func() { mostPackages = before }
}
