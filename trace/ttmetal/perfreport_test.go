package ttmetal

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// unzipped reads a file in testdata/perfreport.
func unzipped(t *testing.T, name string) io.Reader {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "perfreport", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// perfRow is a row of the table that tt-perf-report writes with --csv.
type perfRow map[string]string

// number is the number in a cell, NaN for an empty one.
func (row perfRow) number(t *testing.T, column string) float64 {
	t.Helper()
	cell, there := row[column]
	if !there {
		t.Fatalf("no column %q", column)
	}
	if cell == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// perfRows are the rows of its table by the line of the report that they tell of.
func perfRows(t *testing.T, name string) map[int]perfRow {
	t.Helper()
	records, err := csv.NewReader(unzipped(t, name)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[int]perfRow{}
	for _, record := range records[1:] {
		row := perfRow{}
		for i, title := range records[0] {
			row[title] = record[i]
		}
		rows[int(row.number(t, "ID"))] = row
	}
	return rows
}

// perfReport joins a report in testdata/perfreport.
func perfReport(t *testing.T, name, chip string) *Report {
	t.Helper()
	ops, err := ReadOps(name, unzipped(t, name+".csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r := Join(Tables{Ops: ops})
	if chip != "" {
		r.Measure(ChipNamed(chip))
	}
	return r
}

// same compares with a cell; what both do not know is the same.
func same(got, want, tolerance float64) bool {
	return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= tolerance*math.Abs(want)
}

// TestPerfReport: times, rates, shares of peaks, bounds, categories and advice against tt-perf-report's, call by call
// and in total.
func TestPerfReport(t *testing.T) {
	for _, test := range []struct {
		name, chip, fullName string
		calls                int
		share                float64 // how far shares of the matrix engine's peak may be off
	}{
		// Wormhole: tt-perf-report divides the data sheet's rounded 74 TFLOP/s by 72 cores, where 72 × 1.024 are 73.7.
		{"wh_clip_encoder_2", "", "n150", 500, 0.004},
		{"bh_p100_dlv3", "p100", "p100", 387, 1e-9},
		{"bh_8xp150_deepseek_v3_d_p", "", "p150", 208, 1e-9},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, rows := perfReport(t, test.name, test.chip), perfRows(t, test.name+".expected.csv.gz")
			if len(r.Calls) != test.calls || len(rows) != test.calls || r.Chip.Name != test.fullName {
				t.Fatalf("%d calls, %d rows, %+v", len(r.Calls), len(rows), r.Chip)
			}
			total, bytes, ops := 0.0, 0.0, map[string]float64{}
			for i := range r.Calls {
				c := &r.Calls[i]
				row := rows[c.Line]
				ns := 1000 * row.number(t, "Device Time")
				total += ns
				ops[c.Op] += ns
				if rate := row.number(t, "DRAM"); !math.IsNaN(rate) {
					bytes += rate * ns
				}
				compareCall(t, r, c, row, test.share)
			}
			if !same(r.RunNS, total, 1e-9) || len(ops) != len(r.Ops) || !same(r.DRAMRate(), 1e9*bytes/total, 1e-9) {
				t.Errorf("%v ns of %d ops at %v bytes/s, want %v of %d at %v", r.RunNS, len(r.Ops), r.DRAMRate(), total,
					len(ops), 1e9*bytes/total)
			}
			for i, o := range r.Ops {
				if !same(o.RunNS, ops[o.Op], 1e-9) || !same(o.Share, ops[o.Op]/total, 1e-9) ||
					i > 0 && o.RunNS > r.Ops[i-1].RunNS {
					t.Errorf("%s: %v ns, %v of all, want %v ns", o.Op, o.RunNS, o.Share, ops[o.Op])
				}
			}
		})
	}
}

// compareCall compares one call with its row.
func compareCall(t *testing.T, r *Report, c *Call, row perfRow, tolerance float64) {
	t.Helper()
	if !strings.HasPrefix(row["OP Code"], c.Op) || !same(c.KernelNS, 1000*row.number(t, "Device Time"), 1e-9) ||
		!same(float64(c.WorkingCores(r.Chip)), row.number(t, "Cores"), 0) {
		t.Errorf("line %d: %+v, want %v", c.Line, c, row)
	}
	rates := c.Rates(r.Chip)
	if !same(rates.FLOPS(), 1e12*row.number(t, "FLOPs"), 1e-9) {
		t.Errorf("line %d, %s: %v FLOP/s, want %s T", c.Line, c.Op, rates.FLOPS(), row["FLOPs"])
	}
	if want := row.number(t, "FLOPs %") / 100; !same(rates.FLOPShare(), want, tolerance) {
		t.Errorf("line %d, %s: %v of the peak, want %v", c.Line, c.Op, rates.FLOPShare(), want)
	}
	if want := row.number(t, "DRAM"); !math.IsNaN(want) || rates.DRAMBytes > 0 {
		if !same(rates.DRAMRate(), 1e9*want, 1e-9) || !same(rates.DRAMShare(), row.number(t, "DRAM %")/100, 1e-9) {
			t.Errorf("line %d, %s: %v bytes/s, %v of the peak, want %v", c.Line, c.Op, rates.DRAMRate(),
				rates.DRAMShare(), row)
		}
	}
	bounds := map[string]string{"SLOW": BoundNeither, "DRAM": BoundDRAM, "FLOP": BoundFLOP, "BOTH": BoundBoth}
	if want := row["Bound"]; want != "" && rates.Bound() != bounds[want] {
		t.Errorf("line %d, %s: bound by %q, want %q", c.Line, c.Op, rates.Bound(), want)
	}
	if got, want := c.Category(), perfCategory(row); got != want {
		t.Errorf("line %d, %s: %s, want %s", c.Line, c.Op, got, want)
	}
	compareAdvice(t, r, c, row)
}

// perfCategory is the category of a row. tt-perf-report does not know two of the ops.
func perfCategory(row perfRow) string {
	switch op, _, _ := strings.Cut(row["OP Code"], " "); op {
	case "RingJointSDPADeviceOperation":
		return CategoryCompute
	case "UpdateKVCacheOperation":
		return CategoryMovement
	}
	return map[string]string{"Compute": CategoryCompute, "CCL": CategoryCommunication, "TM": CategoryLayout,
		"DM": CategoryMovement, "Host": CategoryHost, "Other": CategoryOther}[row["Op Category"]]
}

// compareAdvice compares which kinds of advice are given. MinimalMatmul has its settings under another name, by which
// tt-perf-report misses them, and wants a program_config that the op does not have.
func compareAdvice(t *testing.T, r *Report, c *Call, row perfRow) {
	t.Helper()
	o := &OpTotals{First: c}
	o.add(c, r.Chip, true)
	got := strings.Join(r.Advice(o), "\n")
	for _, kind := range []struct{ ours, theirs string }{
		{"shard the weights", "Try a DRAM-sharded"}, {"more cores", "Increase grid size"},
		{"place input 0 in L1", "place input 0 in L1"}, {"give a program_config", "No program_config"},
		{"in0_block_w is 1", "in0_block_w=1 is small"}, {"subblock is 1 × 1", "Output subblock 1x1 is small"},
		{"drops bits of", "accuracy"}, {"is enough for", "is sufficient"},
	} {
		if kind.ours == "give a program_config" && c.Op == "MinimalMatmulOp" {
			continue
		}
		if strings.Contains(got, kind.ours) != strings.Contains(row["Advice"], kind.theirs) {
			t.Errorf("line %d, %s: %q, want %q", c.Line, c.Op, got, row["Advice"])
		}
	}
}
