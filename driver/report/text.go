package report

import (
	"bufio"
	"io"
)

// writeText writes the machine, a table of the records without a ranking, a ranking for each group, the hosts,
// distributions, counters, dispatches, what an emulator has counted, records without a time, notes, and a line of counts.
func writeText(w io.Writer, run Run) error {
	seen, err := overviewOf(run)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	writeHeading(b, run, seen)
	if err := writeTimes(b, run, seen); err != nil {
		return err
	}
	for _, ranking := range run.Rankings {
		if err := writeRanking(b, run, ranking); err != nil {
			return err
		}
	}
	for _, write := range []func(*bufio.Writer, Run, *overview) error{
		writeHosts, writePlots, writeCounters, writeDispatches, writeCores, writeHexagon, writeUntimed,
	} {
		if err := write(b, run, seen); err != nil {
			return err
		}
	}
	if err := writePartial(b, run); err != nil {
		return err
	}
	writeNotes(b, run, seen)
	writeCounts(b, run, seen)
	return b.Flush()
}
