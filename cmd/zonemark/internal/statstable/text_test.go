package statstable

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/trace"
	"zonemark/trace/zonestats"
)

// manyGroups returns the statistics of zones with n names, of times from 0 on to hours. With sources, they have places
// in the source.
func manyGroups(t *testing.T, n int, sources bool) []*zonestats.Group {
	t.Helper()
	summary, err := zonestats.Summarize(madeUpZones(n, sources), zonestats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return summary.Zones
}

// madeUpZones yields one to four zones of each of n names: short and long ones, with signs of two columns, control
// characters and blanks at the end.
func madeUpZones(n int, sources bool) iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		for i := range n {
			at := &trace.Location{Name: fmt.Sprintf("%s %d%s", strings.Repeat("é\x00\n世", i%7), i, strings.Repeat(" ", i%3))}
			if sources && i%5 > 0 {
				at.File, at.Line = strings.Repeat("ü", i%11)+".c", uint32(i)
			}
			for k := range 1 + i%4 {
				duration := int64(math.Exp2(float64(i%45)))*int64(k+1) - 1
				if !yield(trace.Zone{Location: at, StartNS: int64(i), DurationNS: duration, SelfNS: duration / 2}, nil) {
					return
				}
			}
		}
	}
}

// TestFullStats holds the table that is made by several goroutines against the one that a terminal of enough columns
// is shown.
func TestFullStats(t *testing.T) {
	for _, n := range []int{0, 1, rowtext.RowsAPart, 5*rowtext.RowsAPart + 3} {
		for _, sources := range []bool{false, true} {
			zones := manyGroups(t, n, sources)
			var full, fitted bytes.Buffer
			if err := writeFull(&full, zones); err != nil {
				t.Fatal(err)
			}
			if err := writeFitted(&fitted, zones, 10_000); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(full.Bytes(), fitted.Bytes()) {
				t.Errorf("%d groups, with sources: %v: the tables differ:\n%.500s\n%.500s", n, sources, &full, &fitted)
			}
			if lines := bytes.Count(full.Bytes(), []byte("\n")); lines != n+1 {
				t.Errorf("%d lines for %d groups and the titles", lines, n)
			}
		}
	}
}

// TestStatsOnFullDisk: the first error of writing ends the table, in every format.
func TestStatsOnFullDisk(t *testing.T) {
	zones := manyGroups(t, 5*rowtext.RowsAPart, true)
	for _, format := range []string{"text", rowtext.CSV, rowtext.NDJSON} {
		full := &fullDisk{room: 2}
		if err := Write(full, format, zones, 0); err != io.ErrShortWrite {
			t.Errorf("%s: %v; want the error of writing", format, err)
		}
		if full.room != -1 {
			t.Errorf("%s: %d writes behind the one that failed", format, -1-full.room)
		}
	}
}

// fullDisk takes so many writes.
type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room--; d.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// BenchmarkFullStats writes the table of 10,000 groups.
func BenchmarkFullStats(b *testing.B) {
	summary, err := zonestats.Summarize(madeUpZones(10_000, true), zonestats.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := writeFull(io.Discard, summary.Zones); err != nil {
			b.Fatal(err)
		}
	}
}
