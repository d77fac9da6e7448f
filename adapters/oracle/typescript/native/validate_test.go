package native

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"vibevm.org/adapters/lsp"
)

// TestDeclarationErrorsBesideOthers holds what each version's tsc prints; the
// one that the suite runs is also compared with its tsc.
func TestDeclarationErrorsBesideOthers(t *testing.T) {
	items := func(codes ...int) (out []lsp.Diagnostic) {
		for _, c := range codes {
			out = append(out, lsp.Diagnostic{Code: json.RawMessage(strconv.Itoa(c))})
		}
		return out
	}
	for _, tc := range []struct {
		version     string
		found, want []int
	}{
		{"7.0.2", []int{4094, 2322}, []int{4094, 2322}},
		{"7.1.0-beta", []int{4094, 2322, 9010}, []int{2322}},
		{"7.1.0", []int{4094, 9010}, []int{4094, 9010}},
		{"7.1.0", []int{4104, 4114}, []int{4104, 4114}}, // semantic, in spite of their numbers
		{"7.10.0", []int{5088, 2339}, []int{2339}},
	} {
		s := &session{process: newProcess(Compiler{Version: tc.version}, new(int))}
		assert.Equal(t, items(tc.want...), s.declarationsLast(items(tc.found...)), "%s %v", tc.version, tc.found)
	}
}
