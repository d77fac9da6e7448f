package shadow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"vibevm.org/adapters/oracle/rust/shadow"
)

// roleEnv makes the test binary one process that asks one question: the value
// is the question as JSON.
const roleEnv = "TCG_TEST_QUESTION"

// question is asked by a process of its own, which prints the result or the
// error as JSON.
type question struct {
	Options shadow.Options
	Request shadow.Request
}

func TestMain(m *testing.M) {
	if text := os.Getenv(roleEnv); text != "" {
		ask(text)
	}
	goleak.VerifyTestMain(m)
}

func ask(text string) {
	var q question
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := prepareProcess(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	c := shadow.New(q.Options)
	result, err := c.Check(context.Background(), q.Request)
	_ = c.Close()
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(err)
	} else {
		_ = json.NewEncoder(os.Stdout).Encode(result)
	}
	os.Exit(0)
}
