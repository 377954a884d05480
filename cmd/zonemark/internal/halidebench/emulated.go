package halidebench

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	runtime "zonemark/executor/halide"
	"zonemark/executor/halide/hexagon"
	"zonemark/invocations"
)

// emulated reports whether the benchmarks are built for Hexagon. An emulator calls them, which tells counts and no times.
func (f *flags) emulated() bool { return hexagon.IsTarget(f.Options()[runtime.OptionTarget]) }

// checkEmulated refuses, for Hexagon, what needs times of this machine.
func (f *flags) checkEmulated() error {
	if !f.emulated() {
		return nil
	}
	if err := hexagon.CheckTarget(f.Options()[runtime.OptionTarget]); err != nil {
		return fmt.Errorf("--%s: %w", runtime.OptionTarget, err)
	}
	const counts = "pipelines for Hexagon are emulated, and have counts and no times: "
	switch {
	case f.timings != "":
		return errors.New("--timings-csv: " + counts + "leave it out; --format csv and ndjson have the counts")
	case f.tuneNS > 0:
		return errors.New("--tune: " + counts + "leave it out, and tune for this machine without --target")
	case f.Set.Changed(tunedFlag):
		return fmt.Errorf("--%s: its schedules are for the machine that was tuned for; leave it out, or give its weights "+
			"with --%s", tunedFlag, runtime.OptionWeights)
	}
	return nil
}

// writeCounts writes the table of emulated benchmarks: a row for each benchmark and scheduler.
func (t *comparison) writeCounts(w io.Writer) error {
	table := texttable.Table{Columns: []texttable.Column{
		{Title: "benchmark", Name: true}, {Title: "scheduler"}, {Title: "packets", Right: true},
		{Title: "ratio", Right: true}, {Title: "instructions", Right: true}, {Title: "HVX instructions", Right: true},
	}}
	for _, row := range t.rows {
		least := t.fewestPackets(row)
		for _, column := range t.columns {
			at := cell{row, column}
			counts := t.counts(at)
			if counts == nil {
				table.Add(report.Printable(row), column, t.outcome(at), "", "", "")
				continue
			}
			ratio := ""
			if least > 0 {
				ratio = report.Ratio(float64(counts.Packets) / float64(least))
			}
			table.Add(report.Printable(row), column, report.Grouped(counts.Packets), ratio,
				report.Grouped(counts.Instructions), report.Grouped(counts.VectorInstructions))
		}
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, "\ncounts of a call by scheduler, and the ratios of packets to the fewest of the benchmark; an "+
		"emulator\ncounts, which knows no stalls and no caches: packets are not cycles, and no times are told")
	if err := table.Write(&b, cli.TerminalWidth(w)); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// counts returns what the emulator has counted; nil if it has not.
func (t *comparison) counts(at cell) *invocations.HexagonCounts {
	r := t.records[at]
	if r == nil || r.Status != invocations.OK || r.HexagonPackets == nil || r.HexagonInstructions == nil ||
		r.HexagonVectorInstructions == nil {
		return nil
	}
	return &invocations.HexagonCounts{
		Packets: *r.HexagonPackets, Instructions: *r.HexagonInstructions, VectorInstructions: *r.HexagonVectorInstructions,
	}
}

// fewestPackets returns the least count of packets of a benchmark, 0 if it has none.
func (t *comparison) fewestPackets(row string) (least int64) {
	for _, column := range t.columns {
		if c := t.counts(cell{row, column}); c != nil && (least == 0 || c.Packets < least) {
			least = c.Packets
		}
	}
	return least
}
