package relay_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/oracletest"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/tcgfamily/oracleproto"
)

// A compiler that refuses other encodings must not be asked about a text that
// was made readable.
func TestFilesThatAreNotUTF8(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.rs"), []byte("ok\n// \u00e9\ncaf\xe9\n"), 0o644))
	language := relay.Language{Name: "rust", Backend: func(root string) oracle.Backend { return oracletest.NewFake(root) }}
	lenient := relay.New(language, root)
	defer func() { require.NoError(t, lenient.Close()) }()
	_, err := do(t, lenient, oracleproto.OpValidate, map[string]any{"file": "a.rs"})
	require.NoError(t, err)

	language.UTF8 = true
	strict := relay.New(language, root)
	defer func() { require.NoError(t, strict.Close()) }()
	_, err = do(t, strict, oracleproto.OpValidate, map[string]any{"file": "a.rs"})
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindNotText, e.Kind)
	assert.Contains(t, e.Detail, "line 3 has the byte 0xE9")
	assert.Contains(t, e.Recipe, "iconv")
	_, err = do(t, strict, oracleproto.OpValidate, map[string]any{"file": "a.rs", "content": "caf\u00e9"})
	require.NoError(t, err)
}
