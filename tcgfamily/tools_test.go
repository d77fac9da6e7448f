package tcgfamily_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var modes = map[string]tcgfamily.Mode{
	"multiplexed": tcgfamily.Multiplexed(),
	"typescript":  tcgfamily.Standalone(tcgfamily.TypeScript),
	"rust":        tcgfamily.Standalone(tcgfamily.Rust),
}

// listed is tools/list as it goes over the wire.
func listed(t *testing.T, mode tcgfamily.Mode) []byte {
	t.Helper()
	type hints struct {
		ReadOnly    bool `json:"readOnlyHint"`
		Destructive bool `json:"destructiveHint"`
		Idempotent  bool `json:"idempotentHint"`
		OpenWorld   bool `json:"openWorldHint"`
	}
	type tool struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations hints           `json:"annotations"`
	}
	var list struct {
		Tools []tool `json:"tools"`
	}
	for _, d := range tcgfamily.New(nil, mode).Tools() {
		list.Tools = append(list.Tools, tool{
			d.Name, d.Title, d.Description, d.InputSchema,
			hints{d.ReadOnly, d.Destructive, d.Idempotent, d.OpenWorld},
		})
	}
	raw, err := json.Marshal(list)
	require.NoError(t, err)
	return raw
}

func TestToolsGolden(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, json.Indent(&got, listed(t, mode), "", "  "))
			got.WriteByte('\n')
			path := filepath.Join("testdata", "tools."+name+".golden.json")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err, "run: go test -run TestToolsGolden -update")
			assert.Equal(t, string(want), got.String(), "what hosts are told has changed; if that is meant, run: go test -run TestToolsGolden -update")
		})
	}
}

func TestToolsListIsSmall(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) { assert.Less(t, len(listed(t, mode)), 6000) })
	}
}

// Hosts hand schemas on to APIs that take a subset of JSON Schema.
func TestSchemasArePlain(t *testing.T) {
	allowed := regexp.MustCompile(`^(type|description|properties|required|enum|minimum|maximum|default)$`)
	var check func(t *testing.T, path string, schema map[string]any)
	check = func(t *testing.T, path string, schema map[string]any) {
		t.Helper()
		assert.IsType(t, "", schema["type"], "%s: exactly one type", path)
		for keyword := range schema {
			assert.Regexp(t, allowed, keyword, path)
		}
		properties, _ := schema["properties"].(map[string]any)
		assert.Equal(t, schema["type"] == "object", properties != nil, "%s: properties belong to objects", path)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			assert.Contains(t, properties, name, path)
		}
		for name, p := range properties {
			check(t, path+"."+name, p.(map[string]any))
		}
	}
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			for _, d := range tcgfamily.New(nil, mode).Tools() {
				var schema map[string]any
				require.NoError(t, json.Unmarshal(d.InputSchema, &schema))
				check(t, d.Name, schema)
				assert.Equal(t, "object", schema["type"])
				required := schema["required"].([]any)
				assert.Contains(t, required, "file")
				assert.Equal(t, name == "multiplexed", required[0] == "language", d.Name)
			}
		})
	}
}

// Two hosts show only name and description until a model searches.
func TestDescriptionsHoldTheWordsOfASearch(t *testing.T) {
	words := map[string][]string{
		"tcg_validate": {"compile", "type check", "diagnostics", "errors", "hypothetical", "before you write", "never written"},
		"tcg_scope":    {"scope", "symbols", "type", "hypothetical", "before writing", "nothing is written"},
		"tcg_complete": {"completion", "autocomplete", "members", "hypothetical", "nothing is written"},
		"tcg_type":     {"type", "hover", "signature", "documentation", "hypothetical", "nothing is written"},
	}
	for name, mode := range modes {
		tools := tcgfamily.New(nil, mode).Tools()
		require.Len(t, tools, len(words))
		for _, d := range tools {
			text := strings.ToLower(d.Name + " " + d.Title + " " + d.Description)
			for _, w := range words[d.Name] {
				assert.Contains(t, text, w, "%s of %s", d.Name, name)
			}
			assert.Equal(t, name != "rust", strings.Contains(text, "typescript"), "%s of %s", d.Name, name)
			assert.Equal(t, name != "typescript", strings.Contains(text, "rust"), "%s of %s", d.Name, name)
		}
	}
}
