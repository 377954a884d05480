package modelbench

import (
	"encoding/json"
	"fmt"
	"os"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/bench"
	"zonemark/driver/report"
	"zonemark/driver/stats"
	"zonemark/invocations"
)

// report writes the report. If the benchmark failed before anything was measured, it writes only records.
func (b *Benchmark) report() error {
	if b.format == formatRecord {
		return b.writeRecords()
	}
	if len(b.results) == 0 {
		return nil
	}
	format, err := b.Formats.Lookup(b.format)
	if err != nil {
		return err
	}
	run := report.Run{
		Build: cli.Version(), Started: b.began, Command: os.Args, Environment: b.environment,
		Records: invocations.RecordsOf(b.results...), Complete: true, Width: cli.TerminalWidth(b.Out),
		Colours: cli.Colours(b.Out, b.Variables.Lookup),
	}
	for _, t := range b.targets {
		run.Complete = run.Complete && t.failure == nil
	}
	run.Rankings = report.Rank(run.Records, stats.RankOptions{})
	if format.Name == "text" {
		b.writeHeading()
	}
	if err := format.Write(b.Out, run); err != nil || format.Name != "text" {
		return err
	}
	if !b.several() {
		return writeBenchmark(b.Out, &b.targets[0].record, run.Width)
	}
	return b.writeBeside(run.Width)
}

// writeRecords writes the record as -o writes it; those of several runtimes as a list.
func (b *Benchmark) writeRecords() error {
	var value any = b.records()
	if !b.several() {
		value = &b.targets[0].record
	}
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.Out, "%s\n", text)
	return err
}

// writeHeading writes what was measured, and on which devices.
func (b *Benchmark) writeHeading() {
	for _, t := range b.targets {
		if t.record.Zonemark.Model != nil {
			writeModel(b.Out, &t.record)
			break
		}
	}
	for _, t := range b.targets {
		writeDevice(b.Out, &t.record)
	}
}

// writeBeside writes the figures of several runtimes end to end, and what there is to say about each.
func (b *Benchmark) writeBeside(width int) error {
	if err := writeComparison(b.Out, b.records(), width); err != nil {
		return err
	}
	for _, t := range b.targets {
		name := t.backend.name
		if t.record.Zonemark.Trace != nil {
			if err := writeTrace(b.Out, name+": ", t.record.Zonemark.Trace, width); err != nil {
				return err
			}
		}
		writeRemarks(b.Out, name+": ", &t.record)
	}
	return nil
}

// records returns the records of all runtimes.
func (b *Benchmark) records() (list []*bench.RunRecord) {
	for _, t := range b.targets {
		list = append(list, &t.record)
	}
	return list
}
