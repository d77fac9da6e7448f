package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vibevm.org/acceptance/tsproject"
)

// timings is the table at the end: the oracle's times beside tsc's.
type timings struct{ rows []timing }

type timing struct {
	step
	first, warm, tsc time.Duration
}

func (t *timings) add(s step, first, warm time.Duration) {
	t.rows = append(t.rows, timing{step: s, first: first, warm: warm})
}

// measureTsc puts each judged content on disk, in a copy of the project, and
// runs tsc the way one would without an oracle.
func (t *timings) measureTsc(ctx context.Context, shop *tsproject.Project) error {
	dir, err := os.MkdirTemp(filepath.Dir(shop.Dir), "on-disk-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	onDisk, err := tsproject.Copy(filepath.Join(dir, "ts-shop"))
	if err != nil {
		return err
	}
	if err := onDisk.Install(shop.Path("node_modules")); err != nil {
		return err
	}
	for i := range t.rows {
		row := &t.rows[i]
		if !row.judged {
			continue
		}
		if err := onDisk.Write(file, row.content); err != nil {
			return err
		}
		var taken []time.Duration
		for range 5 {
			began := time.Now()
			if _, err := tsproject.Check(ctx, tsproject.Compiler(onDisk.Path("node_modules")), onDisk.Dir, "tsconfig.json"); err != nil {
				return err
			}
			taken = append(taken, time.Since(began))
		}
		row.tsc = median(taken)
	}
	return nil
}

func (t *timings) print(w io.Writer) {
	fmt.Fprintf(w, "\n%-46s %12s %12s %14s\n", "milliseconds", "first answer", "warm (p50)", "tsc --noEmit")
	for _, row := range t.rows {
		tsc := "–"
		if row.judged {
			tsc = fmt.Sprintf("%.0f (%.0f×)", ms(row.tsc), float64(row.tsc)/float64(row.warm))
		}
		fmt.Fprintf(w, "%-46s %12.1f %12.1f %14s\n", row.title, ms(row.first), ms(row.warm), tsc)
	}
	fmt.Fprintln(w, "The first answer of all includes starting the compiler and loading the project.")
}

func median(values []time.Duration) time.Duration {
	slices.Sort(values)
	return values[len(values)/2]
}
