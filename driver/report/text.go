package report

import (
	"bufio"
	"io"
)

// writeText writes the machine, a table of the records without a ranking, a ranking for each group, the hosts,
// distributions, counters, dispatches, what an emulator has counted, records without a time, notes, and a line of counts.
func writeText(w io.Writer, run Run) error {
	b := bufio.NewWriter(w)
	writeHeading(b, run)
	seen, ranked := overviewOf(run.Records), map[int]bool{}
	for _, ranking := range run.Rankings {
		for _, row := range ranking.Rows {
			ranked[row.Variant] = true
		}
	}
	if err := writeTimes(b, run, ranked); err != nil {
		return err
	}
	for _, ranking := range run.Rankings {
		if err := writeRanking(b, run, ranking); err != nil {
			return err
		}
	}
	if run.Verbose {
		if err := writeHosts(b, run); err != nil {
			return err
		}
	}
	if err := writePlots(b, run); err != nil {
		return err
	}
	if err := writeCounters(b, run); err != nil {
		return err
	}
	if err := writeDispatches(b, run, seen); err != nil {
		return err
	}
	if err := writeCores(b, run); err != nil {
		return err
	}
	if err := writeHexagon(b, run, seen); err != nil {
		return err
	}
	if err := writeUntimed(b, run, seen); err != nil {
		return err
	}
	if err := writePartial(b, run); err != nil {
		return err
	}
	writeNotes(b, run, seen)
	writeCounts(b, run, seen)
	return b.Flush()
}
