package traceverbs

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/trace/ttmetal"
)

// TTWork is what calls work on, and how fast: the columns that rows of calls and of shapes have in common. What is not
// known is empty or absent. It is exported for the writer of CSV, which passes over other structs inside rows.
type TTWork struct {
	Category    string   `csv:"category" json:"category,omitempty"`
	Shape       string   `csv:"shape" json:"shape,omitempty"`
	Types       string   `csv:"types" json:"types,omitempty"`
	Placement   string   `csv:"placement" json:"placement,omitempty"`
	Fidelity    string   `csv:"fidelity" json:"fidelity,omitempty"`
	FLOPS       *float64 `csv:"flop_per_second" json:"flop_per_second,omitempty"`
	FLOPPercent *float64 `csv:"flop_percent_of_peak" json:"flop_percent_of_peak,omitempty"`
	DRAM        *float64 `csv:"dram_bytes_per_second" json:"dram_bytes_per_second,omitempty"`
	DRAMPercent *float64 `csv:"dram_percent_of_peak" json:"dram_percent_of_peak,omitempty"`
	Bound       string   `csv:"bound" json:"bound,omitempty"`
}

// newTTWork says what calls like c work on, at these rates.
func newTTWork(c *ttmetal.Call, rates *ttmetal.Rates) TTWork {
	w := TTWork{Category: c.Category(), Shape: c.Shape(), Types: c.Types(), Placement: c.Placement(),
		Fidelity: c.Fidelity(), FLOPS: invocations.Finite(math.Round(rates.FLOPS())),
		FLOPPercent: invocations.Finite(thousandths(100 * ttmetal.AsShare(rates.FLOPShare()))),
		DRAM:        invocations.Finite(math.Round(rates.DRAMRate())), DRAMPercent: invocations.Finite(thousandths(100 * ttmetal.AsShare(rates.DRAMShare()))),
		Bound: rates.Bound()}
	if w.Category == ttmetal.CategoryHost {
		w.Bound = ttmetal.BoundHost
	}
	return w
}

// ttShapeRow is the calls of an op that work on the same in the same way.
type ttShapeRow struct {
	Kind        string   `csv:"-" json:"kind"` // "shape"
	Report      string   `csv:"report" json:"report"`
	Op          string   `csv:"op" json:"op"`
	Calls       int64    `csv:"calls" json:"calls"`
	RunNS       float64  `csv:"run_ns" json:"run_ns"`
	RunShare    float64  `csv:"run_share_percent" json:"run_share_percent"`
	RunMedianNS *float64 `csv:"run_median_ns" json:"run_median_ns,omitempty"`
	GapNS       float64  `csv:"device_gap_before_ns" json:"device_gap_before_ns"`
	Cores       *int64   `csv:"cores" json:"cores,omitempty"` // that compute
	CoresGiven  *int64   `csv:"cores_available" json:"cores_available,omitempty"`
	TTWork
	Chip          string `csv:"chip" json:"chip,omitempty"` // whose peaks shares are of
	Advice        string `csv:"advice" json:"advice,omitempty"`
	ReportPartial bool   `csv:"report_partial" json:"report_partial"`
}

func newTTShapeRow(r *ttmetal.FileReport, o *ttmetal.OpTotals) ttShapeRow {
	row := ttShapeRow{Kind: "shape", Report: r.Files.Name, Op: o.Op, Calls: o.Calls, RunNS: thousandths(o.RunNS),
		RunShare: thousandths(100 * o.Share), RunMedianNS: invocations.Finite(thousandths(o.Runs.Quantile(0.5))),
		GapNS: thousandths(o.DeviceGapNS), TTWork: newTTWork(o.First, &o.Rates),
		Advice: strings.Join(r.Advice(o), "; "), ReportPartial: r.Partial}
	if cores := o.First.WorkingCores(r.Chip); cores > 0 {
		row.Cores = &cores
	}
	if op := o.First.Row; op != nil && op.AvailableCores > 0 {
		row.CoresGiven = &op.AvailableCores
	}
	if r.Chip != nil {
		row.Chip = r.Chip.Name
	}
	return row
}

