package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"vibevm.org/acceptance/tsproject"
)

// timings is the table at the end: the oracle's times beside the tool's.
type timings struct{ rows []timing }

type timing struct {
	step
	first, warm, tool time.Duration
}

// measure puts each judged content on disk, now that the session is over, and
// runs the tool the way one would without an oracle.
func (t *timings) measure(ctx context.Context, h half, project *tsproject.Project) error {
	contents := make([]string, len(t.rows))
	for i, row := range t.rows {
		content, err := h.whole(project, row.step)
		if err != nil {
			return err
		}
		contents[i] = content
	}
	for i := range t.rows {
		row := &t.rows[i]
		if !row.judged {
			continue
		}
		var taken []time.Duration
		for n := range 5 {
			began := time.Now()
			// Another text each time, as for the oracle.
			if err := h.measure(ctx, project, fmt.Sprintf("%s// %d\n", contents[i], n)); err != nil {
				return err
			}
			taken = append(taken, time.Since(began))
		}
		row.tool = median(taken)
	}
	return nil
}

func (t *timings) print(w io.Writer, tool string) {
	fmt.Fprintf(w, "\n%-54s %12s %12s %14s\n", "milliseconds", "first answer", "warm (p50)", tool)
	for _, row := range t.rows {
		took := "–"
		if row.judged {
			took = fmt.Sprintf("%.0f (%.1f×)", ms(row.tool), float64(row.tool)/float64(row.warm))
		}
		fmt.Fprintf(w, "%-54s %12.1f %12.1f %14s\n", row.title, ms(row.first), ms(row.warm), took)
	}
	fmt.Fprint(w, "The first answer of all includes starting the compiler and loading the project.\n\n")
}

func median(values []time.Duration) time.Duration {
	slices.Sort(values)
	return values[len(values)/2]
}
