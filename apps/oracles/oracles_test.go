package oracles

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestServersTakeOneProcessorUnlessToldOtherwise(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })

	runtime.GOMAXPROCS(3) // as the runtime would, had it been started with this environment
	t.Setenv("GOMAXPROCS", "3")
	ShareMachine()
	assert.Equal(t, 3, runtime.GOMAXPROCS(0), "the environment wins")

	t.Setenv("GOMAXPROCS", "")
	ShareMachine()
	assert.Equal(t, 1, runtime.GOMAXPROCS(0))
}
