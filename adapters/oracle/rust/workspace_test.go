package rust

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

func TestWorkspacesAreCargosOwn(t *testing.T) {
	member := func(name string) string {
		return "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	}
	root := project(t, map[string]string{
		"deep/down/Cargo.toml":                "[workspace]\nmembers = [\"a\", \"b\"]\nexclude = [\"out\"]\n",
		"deep/down/a/Cargo.toml":              member("a"),
		"deep/down/a/src/lib.rs":              "",
		"deep/down/b/Cargo.toml":              member("b"),
		"deep/down/b/src/lib.rs":              "",
		"deep/down/b/own/Cargo.toml":          member("own") + "[workspace]\n",
		"deep/down/b/own/src/lib.rs":          "",
		"deep/down/out/Cargo.toml":            member("out"),
		"deep/down/out/src/lib.rs":            "",
		"loose/a.rs":                          "",
		"broken/Cargo.toml":                   "[[[",
		"broken/src/lib.rs":                   "",
		"deep/down/a/src/folder/Cargo.toml/x": "a directory is no manifest",
	})
	var l locator
	at := func(file string) (workspace, error) {
		return l.locate(t.Context(), filepath.Join(root, filepath.FromSlash(file)))
	}
	for file, want := range map[string]string{
		"deep/down/a/src/lib.rs":      "deep/down",
		"deep/down/a/src/folder/x.rs": "deep/down",
		"deep/down/b/src/new.rs":      "deep/down",
		"deep/down/b/own/src/lib.rs":  "deep/down/b/own",
		"deep/down/out/src/lib.rs":    "deep/down/out",
	} {
		w, err := at(file)
		require.NoError(t, err, file)
		assert.Equal(t, filepath.Join(root, want), w.root, file)
		assert.Equal(t, filepath.Join(root, want, "Cargo.toml"), w.manifest, file)
	}
	w, err := at("loose/a.rs")
	require.NoError(t, err)
	assert.Equal(t, workspace{root: filepath.Join(root, "loose")}, w)

	_, err = at("broken/src/lib.rs")
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindManifestBroken, e.Kind)
	assert.Contains(t, e.Detail, filepath.Join(root, "broken", "Cargo.toml"))
	write(t, filepath.Join(root, "broken", "Cargo.toml"), member("mended"))
	w, err = at("broken/src/lib.rs")
	require.NoError(t, err, "a manifest that was mended is read again")
	assert.Equal(t, filepath.Join(root, "broken"), w.root)

	write(t, filepath.Join(root, "Cargo.toml"), "[workspace]\nmembers = [\"broken\"]\n")
	w, err = at("broken/src/lib.rs")
	require.NoError(t, err)
	assert.Equal(t, root, w.root, "a workspace that appears around the package")
}
