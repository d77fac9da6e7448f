package tcgfamily_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
)

// Depth and tests are Rust's: TypeScript's server does not know them.
func TestHowThoroughlyIsAskedOfRustAlone(t *testing.T) {
	const depth = `{"file":"src/a.rs","depth":"full","tests":true}`
	for _, mode := range []tcgfamily.Mode{tcgfamily.Standalone(tcgfamily.Rust), tcgfamily.Multiplexed()} {
		o := always(cleanContent)
		call(t, tcgfamily.New(o, mode), "tcg_validate", `{"language":"rust",`+depth[1:])
		assert.Equal(t, []string{`rust validate {"file":"src/a.rs","depth":"full","tests":true}`}, o.asked)
	}

	o := always(cleanContent)
	f := failure(t, call(t, tcgfamily.New(o, tcgfamily.Standalone(tcgfamily.TypeScript)), "tcg_validate", depth))
	assert.Contains(t, f.Detail, `no argument "depth"`)

	rust := tcgfamily.New(o, tcgfamily.Standalone(tcgfamily.Rust))
	f = failure(t, call(t, rust, "tcg_validate", `{"file":"src/a.rs","depth":"deep"}`))
	assert.Equal(t, oracleproto.KindBadArguments, f.Kind)
	assert.Contains(t, f.Detail, `depth is the string "deep", not one of auto, native, full`)
	assert.Empty(t, o.asked)
}
