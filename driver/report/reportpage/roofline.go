package reportpage

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"zonemark/driver/peaks"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations"
)

// roofline shows how near the results of runs of one machine come to what it can do: a drawing for each type of numbers.
type roofline struct {
	Drawings []drawing.Roofline // none if no peaks are known
	Notes    []string           // for below them
}

// mostPoints is the number of points of a roofline that a page shows.
const mostPoints = 500

// work is something whose operations and bytes are known.
type work struct {
	flop, bytes, ns float64
	name, link      string
	element         invocations.ElementType // empty: not known
	threads         int                     // 0: not known
	run             int                     // the place of its run among those of the machine
	how             string                  // where the numbers come from
}

// rooflinesOf draws rooflines for results with known operations and bytes. Runs that have the same peaks share them.
func rooflinesOf(sources []Source) (all []roofline) {
	type shared struct {
		peaks []peaks.Peak
		names []string // of the journals
		works []work
	}
	var machines []*shared
	for n := range sources {
		s := &sources[n]
		var list []work
		for i := range s.records {
			r := &s.records[i]
			link := "id-" + report.Printable(r.ID)
			if len(sources) > 1 {
				link += fmt.Sprintf("-%d", n+1)
			}
			list = append(list, worksOf(r, link)...)
		}
		if len(list) == 0 {
			continue
		}
		at := slices.IndexFunc(machines, func(m *shared) bool {
			return len(m.names) < drawing.MostLines && reflect.DeepEqual(m.peaks, s.Peaks)
		})
		if at < 0 {
			at = len(machines)
			machines = append(machines, &shared{peaks: s.Peaks})
		}
		m := machines[at]
		for i := range list {
			list[i].run = len(m.names)
		}
		m.names, m.works = append(m.names, s.name()), append(m.works, list...)
	}
	for _, m := range machines {
		suffix := ""
		if len(sources) > 1 && len(m.names) == 1 { // several have a legend
			suffix = " — " + m.names[0]
		}
		all = append(all, newRoofline(suffix, m.peaks, m.names, m.works))
	}
	return all
}

// worksOf returns what is known of an invocation: itself, and its dispatches whose names tell their sizes. Without a
// number of bytes, an invocation counts the bytes of its arguments.
func worksOf(r *invocations.Record, link string) (list []work) {
	if r.Status != invocations.OK {
		return nil
	}
	if r.FLOP != nil && r.MedianNS != nil {
		w := work{flop: *r.FLOP, ns: *r.MedianNS, name: r.Name, link: link, element: elementOf(r), threads: threadsOf(r)}
		switch {
		case r.Bytes != nil:
			w.bytes = *r.Bytes
		case r.SetBytes != nil:
			w.bytes, w.how = float64(*r.SetBytes), "bytes of its arguments"
		}
		list = append(list, w)
	}
	for i := range r.Dispatches {
		d := &r.Dispatches[i]
		if d.FLOP == nil || d.MedianNS == nil {
			continue
		}
		bytes, element, _ := invocations.ProductBytes(d.Name)
		list = append(list, work{*d.FLOP, bytes, *d.MedianNS, d.Name + " of " + r.Name, link, element, d.Threads,
			0, "operations and bytes by its name"})
	}
	return slices.DeleteFunc(list, func(w work) bool { return !usable(w.flop) || !usable(w.bytes) || !usable(w.ns) })
}

func usable(v float64) bool { return v > 0 && v < 1e100 }

// elementOf returns the type of the first array.
func elementOf(r *invocations.Record) invocations.ElementType {
	for i := range r.Arguments {
		if a := &r.Arguments[i]; !a.ByValue {
			return a.Element
		}
	}
	return ""
}

// threadsOf returns how many threads made a call: as many as its dispatches had, or the calling one alone if the core on
// which it ran was watched, which is done for such calls only; 0 if that is not known.
func threadsOf(r *invocations.Record) (n int) {
	for i := range r.Dispatches {
		n = max(n, r.Dispatches[i].Threads)
	}
	if n == 0 && r.ClockGHz != nil {
		return 1
	}
	return n
}

