//go:build race

package workspace_test

// raceFactor is how much slower the race detector may make things.
const raceFactor = 10
