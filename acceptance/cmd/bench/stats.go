package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// median is the middle of the values; they are sorted in place.
func median(values []float64) float64 { return quantile(values, 0.5) }

func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[int(q*float64(len(values)-1)+0.5)]
}

// ms and µs measure since a moment.
func ms(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1e6 }

func us(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1e3 }

// printTable prints rows of cells, the first row as the head, in columns that
// are also a Markdown table.
func printTable(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for n, row := range rows {
		for i, cell := range row {
			fmt.Fprintf(w, "| %s%s ", cell, strings.Repeat(" ", widths[i]-len([]rune(cell))))
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			for _, width := range widths {
				fmt.Fprintf(w, "|%s", strings.Repeat("-", width+2))
			}
			fmt.Fprintln(w, "|")
		}
	}
}
