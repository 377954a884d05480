package halidebench

import (
	"strings"
	"testing"

	"zonemark/driver/report"
	"zonemark/invocations"
)

// emulatedFlags returns the flags that a command line sets.
func emulatedFlags(t *testing.T, args ...string) (*flags, error) {
	t.Helper()
	f := newFlags(testProgram())
	return f, f.parse(append([]string{"mul", "--target", "hexagon-32-noos-hvx-hvx_v66"}, args...))
}

// Emulated benchmarks have a table of counts, with the ratios of packets.
func TestCounts(t *testing.T) {
	f, err := emulatedFlags(t)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{
		flags: f, rows: []string{"mul", "sobel"}, columns: []string{"none", "manual", adams}, cells: map[string]cell{},
	}
	var results report.Run
	var records []invocations.Record
	for _, c := range []struct {
		row, column string
		status      invocations.Status
		packets     int64
	}{
		{"mul", "none", invocations.OK, 1_993_464}, {"mul", "manual", invocations.OK, 50_000},
		{"mul", adams, invocations.OK, 40_000},
		{"sobel", "none", invocations.OK, 300}, {"sobel", "manual", invocations.Mismatch, 100},
	} {
		name := c.row + "/" + c.column
		r.cells[name] = cell{c.row, c.column}
		record := invocations.Record{Name: name, Status: c.status}
		if instructions, vectors := 2*c.packets, c.packets/2; c.status == invocations.OK {
			record.HexagonPackets, record.HexagonInstructions = &c.packets, &instructions
			record.HexagonVectorInstructions = &vectors
		}
		records = append(records, record)
	}
	results.Records = invocations.RecordsOf(records...)
	var b strings.Builder
	c, err := newComparison(r, results)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.write(&b); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(b.String(), "no times are told\n")
	want := `
  benchmark  scheduler    packets  ratio  instructions  HVX instructions
  mul        none       1,993,464  49.84     3,986,928           996,732
  mul        manual        50,000  1.250       100,000            25,000
  mul        adams2019     40,000  1.000        80,000            20,000
  sobel      none             300  1.000           600               150
  sobel      manual      mismatch
  sobel      adams2019          -
`
	fields := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if fields(table) != fields(want) || !strings.Contains(b.String(), "packets are not cycles") {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// What needs times is refused for Hexagon, and the best schedules of a tuning are not taken.
func TestCheckEmulated(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--timings-csv", "t.csv"}, "--timings-csv: pipelines for Hexagon are emulated, and have counts and no times"},
		{[]string{"--tune", "1m"}, "--tune: pipelines for Hexagon are emulated"},
		{[]string{"--tuned", "folder"}, "--tuned: its schedules are for the machine that was tuned for"},
		{[]string{"--target", "hexagon-32-qurt-hvx"}, "--target: target hexagon-32-qurt-hvx: the emulator has no system"},
		{[]string{"--target", "hexagon-32-noos"}, "add the feature hvx"},
	} {
		if _, err := emulatedFlags(t, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q in it", c.args, err, c.want)
		}
	}
}
