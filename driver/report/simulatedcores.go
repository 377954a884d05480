package report

import (
	"bufio"
	"strconv"

	"zonemark/driver/report/texttable"
	"zonemark/invocations"
)

// coreSummary sums up the simulated cores of a kind that run one program.
type coreSummary struct {
	program, core     string
	count             int
	least, most, ends int64 // cycles of a core's work, and the last one's end
}

// writeCores writes the cycles of simulated cores of each record that has several. Cores of one kind that run one
// program are one row.
func writeCores(b *bufio.Writer, run Run, seen *overview) error {
	if !seen.cores {
		return nil
	}
	t := texttable.Table{Columns: []texttable.Column{
		{Title: "name", Name: true},
		{Title: "program", Name: true},
		{Title: "core"},
		{Title: "cores", Right: true},
		{Title: "cycles, least", Right: true},
		{Title: "most", Right: true},
		{Title: "last end", Right: true},
	}}
	for r, err := range run.Records.All() {
		if err != nil {
			return err
		}
		if len(r.SimulatedCores) < 2 {
			continue
		}
		for _, s := range summarizeCores(r.SimulatedCores) {
			t.Add(Printable(r.Name), Printable(s.program), Printable(s.core), strconv.Itoa(s.count), Grouped(s.least),
				Grouped(s.most), Grouped(s.ends))
		}
	}
	b.WriteString("\nSimulated cores: cycles of one call, which are not times\n")
	return t.Write(b, run.Width)
}

// summarizeCores returns the summaries in the order in which their first cores come.
func summarizeCores(cores []invocations.SimulatedCore) (list []coreSummary) {
	index := map[[2]string]int{}
	for _, c := range cores {
		key := [2]string{c.Program, c.Core}
		i, known := index[key]
		if !known {
			i = len(list)
			index[key] = i
			list = append(list, coreSummary{program: c.Program, core: c.Core, least: c.End - c.Begin})
		}
		s := &list[i]
		s.count++
		s.least, s.most, s.ends = min(s.least, c.End-c.Begin), max(s.most, c.End-c.Begin), max(s.ends, c.End)
	}
	return list
}
