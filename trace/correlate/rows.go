package correlate

import "zonemark/trace/dispatchcsv"

// Rows are the rows of the dispatch CSV, in order of invocation, iteration and ordinal.
func (c *Result) Rows() []dispatchcsv.Row {
	rows := []dispatchcsv.Row{}
	for i := range c.Invocations {
		inv := &c.Invocations[i]
		for k := range inv.Iterations {
			it := &inv.Iterations[k]
			for n := range it.Dispatches {
				d := &it.Dispatches[n]
				rows = append(rows, dispatchcsv.Row{
					Invocation: inv.ID, Name: inv.Name, Iteration: it.Number, Warmup: it.Warmup, Ordinal: d.Ordinal,
					Dispatch:   d.Name,
					SourceFile: d.SourceFile, SourceLine: d.SourceLine, StartNS: d.StartNS, DurationNS: d.WallNS,
					TotalNS:    d.TotalNS,
					Workgroups: d.Workgroups, Threads: d.Threads, GapBeforeNS: d.GapBeforeNS, Flags: it.Flags.String(),
				})
			}
		}
	}
	return rows
}
