package modelbench

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/bench"
)

// report writes the report. If the benchmark failed before anything was measured, it writes only records.
func (b *Benchmark) report() error {
	if b.format == formatRecord {
		return b.writeRecords()
	}
	if b.run.Records == nil {
		return nil
	}
	format, err := b.Formats.Lookup(b.format)
	if err != nil {
		return err
	}
	run := b.run
	run.Started, run.Width, run.Colours = b.began, cli.TerminalWidth(b.Out), cli.Colours(b.Out, b.Variables.Lookup)
	for _, t := range b.targets {
		run.Complete = run.Complete && t.failure == nil
	}
	if format.Name == "text" {
		b.writeHeading()
	}
	if err := format.Write(b.Out, run); err != nil || format.Name != "text" {
		return err
	}
	if len(b.targets) == 1 {
		return writeBenchmark(b.Out, &b.targets[0].record, run.Width)
	}
	return b.writeBeside(run.Width)
}

// writeRecords writes the record as -o writes it; those of several runtimes or hosts as a list.
func (b *Benchmark) writeRecords() error {
	var value any = recordsOf(b.targets)
	if len(b.targets) == 1 {
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
		writeDevice(b.Out, &t.record, len(b.Via) > 0)
	}
}

// writeBeside writes the figures of several runtimes end to end, those of several hosts, and what there is to say about
// each.
func (b *Benchmark) writeBeside(width int) error {
	if b.several() {
		for host := range b.hostCount() {
			list := b.onHost(host)
			name := ""
			if b.Spread {
				name = " on " + list[0].record.MachineName
			}
			if err := writeComparison(b.Out, name, recordsOf(list), width); err != nil {
				return err
			}
		}
	}
	if b.Spread {
		if err := b.writeHosts(width); err != nil {
			return err
		}
	}
	for _, t := range b.targets {
		if t.record.Zonemark.Trace == nil {
			continue
		}
		if err := writeTrace(b.Out, prefixed(t.name()), t.record.Zonemark.Trace, width); err != nil {
			return err
		}
	}
	for _, t := range b.targets {
		switch alike := t.alike(equalRemarks); {
		case !alike:
			writeRemarks(b.Out, prefixed(t.name()), &t.record)
		case t.host == 0:
			writeRemarks(b.Out, prefixed(t.runtimeName()), &t.record)
		}
	}
	return nil
}

// equalRemarks reports whether there is the same to say about two targets.
func equalRemarks(a, b *target) bool {
	return maps.Equal(a.record.Zonemark.NotApplied, b.record.Zonemark.NotApplied) &&
		slices.Equal(a.record.Zonemark.Notes, b.record.Zonemark.Notes)
}

// writeHosts writes the figures end to end of each runtime on all hosts.
func (b *Benchmark) writeHosts(width int) error {
	for _, leader := range b.onHost(0) {
		if err := writeSpread(b.Out, leader.runtimeName(), recordsOf(leader.byRuntime()), width); err != nil {
			return err
		}
	}
	return nil
}

// recordsOf returns the records of targets.
func recordsOf(targets []*target) (list []*bench.RunRecord) {
	for _, t := range targets {
		list = append(list, &t.record)
	}
	return list
}
