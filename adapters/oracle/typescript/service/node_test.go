package service

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/oracleproto"
)

// TestWhereNodeIsFound lays out each installer's directories. A name ends in
// the version that the fake node says it has.
func TestWhereNodeIsFound(t *testing.T) {
	for name, tc := range map[string]struct {
		goos  string
		env   map[string]string // ~ stands for the home directory, / for a root of the test's own
		files map[string]string // → version
		links map[string]string // plain files with a text
		want  string
	}{
		"PATH":                 {files: map[string]string{"/bin/node": "20.1.0", "~/.nvm/versions/node/v22.0.0/bin/node": "22.0.0"}, env: map[string]string{"PATH": "/bin"}, want: "/bin/node"},
		"the second on PATH":   {files: map[string]string{"/a/node": "16.20.0", "/b/node": "18.0.0"}, env: map[string]string{"PATH": "/a:/b"}, want: "/b/node"},
		"no relative PATH":     {files: map[string]string{"/usr/local/bin/node": "20.0.0"}, env: map[string]string{"PATH": "bin:.:"}, want: "/usr/local/bin/node"},
		"no shims":             {files: map[string]string{"~/.asdf/shims/node": "22.0.0", "~/.asdf/installs/nodejs/20.0.0/bin/node": "20.0.0"}, env: map[string]string{"PATH": "~/.asdf/shims"}, want: "~/.asdf/installs/nodejs/20.0.0/bin/node"},
		"no volta shim":        {files: map[string]string{"~/.volta/bin/node": "22.0.0", "~/.volta/tools/image/node/20.9.0/bin/node": "20.9.0"}, env: map[string]string{"PATH": "~/.volta/bin"}, want: "~/.volta/tools/image/node/20.9.0/bin/node"},
		"nvm, the newest":      {files: map[string]string{"~/.nvm/versions/node/v9.9.9/bin/node": "9.9.9", "~/.nvm/versions/node/v18.2.0/bin/node": "18.2.0", "~/.nvm/versions/node/v18.10.0/bin/node": "18.10.0"}, want: "~/.nvm/versions/node/v18.10.0/bin/node"},
		"nvm, the default":     {files: map[string]string{"~/.nvm/versions/node/v18.2.0/bin/node": "18.2.0", "~/.nvm/versions/node/v22.1.0/bin/node": "22.1.0"}, links: map[string]string{"~/.nvm/alias/default": "18\n"}, want: "~/.nvm/versions/node/v18.2.0/bin/node"},
		"nvm, alias of alias":  {files: map[string]string{"/n/versions/node/v18.2.0/bin/node": "18.2.0", "/n/versions/node/v22.1.0/bin/node": "22.1.0"}, links: map[string]string{"/n/alias/default": "lts/*", "/n/alias/lts/*": "lts/old", "/n/alias/lts/old": "v18.2.0"}, env: map[string]string{"NVM_DIR": "/n"}, want: "/n/versions/node/v18.2.0/bin/node"},
		"nvm, circle":          {files: map[string]string{"~/.nvm/versions/node/v22.1.0/bin/node": "22.1.0"}, links: map[string]string{"~/.nvm/alias/default": "default"}, want: "~/.nvm/versions/node/v22.1.0/bin/node"},
		"fnm":                  {files: map[string]string{"~/.local/share/fnm/node-versions/v20.1.0/installation/bin/node": "20.1.0"}, want: "~/.local/share/fnm/node-versions/v20.1.0/installation/bin/node"},
		"fnm, the default":     {files: map[string]string{"/f/node-versions/v22.1.0/installation/bin/node": "22.1.0", "/f/aliases/default/bin/node": "20.1.0"}, env: map[string]string{"FNM_DIR": "/f"}, want: "/f/aliases/default/bin/node"},
		"fnm of macOS":         {goos: "darwin", files: map[string]string{"~/Library/Application Support/fnm/node-versions/v20.1.0/installation/bin/node": "20.1.0"}, want: "~/Library/Application Support/fnm/node-versions/v20.1.0/installation/bin/node"},
		"volta":                {files: map[string]string{"/v/tools/image/node/20.9.0/bin/node": "20.9.0"}, env: map[string]string{"VOLTA_HOME": "/v"}, want: "/v/tools/image/node/20.9.0/bin/node"},
		"mise":                 {files: map[string]string{"~/.local/share/mise/installs/node/20.9.0/bin/node": "20.9.0"}, want: "~/.local/share/mise/installs/node/20.9.0/bin/node"},
		"mise elsewhere":       {files: map[string]string{"/m/installs/node/20.9.0/bin/node": "20.9.0"}, env: map[string]string{"MISE_DATA_DIR": "/m"}, want: "/m/installs/node/20.9.0/bin/node"},
		"asdf elsewhere":       {files: map[string]string{"/m/installs/nodejs/20.9.0/bin/node": "20.9.0"}, env: map[string]string{"ASDF_DATA_DIR": "/m"}, want: "/m/installs/nodejs/20.9.0/bin/node"},
		"nodenv":               {files: map[string]string{"~/.nodenv/versions/20.9.0/bin/node": "20.9.0"}, want: "~/.nodenv/versions/20.9.0/bin/node"},
		"homebrew, Apple":      {goos: "darwin", files: map[string]string{"/opt/homebrew/bin/node": "20.9.0"}, want: "/opt/homebrew/bin/node"},
		"homebrew, Intel":      {goos: "darwin", files: map[string]string{"/usr/local/bin/node": "20.9.0"}, want: "/usr/local/bin/node"},
		"homebrew, by version": {goos: "darwin", files: map[string]string{"/opt/homebrew/opt/node@20/bin/node": "20.9.0", "/opt/homebrew/opt/node@18/bin/node": "18.9.0"}, want: "/opt/homebrew/opt/node@20/bin/node"},
		"n":                    {files: map[string]string{"/usr/local/n/versions/node/20.9.0/bin/node": "20.9.0"}, want: "/usr/local/n/versions/node/20.9.0/bin/node"},
		"Windows installer":    {goos: "windows", files: map[string]string{"/pf/nodejs/node.exe": "20.9.0"}, env: map[string]string{"ProgramFiles": "/pf"}, want: "/pf/nodejs/node.exe"},
		"nvm-windows":          {goos: "windows", files: map[string]string{"/ad/nvm/v20.9.0/node.exe": "20.9.0", "/ad/nvm/v22.9.0/node.exe": "22.9.0"}, env: map[string]string{"APPDATA": "/ad"}, want: "/ad/nvm/v22.9.0/node.exe"},
		"volta of Windows":     {goos: "windows", files: map[string]string{"/la/Volta/tools/image/node/20.9.0/node.exe": "20.9.0", "/vb/Volta/node.exe": "22.0.0"}, env: map[string]string{"LOCALAPPDATA": "/la", "PATH": "/vb/Volta"}, want: "/la/Volta/tools/image/node/20.9.0/node.exe"},
		"no node.cmd":          {goos: "windows", files: map[string]string{"/p/node.cmd": "22.0.0", "/pf/nodejs/node.exe": "20.9.0"}, env: map[string]string{"ProgramFiles": "/pf", "PATH": "/p"}, want: "/pf/nodejs/node.exe"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			place := func(path string) string {
				path = strings.Replace(path, "~", "/home", 1)
				return filepath.Join(root, filepath.FromSlash(path))
			}
			fakes := map[string]string{}
			for path, version := range tc.files {
				write(t, place(path), "")
				require.NoError(t, os.Chmod(place(path), 0o755))
				fakes[place(path)] = version
			}
			for path, text := range tc.links {
				write(t, place(path), text)
			}
			s := newNodeSearch(tc.goos, place("~"), func(name string) string {
				dirs := strings.Split(tc.env[name], ":")
				for i, dir := range dirs {
					if strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") {
						dirs[i] = place(dir)
					}
				}
				return strings.Join(dirs, string(filepath.ListSeparator))
			})
			s.root = root
			node, err := s.find(t.Context(), func(_ context.Context, path string) (Node, error) {
				version, ok := fakes[path]
				require.True(t, ok, path)
				return Node{Path: path, Version: version}, nil
			})
			require.NoError(t, err)
			assert.Equal(t, place(tc.want), node.Path)
		})
	}
}

