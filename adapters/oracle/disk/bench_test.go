package disk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle/disk"
)

// thousand makes a project of 1,000 sources in 50 directories, with 200 packages
// of 20 files each.
func thousand(b *testing.B) string {
	b.Helper()
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("src/dir%d/file%d.ts", i/20, i)] = "export {}"
	}
	for i := range 200 {
		files[fmt.Sprintf("node_modules/package%d/package.json", i)] = "{}"
		for k := range 19 {
			files[fmt.Sprintf("node_modules/package%d/lib/sub%d/file%d.ts", i, k%3, k)] = "export {}"
		}
	}
	return tree(b, files)
}

// project is the project to measure: TCG_BENCH_PROJECT, else one of 1,000 files.
func project(b *testing.B) string {
	b.Helper()
	if dir := os.Getenv("TCG_BENCH_PROJECT"); dir != "" {
		real, err := filepath.EvalSymlinks(dir)
		require.NoError(b, err)
		return real
	}
	return thousand(b)
}

func benchmarkLook(b *testing.B, prepare func(*disk.Watch)) {
	b.Helper()
	w := watch(b, project(b))
	prepare(w)
	for b.Loop() {
		if _, err := w.Look(b.Context()); err != nil {
			b.Fatal(err)
		}
		w.Told()
	}
}

func BenchmarkLookWithEvents(b *testing.B) { benchmarkLook(b, func(*disk.Watch) {}) }

func BenchmarkLookWithoutEvents(b *testing.B) { benchmarkLook(b, disk.Deafen) }

// What the first question waits for, and what goes on behind its answer.
func BenchmarkBaseline(b *testing.B) {
	root := project(b)
	for b.Loop() {
		w := disk.New(root, rules)
		if err := w.Baseline(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		w.Close()
		b.StartTimer()
	}
}

func BenchmarkBaselineToItsEnd(b *testing.B) {
	root := project(b)
	for b.Loop() {
		w := disk.New(root, rules)
		require.NoError(b, w.Baseline(b.Context()))
		if _, err := w.Look(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		w.Close()
		b.StartTimer()
	}
}
