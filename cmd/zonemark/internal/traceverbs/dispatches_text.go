package traceverbs

import (
	"bufio"
	"fmt"
	"io"

	"zonemark/driver/report"
	"zonemark/trace/correlate"
)

func showDispatches(out io.Writer, c *correlate.Result, iterations bool, width int) error {
	w := bufio.NewWriter(out)
	for i := range c.Invocations {
		inv := &c.Invocations[i]
		name := inv.ID
		if inv.Name != "" {
			name += " " + inv.Name
		}
		fmt.Fprintf(w, "%s: %s; %s%s\n", report.Printable(name), report.Counted(len(inv.Iterations), "iteration"),
			inv.Verdict, flagText(inv.Flags))
		if !iterations {
			if err := report.WriteParts(w, summaryParts(inv), width); err != nil {
				return err
			}
			continue
		}
		for k := range inv.Iterations {
			it := &inv.Iterations[k]
			warmup := ""
			if it.Warmup {
				warmup = ", warm-up"
			}
			fmt.Fprintf(w, " iteration %d at %.6f ms, %s%s%s\n", it.Number, float64(it.StartNS)/1e6,
				report.Time(float64(it.BracketNS)), warmup, flagText(it.Flags))
			if err := report.WriteParts(w, iterationParts(it), width); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

func flagText(f correlate.Flags) string {
	if f == 0 {
		return ""
	}
	return " (" + f.String() + ")"
}

// summaryParts are the medians over iterations.
func summaryParts(inv *correlate.Invocation) (list []report.Part) {
	for i := range inv.Dispatches {
		d := &inv.Dispatches[i]
		p := report.Part{Name: d.Name, NS: d.MedianNS, Workgroups: d.Workgroups, Threads: d.Threads, P10NS: d.P10NS,
			P90NS: d.P90NS, Calls: d.Count}
		if d.SourceFile != "" {
			p.Place = fmt.Sprintf("%s:%d", d.SourceFile, d.SourceLine)
		}
		list = append(list, p)
	}
	return append(list, report.Part{Name: "gaps", NS: inv.GapNS}, report.Part{Name: "host", NS: inv.HostNS})
}

func iterationParts(it *correlate.Iteration) (list []report.Part) {
	for i := range it.Dispatches {
		d := &it.Dispatches[i]
		p := report.Part{Name: d.Name, NS: float64(d.WallNS), Workgroups: d.Workgroups, Threads: d.Threads,
			SummedNS: float64(d.TotalNS)}
		if d.SourceFile != "" {
			p.Place = fmt.Sprintf("%s:%d", d.SourceFile, d.SourceLine)
		}
		list = append(list, p)
	}
	return append(list, report.Part{Name: "gaps", NS: float64(it.GapNS)},
		report.Part{Name: "host", NS: float64(it.HostNS)},
		report.Part{Name: "unexplained", NS: float64(it.UnexplainedNS)})
}
