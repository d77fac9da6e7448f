package shadow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/rust/shadow"
)

const (
	right = "pub fn part() -> u8 { 1 } // %d\n"
	wrong = "pub fn part() -> u8 { 'c' } // %d\n"
)

// TestAlternatingTexts changes between a right and a wrong text as fast as it
// can. The texts differ each time, so that no answer is remembered.
func TestAlternatingTexts(t *testing.T) {
	c := newChecker(t, project(t, files{
		"Cargo.toml":  manifest("one"),
		"src/lib.rs":  "pub mod part;\npub fn one() -> u8 { part::part() }\n",
		"src/part.rs": "pub fn part() -> u8 { 2 }\n",
	}))
	for i := range 50 {
		requireClean(t, c.check("src/part.rs", files{"src/part.rs": fmt.Sprintf(right, i)}))
		require.Equal(t, []string{"E0308"}, codes(c.check("src/part.rs", files{"src/part.rs": fmt.Sprintf(wrong, i)})), "round %d", i)
		if i%10 == 0 {
			requireClean(t, c.check("src/part.rs", nil))
		}
	}
}

// TestAlternatingDisk edits the file on disk in every way that leaves an old
// or an equal modification time.
func TestAlternatingDisk(t *testing.T) {
	c := newChecker(t, project(t, files{
		"Cargo.toml":  manifest("one"),
		"src/lib.rs":  "pub mod part;\npub fn one() -> u8 { part::part() }\n",
		"src/part.rs": "pub fn part() -> u8 { 2 }\n",
	}))
	path := filepath.Join(c.root, "src", "part.rs")
	old := time.Now().Add(-time.Hour)
	edits := map[string]func(text string){
		"written": func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) },
		"written with an old time": func(text string) {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			require.NoError(t, os.Chtimes(path, old, old))
		},
		"moved into place": func(text string) {
			other := filepath.Join(c.root, "src", "part.new")
			require.NoError(t, os.WriteFile(other, []byte(text), 0o644))
			require.NoError(t, os.Chtimes(other, old, old))
			require.NoError(t, os.Rename(other, path))
		},
		"removed and written": func(text string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			require.NoError(t, os.Chtimes(path, old, old))
		},
	}
	requireClean(t, c.check("src/lib.rs", nil))
	for i := range 8 {
		for name, edit := range edits {
			edit(fmt.Sprintf("pub fn part() -> u16 { 1 } // %d\n", i))
			require.Equal(t, []string{"E0308"}, codes(c.check("src/lib.rs", nil)), "%s, round %d", name, i)
			edit(fmt.Sprintf("pub fn part() -> u8 { 1 } // %d\n", i))
			requireClean(t, c.check("src/lib.rs", nil))
		}
	}
}

// TestOldFilesAfterARestart has a file replaced by an older one while no
// checker runs, which cargo alone would not notice.
func TestOldFilesAfterARestart(t *testing.T) {
	root := crate(t)
	cache := func(o *shadow.Options) { o.CacheDir = filepath.Join(root, "cache") }
	path := filepath.Join(root, "src", "lib.rs")
	old := time.Now().Add(-time.Hour)
	for i := range 3 {
		for _, text := range []string{right, wrong} {
			require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, text, i), 0o644))
			require.NoError(t, os.Chtimes(path, old, old))
			c := newChecker(t, root, cache)
			result := c.check("src/lib.rs", nil)
			require.NoError(t, c.Close())
			require.True(t, result.Reached)
			require.Equal(t, text == wrong, len(codes(result)) == 1, "%+v", result)
		}
	}
}

// TestFilesOutsideOfPackagesAreWatched replaces one that is included.
func TestFilesOutsideOfPackagesAreWatched(t *testing.T) {
	root := project(t, files{
		"text":         "12345",
		"a/Cargo.toml": manifest("a"),
		"a/src/lib.rs": "const _: [u8; 5] = [0; include_str!(\"../../text\").len()];\n",
	})
	c := newChecker(t, root)
	old := time.Now().Add(-time.Hour)
	for range 3 {
		requireClean(t, c.check("a/src/lib.rs", nil))
		write(t, root, files{"text": "123456"})
		require.NoError(t, os.Chtimes(filepath.Join(root, "text"), old, old))
		require.Equal(t, []string{"E0308"}, codes(c.check("a/src/lib.rs", nil)))
		write(t, root, files{"text": "12345"})
		require.NoError(t, os.Chtimes(filepath.Join(root, "text"), old, old))
	}
}

func TestNewFilesOnDiskAreSeen(t *testing.T) {
	c := newChecker(t, crate(t))
	write(t, c.root, files{"src/lib.rs": "pub mod late;\n"})
	require.Equal(t, []string{"E0583"}, codes(c.check("src/lib.rs", nil)))
	write(t, c.root, files{"src/late.rs": "pub fn l() {}\n"})
	requireClean(t, c.check("src/lib.rs", nil))
	requireClean(t, c.check("src/late.rs", nil))
	require.NoError(t, os.Remove(filepath.Join(c.root, "src", "late.rs")))
	require.Equal(t, []string{"E0583"}, codes(c.check("src/lib.rs", nil)))
	write(t, c.root, files{"src/late/mod.rs": "pub fn l() { nowhere() }\n"})
	require.Equal(t, []string{"E0425"}, codes(c.check("src/late/mod.rs", nil)))
	require.NoError(t, os.RemoveAll(filepath.Join(c.root, "src", "late")))
	write(t, c.root, files{"src/lib.rs": "pub fn f() {}\n"})
	requireClean(t, c.check("src/lib.rs", nil))
}

func TestAnAnswerIsRememberedOnlyWhileNothingChanges(t *testing.T) {
	c := newChecker(t, project(t, files{
		"Cargo.toml":  manifest("one"),
		"src/lib.rs":  "pub mod part;\n",
		"src/part.rs": "pub fn part() -> u8 { 2 }\n",
	}))
	overlays := files{"src/lib.rs": "pub mod part;\npub fn one() -> u8 { part::part() }\n"}
	requireClean(t, c.check("src/lib.rs", overlays))
	requireClean(t, c.check("src/lib.rs", overlays))
	write(t, c.root, files{"src/part.rs": "pub fn part() -> u16 { 2 }\n"})
	require.Equal(t, []string{"E0308"}, codes(c.check("src/lib.rs", overlays)))
	require.Equal(t, []string{"E0308"}, codes(c.check("src/lib.rs", overlays)))
	write(t, c.root, files{"src/part.rs": "pub fn part() -> u8 { 3 }\n"})
	requireClean(t, c.check("src/lib.rs", overlays))
}

// TestAShadowRemovedUnderWay has `cargo clean` of the user remove it.
func TestAShadowRemovedUnderWay(t *testing.T) {
	root := crate(t)
	require.NoError(t, os.Mkdir(filepath.Join(root, "target"), 0o755))
	c := newChecker(t, root)
	requireClean(t, c.check("src/lib.rs", nil))
	require.DirExists(t, filepath.Join(root, "target", "tcg"))
	require.NoError(t, os.RemoveAll(filepath.Join(root, "target")))
	require.Equal(t, []string{"E0308"}, codes(c.check("src/lib.rs", files{"src/lib.rs": "pub fn f() -> u8 { 'c' }\n"})))
	require.NoDirExists(t, filepath.Join(root, "target"))
	requireClean(t, c.check("src/lib.rs", nil))
}
