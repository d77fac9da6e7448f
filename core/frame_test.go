package core

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// walked collects what the member walk yields; ok is false for no object.
func walked(text []byte) (all map[string]string, ok bool) {
	all = map[string]string{}
	walk := membersOf(text)
	for walk.next() {
		all[string(walk.key)] = string(walk.val)
	}
	return all, walk.end != malformed && skipSpace(text, walk.end) == len(text)
}

func TestMembersOfAnObject(t *testing.T) {
	for text, want := range map[string]map[string]string{
		`{}`:                             {},
		`  { }  `:                        {},
		`{"a":1}`:                        {"a": "1"},
		`{"a":-1e5 ,"b" : [ {"a":2} ] }`: {"a": "-1e5", "b": `[ {"a":2} ]`},
		`{"a":"}\"]","b":{"c":"{"}}`:     {"a": `"}\"]"`, "b": `{"c":"{"}`},
		`{"a":"\\","b":"\\\"","c":null}`: {"a": `"\\"`, "b": `"\\\""`, "c": "null"},
		`{"a":1,"a":2}`:                  {"a": "2"},
		`{"\u0061":1,"a\n":2,"":3}`:      {"a": "1", "a\n": "2", "": "3"},
		`{"A":1,"a":2}`:                  {"A": "1", "a": "2"},
	} {
		got, ok := walked([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{`[]`, `1`, `null`, `"{}"`, ``, ` `, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{a:1}`, `{"a":1}}`, `{"a":1} x`} {
		_, ok := walked([]byte(text))
		require.False(t, ok, text)
	}
}

func TestMembersOfLongStrings(t *testing.T) {
	for n := range 80 {
		for _, special := range []string{``, `\"`, `\\`, `\\\"`, `\u0022`} {
			value := `"` + string(bytes.Repeat([]byte("a"), n)) + special + string(bytes.Repeat([]byte("b"), 80-n)) + special + `"`
			got, ok := walked([]byte(`{"k":` + value + `,"after":1}`))
			require.True(t, ok)
			require.Equal(t, map[string]string{"k": value, "after": "1"}, got)
		}
	}
}

// FuzzMembers holds the member walk against encoding/json.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1,"b":[{"c":"}"}],"d":"\\\""}`, `{"\u0061":"\ud800"}`, `{"a":1,"a":{"a":[]}}`, " {\t\"x\" :\r\n-0.5e-3 } ",
		"{\"\xff\":\"\xff\"}", `[1]`, `{"a":"0123456789012345678901234567890123456789\\\"","b":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := walked(text)
		require.Equal(t, json.Valid(text) && isObject(text), ok)
		if !ok {
			return
		}
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &want))
		if !utf8.Valid(text) {
			return // encoding/json rewrites such keys, and no name we look for is one
		}
		require.Len(t, got, len(want))
		for key, val := range want {
			require.Equal(t, string(val), got[key])
		}
	})
}

func TestQuoteForTextIsShortAndClean(t *testing.T) {
	require.Equal(t, `"a"`, quoteForText("a"))
	require.Equal(t, `"a\nb\xff"`, quoteForText("a\nb\xff"))
	long := quoteForText(string(bytes.Repeat([]byte("ä"), 100)))
	require.True(t, utf8.ValidString(long))
	require.Less(t, len(long), 200)
	require.Contains(t, long, "cut")
}
