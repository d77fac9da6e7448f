//go:build !race

package workspace_test

// raceFactor is 1 where no race is looked for.
const raceFactor = 1
