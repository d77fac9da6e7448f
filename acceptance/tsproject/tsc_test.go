package tsproject

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTscOutputIsRead(t *testing.T) {
	found, err := parse([]byte(`src/a.ts(3,5): error TS2322: Type 'a' is not assignable to type 'b'.
  Type 'c' is not assignable to type 'd'.
    And so on.
src/b(1).tsx(1,1): error TS1005: ';' expected.
error TS5023: Unknown compiler option 'x'.
`))
	require.NoError(t, err)
	assert.Equal(t, []Diagnostic{
		{"src/a.ts", 3, 4, 2322, "Type 'a' is not assignable to type 'b'.\n  Type 'c' is not assignable to type 'd'.\n    And so on."},
		{"src/b(1).tsx", 1, 0, 1005, "';' expected."},
		{"", 0, 0, 5023, "Unknown compiler option 'x'."},
	}, found)

	none, err := parse(nil)
	require.NoError(t, err)
	assert.Empty(t, none)

	_, err = parse([]byte("Segmentation fault\n"))
	assert.Error(t, err)
}
