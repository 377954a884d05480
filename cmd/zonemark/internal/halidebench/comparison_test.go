package halidebench

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/report"
	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// testProgram returns the program with the runtimes and formats that are shipped. Its messages are not shown.
func testProgram() program.Program {
	return program.Program{
		Streams: cli.Streams{Out: io.Discard, Err: io.Discard}, Runtimes: runtimes.All(), Formats: report.Formats(),
	}
}

// madeUp returns a run of two benchmarks: one whose times need different units, and one that went wrong.
func madeUp() (*run, report.Run) {
	r := &run{
		flags: newFlags(testProgram()),
		rows:  []string{"first", "second"}, columns: []string{"none", "manual", adams, tuned}, cells: map[string]cell{},
	}
	var results report.Run
	var records []invocations.Record
	add := func(row, column string, status invocations.Status, ns float64, verdict invocations.Verdict) {
		name := row + "/" + column
		r.cells[name] = cell{row, column}
		record := invocations.Record{Name: name, Group: row, Status: status}
		if status == invocations.OK {
			record.MedianNS, record.Verdicts = &ns, []invocations.Verdict{verdict}
		}
		records = append(records, record)
	}
	add("first", "none", invocations.OK, 2_500_000, invocations.Contended)
	add("first", "manual", invocations.OK, 50_000, invocations.Clean)
	add("first", adams, invocations.OK, 75_000, invocations.Clean)
	add("first", tuned, invocations.OK, 51_000, invocations.Clean)
	add("second", "none", invocations.Crashed, 0, "")
	add("second", "manual", invocations.OK, 3e9, invocations.Clean)
	add("second", adams, invocations.Mismatch, 0, "")
	results.Records = invocations.RecordsOf(records...)
	results.Rankings = []rank.Ranking{{Group: "first", Ranking: stats.Ranking{Rows: []stats.Row{
		{Name: "first/manual", Ratio: 1}, {Name: "first/tuned", Ratio: 1.02}, {Name: "first/" + adams, Ratio: 1.5},
		{Name: "first/none", Ratio: 50},
	}}}}
	return r, results
}

func TestComparison(t *testing.T) {
	var b strings.Builder
	if err := compared(t).write(&b); err != nil {
		t.Fatal(err)
	}
	want := `
median times by scheduler, and their ratios to the best of the row
  benchmark      none  ratio    manual  ratio  adams2019  ratio      tuned  ratio
  first      2500 µs*  50.00  50.00 µs  1.000  75.00 µs   1.500  51.00 µs   1.020
  second      crashed         3.000 s          mismatch                  -
  * not measured cleanly; the verdicts say why
`
	fields := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if fields(b.String()) != fields(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// All columns of the file are in seconds, and a result without a time is an empty cell.
func TestTimings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "timings.csv")
	f := &flags{timings: path}
	if err := f.checkTimings(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one replaces the first
		if err := compared(t).keep(path); err != nil {
			t.Fatal(err)
		}
		if err := f.checkTimings(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	want := "Name,No Schedule,HW Schedule,Pre-Trained CM,Auto-Tuned\nfirst,0.0025,5e-05,7.5e-05,5.1e-05\nsecond,,3,,\n"
	if err != nil || string(got) != want {
		t.Errorf("%s\nwant\n%s%v", got, want, err)
	}
}

// compared returns the comparison of madeUp.
func compared(t *testing.T) *comparison {
	t.Helper()
	c, err := newComparison(madeUp())
	if err != nil {
		t.Fatal(err)
	}
	return c
}
