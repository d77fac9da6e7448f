package core_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
	"vibevm.org/core/coretest"
)

// answerTo returns the result member of the answer to a call whose tool returns
// out.
func answerTo(t testing.TB, out core.Output) (result struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
},
) {
	t.Helper()
	tool := coretest.Func("t", noArguments, func(context.Context, json.RawMessage) (core.Output, error) { return out, nil })
	r := coretest.NewReplay(call("1", "t", "{}"))
	require.NoError(t, newServer(t, tool).Serve(t.Context(), r))
	require.Len(t, r.Frames(), 1)
	brief(t, r.Frames()[0])
	var frame struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(r.Frames()[0]), &frame))
	require.NoError(t, json.Unmarshal(frame.Result, &result))
	return result
}

func TestReportSurvivesWhatJSONMustEscape(t *testing.T) {
	var all strings.Builder
	for r := range rune(0x250) {
		all.WriteRune(r)
	}
	all.WriteString("\u2028\u2029\ufffd\U0001F600</script>&")
	require.Equal(t, all.String(), answerTo(t, core.Output{Report: all.String()}).Content[0].Text)
}

func TestReportIsMadeValidUTF8(t *testing.T) {
	require.Equal(t, "a\ufffdb", answerTo(t, core.Output{Report: "a\xff\xfeb"}).Content[0].Text)
}

func TestReportOverTheLimitIsCut(t *testing.T) {
	got := answerTo(t, core.Output{Report: "HEAD" + strings.Repeat("x", core.MaxReport) + "TAIL"}).Content[0].Text
	require.LessOrEqual(t, len(got), core.MaxReport)
	require.Contains(t, got, "its middle was left out")
}

func TestStructuredContentIsSentBesideTheReport(t *testing.T) {
	got := answerTo(t, core.Output{Report: "text", Structured: json.RawMessage(`{"n":9007199254740993,"s":"<&>"}`), IsError: true})
	require.Equal(t, `{"n":9007199254740993,"s":"<&>"}`, string(got.StructuredContent))
	require.True(t, got.IsError)
	require.Equal(t, "text", got.Content[0].Text)
}

func TestStructuredContentOnSeveralLinesIsPutOnOne(t *testing.T) {
	got := answerTo(t, core.Output{Structured: json.RawMessage("{\r\n \"a\": [\n1 ]}\n")})
	require.Equal(t, `{"a":[1]}`, string(got.StructuredContent))
}

func TestStructuredContentIsMadeValidUTF8(t *testing.T) {
	got := answerTo(t, core.Output{Structured: json.RawMessage("{\"a\":\"\xff\"}")})
	require.Equal(t, "{\"a\":\"\ufffd\"}", string(got.StructuredContent))
}

func TestNoStructuredContentLeavesTheMemberOut(t *testing.T) {
	require.Nil(t, answerTo(t, core.Output{Report: "text"}).StructuredContent)
}

func TestStructuredContentThatIsNoObjectIsAnErrorResult(t *testing.T) {
	for _, bad := range []string{``, `{`, `[1]`, `null`, `"x"`, `{}{}`, "{\"a\":\"\n\"}", `}`} {
		got := answerTo(t, core.Output{Report: "the report", Structured: json.RawMessage(bad)})
		require.True(t, got.IsError, bad)
		require.Nil(t, got.StructuredContent, bad)
		require.Contains(t, got.Content[0].Text, "not a JSON object", bad)
		require.Contains(t, got.Content[0].Text, "the report", bad)
	}
}
