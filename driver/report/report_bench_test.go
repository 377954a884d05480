package report

import (
	"fmt"
	"io"
	"testing"

	"zonemark/invocations"
)

// longRun returns a run of many records with all that the text report shows. One in ten did not end well, and one in
// ten has dispatches. All others have options and a note of their own. Half of the records are ranked in groups of ten.
// Only the last one was measured cold. The user has asked for counters.
func longRun(records int) Run {
	run := exampleRun()
	plain := launched{"add", "", 6153, 3.2, 0.002, true}.record(1, 10, true)
	crashed, dispatches := at(run, 5), dispatchRecord(2, "tracy")
	list := make([]invocations.Record, 0, records)
	for i := range records {
		r := plain
		switch i % 10 {
		case 1:
			r = *crashed
		case 3:
			r = dispatches
		default:
			r.Options = map[string]string{"tile": fmt.Sprint(i)}
			r.Notes = []string{fmt.Sprint("note ", i)}
		}
		r.ID, r.Name = fmt.Sprintf("%016x", i), fmt.Sprintf("function/n=%d", i)
		if i%20 >= 10 {
			r.Group = fmt.Sprint("group ", i/20)
		}
		if i == records-1 {
			r.Mode = invocations.Cold
		}
		list = append(list, r)
	}
	run.Records, run.Counters = invocations.RecordsOf(list...), true
	run.Rankings = groupsOf(run.Records)
	return run
}

// BenchmarkText measures the text report of long runs. Its time per record must not depend on their number.
func BenchmarkText(b *testing.B) {
	for _, records := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			run := longRun(records)
			b.ReportAllocs()
			for b.Loop() {
				if err := writeText(io.Discard, run); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(records), "ns/record")
		})
	}
}