func (f *showingTT) shapeTable(r *ttmetal.FileReport) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Title: "op", Name: true}, {Title: "shape", Right: true}, {Title: "calls", Right: true},
		{Title: ttTimeTitle(r), Right: true}, {Title: "share", Right: true}, {Title: "median", Right: true},
		{Title: "bound"}, {Title: "TFLOP/s", Right: true}, {Title: "of peak", Right: true},
		{Title: "DRAM GB/s", Right: true}, {Title: "of peak", Right: true}, {Title: "cores", Right: true},
		{Title: "fidelity"}, {Title: "types", Spare: true}, {Title: "placement", Spare: true},
		{Title: "gaps before", Right: true, Spare: true}, {Title: "category", Spare: true},
	}}
	shown, all := f.groups(r)
	for _, o := range shown {
		row := newTTShapeRow(r, o)
		cores, share, median := "", "", ""
		if o.DeviceCalls > 0 {
			share, median = report.Percent(o.Share), report.Time(o.Runs.Quantile(0.5))
		}
		if row.Cores != nil {
			cores = report.Grouped(*row.Cores)
		}
		if row.Cores != nil && row.CoresGiven != nil {
			cores += " of " + report.Grouped(*row.CoresGiven)
		}
		t.Add(ttOpLabel(o.Op), report.Printable(row.Shape), report.Grouped(o.Calls), ttTime(o.RunNS),
			share, median, row.Bound, ttScaled(row.FLOPS, 1e12),
			ttPercent(row.FLOPPercent), ttScaled(row.DRAM, 1e9), ttPercent(row.DRAMPercent), cores,
			report.Printable(row.Fidelity), report.Printable(row.Types), report.Printable(row.Placement),
			ttTime(o.DeviceGapNS), row.Category)
	}
	if all > len(shown) {
		t.Add(ttMoreRow(t, all-len(shown))...)
	}
	return t
}

// ttScaled shows a rate in a unit.
func ttScaled(rate *float64, unit float64) string {
	if rate == nil {
		return ""
	}
	return fmt.Sprintf("%.3g", *rate/unit)
}

// How much advice a report shows in text, and for how many shapes each.
const (
	ttMostAdvice       = 10
	ttMostAdviceShapes = 3
)

// ttAdvice is what could help the calls of some shapes.
type ttAdvice struct {
	text   string
	share  float64 // of the time of all kernels
	shapes []string
}

// advice collects what to try for what is shown, what most of the time could gain from first.
func (f *showingTT) advice(r *ttmetal.FileReport) (list []*ttAdvice) {
	shown, _ := f.groups(r)
	for _, o := range shown {
		for _, text := range r.Advice(o) {
			i := slices.IndexFunc(list, func(a *ttAdvice) bool { return a.text == text })
			if i < 0 {
				i = len(list)
				list = append(list, &ttAdvice{text: text})
			}
			list[i].share += o.Share
			list[i].shapes = append(list[i].shapes, strings.TrimSpace(ttOpLabel(o.Op)+" "+
				report.Printable(o.First.Shape())))
		}
	}
	slices.SortStableFunc(list, func(a, b *ttAdvice) int { return cmp.Compare(b.share, a.share) })
	return list
}

// writeAdvice says whose peaks shares are of, and what to try.
func (f *showingTT) writeAdvice(w io.Writer, r *ttmetal.FileReport) {
	fmt.Fprintf(w, "\n  %s\n", ttPeaks(r))
	lines, more := f.adviceLines(r)
	if len(lines) > 0 {
		fmt.Fprintf(w, "  What to try:\n")
	}
	for _, line := range lines {
		fmt.Fprintf(w, "  - %s\n", line)
	}
	if more > 0 {
		fmt.Fprintf(w, "  (%s more: --format csv)\n", report.Grouped(int64(more)))
	}
}

// ttPeaks says whose peaks shares are of.
func ttPeaks(r *ttmetal.FileReport) string {
	if r.Chip == nil {
		return "The tables do not say the architecture: name the card with --card to see shares of its peaks."
	}
	text := fmt.Sprintf("Shares of peaks are those of the %s.", r.Chip.Name)
	if rate := r.DRAMRate(); !math.IsNaN(rate) {
		peak := "above its peak, so that this is another chip: name it with --chip"
		if share := ttmetal.AsShare(rate / r.Chip.DRAMBytes); !math.IsNaN(share) {
			peak = report.Percent(share) + " of its peak"
		}
		text += fmt.Sprintf(" In the time of all kernels, matmuls moved %.3g GB/s from and to DRAM: %s.", rate/1e9, peak)
	}
	return text
}

// adviceLines says what to try, and how much more there is.
func (f *showingTT) adviceLines(r *ttmetal.FileReport) (lines []string, more int) {
	if gaps := r.GapAdvice(); gaps != "" {
		lines = append(lines, gaps)
	}
	list := f.advice(r)
	for _, a := range limited(list, ttMostAdvice) {
		shapes := strings.Join(limited(a.shapes, ttMostAdviceShapes), ", ")
		if more := len(a.shapes) - ttMostAdviceShapes; more > 0 {
			shapes += fmt.Sprintf(" and %s more", report.Grouped(int64(more)))
		}
		lines = append(lines, fmt.Sprintf("%s of kernels: %s (%s)", report.Percent(a.share), report.Printable(a.text), shapes))
	}
	return lines, max(0, len(list)-ttMostAdvice)
}
