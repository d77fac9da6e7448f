package capture_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// modeVariable makes the test binary play a part of its own: see crash_test.go
// and capture_test.go.
const modeVariable = "CAPTURE_TEST_MODE"

func TestMain(m *testing.M) {
	switch os.Getenv(modeVariable) {
	case "crash":
		crashDuringCapture()
	case "late":
		writeLate()
	default:
		goleak.VerifyTestMain(m)
	}
}
