package main

import "vibevm.org/core"

// strays are for the tests of descriptors and signals, which are Unix's.
func strays() []core.Tool { return nil }
