package reportpage

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/driver/peaks"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations"
)

// roofline shows how near the results of a run come to what the machine can do.
type roofline struct {
	Drawing *drawing.Roofline // nil if no peaks are known
	Notes   []string
}

// mostPoints is the number of points of a roofline that a page shows.
const mostPoints = 500

// work is something whose operations and bytes are known.
type work struct {
	flop, bytes, ns float64
	name, link      string
	element         invocations.ElementType
	how             string // where the numbers come from
}

// rooflinesOf draws a roofline for each run that has results with known operations and bytes.
func rooflinesOf(sources []Source) (all []roofline) {
	for n := range sources {
		s := &sources[n]
		var list []work
		for _, r := range s.Run.Records.All() {
			link := "id-" + report.Printable(r.ID)
			if len(sources) > 1 {
				link += fmt.Sprintf("-%d", n+1)
			}
			list = append(list, worksOf(r, link)...)
		}
		if len(list) == 0 {
			continue
		}
		title := "Roofline"
		if len(sources) > 1 {
			title += " — " + s.name()
		}
		all = append(all, newRoofline(title, s.Peaks, list))
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
		w := work{flop: *r.FLOP, ns: *r.MedianNS, name: r.Name, link: link, element: elementOf(r)}
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
		list = append(list, work{*d.FLOP, bytes, *d.MedianNS, d.Name + " of " + r.Name, link, element,
			"operations and bytes by its name"})
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

func newRoofline(title string, known []peaks.Peak, list []work) roofline {
	roofs, best := roofsOf(known, list)
	if len(roofs) == 0 && len(known) > 0 {
		return roofline{Notes: []string{fmt.Sprintf("The operations and bytes of %s are known. The peaks of the machine "+
			"that measured them are too vague, since other work disturbed them: \"zonemark peaks\" measures them again.",
			report.Counted(len(list), "result"))}}
	}
	if len(roofs) == 0 {
		return roofline{Notes: []string{fmt.Sprintf("The operations and bytes of %s are known. The peaks of the machine "+
			"that measured them are not: \"zonemark peaks\", run there before \"zonemark report\", measures them.",
			report.Counted(len(list), "result"))}}
	}
	var notes []string
	if more := len(list) - mostPoints; more > 0 {
		list = list[:mostPoints]
		notes = append(notes, report.Counted(more, "more point")+" are left out.")
	}
	var points []drawing.RoofPoint
	for _, w := range list {
		points = append(points, w.point(best))
	}
	d := drawing.NewRoofline(title, "operations for each byte", "operations a second", roofs, points, label, rateLabel)
	return roofline{Drawing: &d, Notes: append(notes, peakNotes(known)...)}
}

// point returns the point of a work, with its share of the highest roof above it.
func (w *work) point(best func(intensity float64) float64) drawing.RoofPoint {
	intensity, rate := w.flop/w.bytes, w.flop/w.ns*1e9
	title := fmt.Sprintf("%s: %sFLOP/s, %s for each byte, %s of the roof", report.Printable(w.name), report.Rate(rate),
		report.Ratio(intensity), report.Percent(rate/best(intensity)))
	if w.how != "" {
		title += " (" + w.how + ")"
	}
	return drawing.RoofPoint{X: intensity, Y: rate, Title: title, Link: w.link}
}

const (
	// nearOne is the part of the rate of one CPU that all together have at least.
	nearOne = 0.95
	// vague is the width of a peak's interval, as a part of the rate, from which it is no roof.
	vague = 0.5
)

// isVague reports whether a second run may find quite another rate.
func isVague(p *peaks.Peak) bool { return !(p.HighPerS-p.LowPerS < vague*p.PerS) }

// roofsOf returns the roofs that matter for these works: reading from each level, and the highest rates of the types
// that occur, for one CPU and, dashed, for all, unless these were slower. best returns the highest of them at an intensity.
func roofsOf(known []peaks.Peak, list []work) (roofs []drawing.Roof, best func(intensity float64) float64) {
	var types []string
	for _, w := range list {
		types = append(types, string(w.element))
	}
	highest := map[string]peaks.Peak{}
	var order []string
	for _, p := range known {
		if p.Moves() && p.What != "read" || isVague(&p) {
			continue
		}
		if !p.Moves() && !slices.Contains(types, p.What) && p.What != string(invocations.Float32) {
			continue
		}
		key := fmt.Sprint(p.What, p.Level, p.CPUs > 1)
		if old, there := highest[key]; !there {
			order = append(order, key)
		} else if old.PerS >= p.PerS {
			continue
		}
		highest[key] = p
	}
	level, slope := 0.0, 0.0
	for _, key := range order {
		p := highest[key]
		if one, there := highest[fmt.Sprint(p.What, p.Level, false)]; there && p.PerS < nearOne*one.PerS {
			continue // other work had some of the CPUs
		}
		roof := drawing.Roof{Second: p.CPUs > 1, Title: peakTitle(&p)}
		if p.Moves() {
			roof.Name, roof.Slope = report.Printable(p.Level), p.PerS
		} else {
			roof.Name, roof.Level = report.Printable(p.What+" "+p.Using), p.PerS
		}
		if roof.Second {
			roof.Name += fmt.Sprintf(" × %d", p.CPUs)
		}
		roofs, level, slope = append(roofs, roof), max(level, roof.Level), max(slope, roof.Slope)
	}
	if level == 0 || slope == 0 {
		return nil, nil
	}
	return roofs, func(intensity float64) float64 { return min(level, slope*intensity) }
}

func peakTitle(p *peaks.Peak) string {
	unit, what := "op/s", p.What+" with "+p.Using
	if p.Moves() {
		unit, what = "B/s", p.What+" "+p.Level
	}
	return report.Printable(fmt.Sprintf("%s on %s: %s%s (%s … %s), %s", what, report.Counted(p.CPUs, "CPU"),
		report.Rate(p.PerS), unit, report.Rate(p.LowPerS), report.Rate(p.HighPerS), verdictWords(p.Verdicts)))
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
		if isVague(&p) {
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
	notes := []string{"Solid roofs are those of one CPU, dashed ones of all; one of all that is below that of one is " +
		"left out. They were measured on this machine, on " +
		first.UTC().Format("2006-01-02") + " or later."}
	if flawed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %s are not clean; \"zonemark peaks\" measures again.", flawed,
			report.Counted(len(known), "peak")))
	}
	if uncertain > 0 {
		notes = append(notes, fmt.Sprintf("%d of them are too uncertain to be drawn.", uncertain))
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
