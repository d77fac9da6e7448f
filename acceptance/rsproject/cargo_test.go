package rsproject

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCargosOutputIsRead(t *testing.T) {
	found, finished, err := parse([]byte(`{"reason":"compiler-artifact","package_id":"a"}
{"reason":"compiler-message","message":{"message":"mismatched types\nmore","level":"error","code":{"code":"E0308"},"spans":[
{"file_name":"src/b.rs","line_start":9,"column_start":1,"is_primary":false,"text":[]},
{"file_name":"src/a.rs","line_start":3,"column_start":4,"is_primary":true,"text":[{"text":"é💡 x"}]}]}}
{"reason":"compiler-message","message":{"message":"unused","level":"warning","code":null,"spans":[{"file_name":"src/a.rs","line_start":1,"column_start":1,"is_primary":true,"text":[{"text":"x"}]}]}}
{"reason":"compiler-message","message":{"message":"aborting due to 1 previous error","level":"error","code":null,"spans":[]}}
{"reason":"compiler-message","message":{"message":"for more information","level":"failure-note","code":null,"spans":[]}}
{"reason":"build-finished","success":false}
`))
	require.NoError(t, err)
	assert.True(t, finished)
	assert.Equal(t, []Diagnostic{
		{"src/a.rs", 3, 4, "E0308", "error", "mismatched types"},
		{"src/a.rs", 1, 0, "", "warning", "unused"},
	}, found)

	_, finished, err = parse(nil)
	require.NoError(t, err)
	assert.False(t, finished)
	_, _, err = parse([]byte("Segmentation fault\n"))
	assert.Error(t, err)
}
