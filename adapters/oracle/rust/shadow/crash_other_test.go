//go:build !linux

package shadow_test

// prepareProcess has nothing to do here.
func prepareProcess() error { return nil }
