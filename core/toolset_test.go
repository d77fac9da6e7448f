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

// described is a tool that is nothing but its descriptor.
type described core.Descriptor

func (d described) Descriptor() core.Descriptor { return core.Descriptor(d) }

func (d described) Run(context.Context, json.RawMessage) (core.Output, error) {
	return core.Output{Report: d.Description}, nil
}

func list(t testing.TB, tools ...core.Tool) string {
	t.Helper()
	set, err := core.NewToolSet(tools...)
	require.NoError(t, err)
	r := coretest.NewReplay(coretest.Line(`{"id":1,"method":"tools/list"}`))
	require.NoError(t, core.NewServer(core.Info{}, set, nil).Serve(t.Context(), r))
	brief(t, r.Output())
	return r.Output()
}

func TestToolListIsSortedAndVerbatim(t *testing.T) {
	schema := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"a<b":{"const":1.0}},"additionalProperties":false}`
	got := list(t,
		described{Name: "b", Description: "says \"b\"", InputSchema: json.RawMessage(noArguments)},
		described{Name: "a", Title: "A tool", Description: "a & <b>", InputSchema: json.RawMessage(schema), Annotations: &core.Annotations{ReadOnlyHint: true}},
		described{Name: "B-2_x.y", InputSchema: json.RawMessage("{\n  \"type\": \"object\"\n}\n")},
	)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+
		`{"name":"B-2_x.y","description":"","inputSchema":{"type":"object"}},`+
		`{"name":"a","title":"A tool","description":"a & <b>","inputSchema":`+schema+`,`+
		`"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}},`+
		`{"name":"b","description":"says \"b\"","inputSchema":{"type":"object"}}]}}`+"\n", got)
}

func TestEmptyToolListIsAnArray(t *testing.T) {
	require.Contains(t, list(t), `"result":{"tools":[]}`)
}

func TestLastRegistrationOfANameWins(t *testing.T) {
	set, err := core.NewToolSet(
		described{Name: "a", Description: "first", InputSchema: json.RawMessage(noArguments)},
		described{Name: "a", Description: "second", InputSchema: json.RawMessage(noArguments)})
	require.NoError(t, err)
	require.Len(t, set.Descriptors(), 1)
	r := coretest.NewReplay(call("1", "a", "{}"))
	require.NoError(t, core.NewServer(core.Info{}, set, nil).Serve(t.Context(), r))
	require.Equal(t, []string{"1→ok(second)"}, said(t, r))
}

func TestZeroToolSetIsUsable(t *testing.T) {
	var set core.ToolSet
	require.NoError(t, set.Register(described{Name: "a", InputSchema: json.RawMessage(noArguments)}))
	require.Len(t, set.Descriptors(), 1)
}

func TestRegistrationRefusesWhatWouldBreakClients(t *testing.T) {
	for name, d := range map[string]described{
		"empty name":               {Name: "", InputSchema: json.RawMessage(noArguments)},
		"name with a space":        {Name: "a b", InputSchema: json.RawMessage(noArguments)},
		"name with a slash":        {Name: "a/b", InputSchema: json.RawMessage(noArguments)},
		"name with a letter ä":     {Name: "ä", InputSchema: json.RawMessage(noArguments)},
		"name of 129":              {Name: strings.Repeat("a", 129), InputSchema: json.RawMessage(noArguments)},
		"no schema":                {Name: "a"},
		"schema is not JSON":       {Name: "a", InputSchema: json.RawMessage(`{"type":"object"`)},
		"schema is an array":       {Name: "a", InputSchema: json.RawMessage(`[]`)},
		"schema is true":           {Name: "a", InputSchema: json.RawMessage(`true`)},
		"schema without type":      {Name: "a", InputSchema: json.RawMessage(`{"properties":{}}`)},
		"schema of another type":   {Name: "a", InputSchema: json.RawMessage(`{"type":"string"}`)},
		"schema of several types":  {Name: "a", InputSchema: json.RawMessage(`{"type":["object"]}`)},
		"schema with type inside":  {Name: "a", InputSchema: json.RawMessage(`{"properties":{"type":"object"}}`)},
		"schema, last type counts": {Name: "a", InputSchema: json.RawMessage(`{"type":"object","type":"array"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := core.NewToolSet(d)
			var typed *core.TransportError
			require.ErrorAs(t, err, &typed)
			require.Equal(t, core.CodeDescriptor, typed.Code)
			require.NotEmpty(t, typed.Fix)
			require.Contains(t, err.Error(), typed.Unit)
		})
	}
}

func TestLongestNameIsAccepted(t *testing.T) {
	_, err := core.NewToolSet(described{Name: strings.Repeat("a", 128), InputSchema: json.RawMessage(noArguments)})
	require.NoError(t, err)
}

func TestServerIsNotChangedByLaterRegistrations(t *testing.T) {
	set, err := core.NewToolSet()
	require.NoError(t, err)
	s := core.NewServer(core.Info{}, set, nil)
	require.NoError(t, set.Register(described{Name: "a", InputSchema: json.RawMessage(noArguments)}))
	r := coretest.NewReplay(call("1", "a", "{}"))
	require.NoError(t, s.Serve(t.Context(), r))
	require.Equal(t, []string{"1→-32601"}, said(t, r))
}