func TestTheRecipeSaysWhatWasTried(t *testing.T) {
	root := t.TempDir()
	old, broken, shim := filepath.Join(root, "old/node"), filepath.Join(root, "broken/node"), filepath.Join(root, ".asdf/shims/node")
	for _, path := range []string{old, broken, shim} {
		write(t, path, "")
		require.NoError(t, os.Chmod(path, 0o755))
	}
	path := strings.Join([]string{filepath.Dir(old), filepath.Dir(broken), filepath.Dir(broken), filepath.Dir(shim)}, string(filepath.ListSeparator))
	s := newNodeSearch("linux", root, func(name string) string { return map[string]string{"PATH": path}[name] })
	s.root = root
	tried := 0
	_, err := s.find(t.Context(), func(_ context.Context, path string) (Node, error) {
		tried++
		if path == broken {
			return Node{}, errors.New("node: exit status 127")
		}
		return Node{Path: path, Version: "16.20.2"}, nil
	})
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindNodeMissing, e.Kind)
	assert.Equal(t, 2, tried, "each once, and no shim")
	for _, want := range []string{old + " (PATH): version 16.20.2 is too old", broken + " (PATH): node: exit status 127", shim + " (PATH): a shim", filepath.Join(root, ".nvm"), filepath.Join(root, "opt/homebrew")} {
		assert.Contains(t, e.Detail, want)
	}
	assert.NotEmpty(t, e.Recipe)
}

func TestNodeSaysItsVersionAndMemory(t *testing.T) {
	node, err := findNode()
	require.NoError(t, err)
	assert.NoError(t, recent(node.Version))
	assert.Greater(t, node.Memory, 256)
	assert.FileExists(t, node.Path)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = FindNode(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestOldestNode(t *testing.T) {
	for version, ok := range map[string]bool{"18.0.0": true, "v24.1.0": true, "17.9.1": false, "latest": false, "": false} {
		assert.Equal(t, ok, recent(version) == nil, version)
	}
}
