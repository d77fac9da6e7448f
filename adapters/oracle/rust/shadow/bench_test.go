package shadow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily/child"
)

// BenchmarkEdit measures a check of a text that is new each time, side by side
// with cargo check of the same edit on disk. Both medians are in milliseconds.
func BenchmarkEdit(b *testing.B) {
	b.Run("one file", func(b *testing.B) {
		edit(b, crate(b), "src/lib.rs", "pub fn one() -> u32 { 1 }\n")
	})
	b.Run("workspace of 6 crates", func(b *testing.B) {
		edit(b, large(b), "c5/src/m0.rs", module(0))
	})
}

func edit(b *testing.B, root, file, text string) {
	b.Helper()
	c := newChecker(b, root)
	requireClean(b, c.check(file, nil))
	cargo, err := child.LookPath("cargo")
	require.NoError(b, err)
	run := child.Spec{Path: cargo, Args: []string{"check", "--offline", "-q", "--message-format", "json"}, Dir: filepath.Dir(filepath.Join(root, filepath.FromSlash(file)))}
	_, err = child.Run(b.Context(), run, nil)
	require.NoError(b, err)
	var ours, cargos []time.Duration
	i := 0
	for b.Loop() {
		i++
		edited := fmt.Sprintf("%spub fn edited() -> u32 { %d }\n", text, i)
		start := time.Now()
		requireClean(b, c.check(file, files{file: edited}))
		ours = append(ours, time.Since(start))
		b.StopTimer()
		require.NoError(b, os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(edited), 0o644))
		start = time.Now()
		_, err := child.Run(b.Context(), run, nil)
		require.NoError(b, err)
		cargos = append(cargos, time.Since(start))
		b.StartTimer()
	}
	report := func(durations []time.Duration, name string) {
		slices.Sort(durations)
		b.ReportMetric(float64(durations[len(durations)/2].Microseconds())/1000, name)
	}
	report(ours, "ms/check")
	report(cargos, "ms/cargo")
}

// large is a chain of crates with ten modules each.
func large(b *testing.B) string {
	b.Helper()
	content := files{"Cargo.toml": "[workspace]\nmembers = [\"c*\"]\nresolver = \"2\"\n"}
	for crate := range 6 {
		dependency := ""
		if crate > 0 {
			dependency = fmt.Sprintf("[dependencies]\nc%d = { path = \"../c%d\" }", crate-1, crate-1)
		}
		var lib strings.Builder
		for m := range 10 {
			fmt.Fprintf(&lib, "pub mod m%d;\n", m)
			content[fmt.Sprintf("c%d/src/m%d.rs", crate, m)] = module(m)
		}
		content[fmt.Sprintf("c%d/Cargo.toml", crate)] = manifest(fmt.Sprintf("c%d", crate), dependency)
		content[fmt.Sprintf("c%d/src/lib.rs", crate)] = lib.String()
	}
	return project(b, content)
}

func module(m int) string {
	var text strings.Builder
	for f := range 20 {
		fmt.Fprintf(&text, `pub fn f%d(words: &[&str]) -> std::collections::BTreeMap<String, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for word in words.iter().filter(|w| w.len() > %d) {
        *counts.entry(word.to_lowercase()).or_insert(%d) += 1;
    }
    counts
}
`, f, f, m)
	}
	return text.String()
}
