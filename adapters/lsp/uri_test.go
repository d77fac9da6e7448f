package lsp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestURIRoundTrip(t *testing.T) {
	for _, tc := range []struct {
		windows   bool
		path, uri string
	}{
		{false, "/a b/ü#%.ts", "file:///a%20b/%C3%BC%23%25.ts"},
		{false, "/app/[id]/(group)/+page.ts", "file:///app/%5Bid%5D/%28group%29/%2Bpage.ts"},
		{false, "/odd/\xff.ts", "file:///odd/%FF.ts"},
		{false, `/back\slash.ts`, "file:///back%5Cslash.ts"},
		{false, "/", "file:///"},
		{true, `C:\a b\ü#%.ts`, "file:///C:/a%20b/%C3%BC%23%25.ts"},
		{true, `\\srv\share\a.ts`, "file://srv/share/a.ts"},
		{true, `C:\`, "file:///C:/"},
	} {
		assert.Equal(t, tc.uri, pathToURI(tc.path, tc.windows))
		got, err := uriToPath(tc.uri, tc.windows)
		require.NoError(t, err)
		assert.Equal(t, tc.path, got)
	}
}

func TestURISpellingsOfOnePath(t *testing.T) {
	for _, path := range []string{`\\?\C:\x.ts`, `C:\x.ts`, `C:/x.ts`} {
		assert.Equal(t, "file:///C:/x.ts", pathToURI(path, true), path)
	}
	assert.Equal(t, "file://srv/share/a.ts", pathToURI(`\\?\UNC\srv\share\a.ts`, true))
	for uri, want := range map[string]string{
		"file:///C:/x":            `C:\x`,
		"file:///c:/x":            `C:\x`,
		"file:///c%3A/x":          `C:\x`,
		"file://C:/x":             `C:\x`,
		`file:///C:\x`:            `C:\x`,
		`file://C:\x`:             `C:\x`,
		"FILE:///C:/x":            `C:\x`,
		"file:/C:/x":              `C:\x`,
		"file://localhost/C:/x":   `C:\x`,
		"file://srv/share/a%20b":  `\\srv\share\a b`,
		"file:///C:/a+b/%7Ec.ts":  `C:\a+b\~c.ts`,
		"file:///e:/A/%e2%82%ac/": `E:\A\€\`,
	} {
		got, err := uriToPath(uri, true)
		require.NoError(t, err, uri)
		assert.Equal(t, want, got, uri)
	}
	got, err := uriToPath("file://localhost/a%2fb", false)
	require.NoError(t, err)
	assert.Equal(t, "/a/b", got)
}

func TestURIRefusals(t *testing.T) {
	for _, windows := range []bool{false, true} {
		for _, uri := range []string{"", "C:/x", "/x", "http://h/x", "untitled:Untitled-1", "file:x", "file:///%", "file:///%4", "file:///%zz", "file:///a%00b", "file:///a?b", "file:///a#b"} {
			_, err := uriToPath(uri, windows)
			require.Error(t, err, "%q windows=%v", uri, windows)
		}
	}
	_, err := uriToPath("file://srv/share/x", false)
	require.ErrorContains(t, err, "host")
	_, err = uriToPath("file:///x/y", true)
	require.ErrorContains(t, err, "drive")
}

func FuzzURI(f *testing.F) {
	f.Add("/a b/ü#%.ts")
	f.Fuzz(func(t *testing.T, s string) {
		for i := range len(s) {
			if s[i] == 0 {
				return
			}
		}
		path := "/x" + s
		got, err := uriToPath(pathToURI(path, false), false)
		if err != nil || got != path {
			t.Fatalf("%q came back as %q, %v", path, got, err)
		}
		_, _ = uriToPath(s, true)
		_, _ = uriToPath("file:"+s, true)
	})
}
