package mcppipe

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryKindOfBadLineIsAViolation(t *testing.T) {
	for _, line := range []string{
		``,
		`hello`,
		`42`,
		`[]`,
		`{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}`,
		`{"id":1,"result":{}}`,
		`{"jsonrpc":"1.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","result":{}}`,
		`{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"error":null}`,
		`{"jsonrpc":"2.0","id":1,"error":"x"}`,
		`{"jsonrpc":"2.0","id":null,"result":{}}`,
		`{"jsonrpc":"2.0","method":7}`,
		`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xff\"}}",
	} {
		_, err := parseFrame([]byte(line))
		assert.Error(t, err, "%q", line)
	}
}

func TestGoodLinesAreFrames(t *testing.T) {
	answer, err := parseFrame([]byte(`{"jsonrpc":"2.0","id":1.50,"result":{"a":1}}`))
	require.NoError(t, err)
	assert.Equal(t, "1.50", answer.ID, "the id's bytes, as they came")
	assert.JSONEq(t, `{"a":1}`, string(answer.Result))

	failure, err := parseFrame([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`))
	require.NoError(t, err)
	assert.Equal(t, "null", failure.ID)
	assert.Equal(t, -32700, failure.Error.Code)

	notification, err := parseFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`))
	require.NoError(t, err)
	assert.Empty(t, notification.ID)
	assert.Equal(t, "notifications/progress", notification.Method)
}

func TestToolResultsHaveOneTextBlock(t *testing.T) {
	result, err := ParseToolResult([]byte(`{"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1},"isError":true}`))
	require.NoError(t, err)
	assert.Equal(t, "t", result.Text)
	assert.True(t, result.IsError)
	for _, raw := range []string{`{}`, `{"content":[]}`, `{"content":[{"type":"image"}]}`, `{"content":[{"type":"text","text":"t"}],"structuredContent":[]}`, `7`} {
		_, err := ParseToolResult([]byte(raw))
		assert.Error(t, err, raw)
	}
}
