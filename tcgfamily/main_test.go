package tcgfamily_test

import (
	"testing"

	"vibevm.org/tcgfamily/tcgtest"
)

func TestMain(m *testing.M) { tcgtest.Main(m) }