func newRoofline(suffix string, known []peaks.Peak, names []string, list []work) roofline {
	c := ceilingsOf(known)
	if len(c.roofs(list)) == 0 {
		return roofline{Notes: []string{fmt.Sprintf("The operations and bytes of %s are known. The peaks of the machine "+
			"that measured them are not: \"zonemark peaks\", run there before \"zonemark report\", measures them.",
			report.Counted(len(list), "result"))}}
	}
	var out roofline
	if more := len(list) - mostPoints; more > 0 {
		some := make([]work, mostPoints) // of all runs
		for i := range some {
			some[i] = list[i*len(list)/mostPoints]
		}
		list = some
		out.Notes = append(out.Notes, report.Counted(more, "more point")+" are left out.")
	}
	for _, some := range byElement(list) {
		title := "Roofline of " + string(some[0].element)
		if some[0].element == "" {
			title = "Roofline of numbers whose type is not known"
		}
		var points []drawing.RoofPoint
		for _, w := range some {
			points = append(points, w.point(c))
		}
		d := drawing.NewRoofline(report.Printable(title)+suffix, "operations for each byte", "operations a second", c.roofs(some),
			points, report.Number, rateLabel)
		if len(names) > 1 {
			d.Legend = names
		}
		out.Drawings = append(out.Drawings, d)
	}
	out.Notes = append(out.Notes, peakNotes(known)...)
	return out
}

// byElement divides works by the types of their numbers, in order of appearance.
func byElement(list []work) (parts [][]work) {
	at := map[invocations.ElementType]int{}
	for _, w := range list {
		if _, there := at[w.element]; !there {
			at[w.element] = len(parts)
			parts = append(parts, nil)
		}
		parts[at[w.element]] = append(parts[at[w.element]], w)
	}
	return parts
}

// point returns the point of a work, with its share of its own roof.
func (w *work) point(c ceilings) drawing.RoofPoint {
	intensity, rate := w.flop/w.bytes, w.flop/w.ns*1e9
	title := fmt.Sprintf("%s: %sFLOP/s, %s for each byte, %s", report.Printable(w.name), report.Rate(rate),
		report.Ratio(intensity), w.shareText(c, intensity, rate))
	if w.how != "" {
		title += " (" + w.how + ")"
	}
	return drawing.RoofPoint{X: intensity, Y: rate, Title: title, Link: w.link, Set: w.run}
}

// shareText says how near a rate comes to the roof of the work's own type and threads.
func (w *work) shareText(c ceilings, intensity, rate float64) string {
	roof, vague := c.above(w, intensity)
	switch {
	case w.element == "":
		return "of an unknown type, so that no roof is its own"
	case roof == 0:
		return "no roof of " + string(w.element) + " is known"
	}
	text := report.Percent(rate/roof) + " of the roof of " + string(w.element)
	if w.threads > 0 {
		text += " on " + report.Counted(w.threads, "thread")
	}
	if vague {
		text += ", which is vague"
	}
	return text
}

func peakTitle(p *peaks.Peak) string {
	unit, what := "op/s", p.What+" with "+p.Using
	if p.Moves() {
		unit, what = "B/s", p.What+" "+p.Level
	}
	high := "?"
	if p.HighPerS > 0 {
		high = report.Rate(p.HighPerS)
	}
	return report.Printable(fmt.Sprintf("%s on %s: %s%s (%s … %s), %s", what, report.Counted(p.CPUs, "CPU"),
		report.Rate(p.PerS), unit, report.Rate(p.LowPerS), high, verdictWords(p.Verdicts)))
}

func verdictWords(list []invocations.Verdict) string {
	var words []string
	for _, v := range list {
		words = append(words, string(v))
	}
	return strings.Join(words, ", ")
}

// peakNotes say when the peaks were measured, and whether they can be trusted.
func peakNotes(known []peaks.Peak) []string {
	first, flawed, uncertain, quick := known[0].Measured, 0, 0, false
	for _, p := range known {
		if p.Vague() {
			uncertain++
		}
		if p.Measured.Before(first) {
			first = p.Measured
		}
		if !slices.Equal(p.Verdicts, []invocations.Verdict{invocations.Clean}) {
			flawed++
		}
		quick = quick || p.Quick
	}
	notes := []string{"Solid roofs are those of one CPU, dashed roofs those of all CPUs. A dashed roof below the " +
		"solid one is left out. They were measured on this machine, on " +
		first.UTC().Format("2006-01-02") + " or later."}
	if flawed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %s are not clean; \"zonemark peaks\" measures again.", flawed,
			report.Counted(len(known), "peak")))
	}
	if uncertain > 0 {
		notes = append(notes, fmt.Sprintf("%d of them are vague: their intervals are wider than half of them. Their roofs "+
			"are faint; \"zonemark peaks\" on a quiet machine measures them again.", uncertain))
	}
	if quick {
		notes = append(notes, "Some were measured in a short time (--quick).")
	}
	return notes
}

// rateLabel writes a rate at an axis.
func rateLabel(perS float64) string {
	number, prefix, _ := strings.Cut(report.Rate(perS), " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return strings.TrimSpace(number + " " + prefix)
}
