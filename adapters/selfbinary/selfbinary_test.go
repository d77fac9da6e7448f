package selfbinary_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/selfbinary"
	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
)

func TestTheRunningExecutableIsTheOracle(t *testing.T) {
	artifact, err := selfbinary.New(tcgfamily.TypeScript).Find(t.Context(), tcgfamily.TypeScript)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	assert.Equal(t, self, artifact.Path)
	assert.Equal(t, []string{"tcg"}, artifact.Args)
	assert.True(t, artifact.Present)
}

func TestAnotherLanguageIsRefusedWithItsServer(t *testing.T) {
	_, err := selfbinary.New(tcgfamily.TypeScript).Find(t.Context(), tcgfamily.Rust)
	var refusal *oracleproto.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, oracleproto.KindLanguageMismatch, refusal.Kind)
	assert.Contains(t, refusal.Recipe, "rust-ai-native-mcp")
}
