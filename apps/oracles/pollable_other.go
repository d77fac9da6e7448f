//go:build !unix

package oracles

import "os"

// pollable returns the file as it is: pipes here have no other form.
func pollable(f *os.File) *os.File { return f }
