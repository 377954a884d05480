package ttreport

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations"
	"zonemark/trace/ttmetal"
)

// Work is what calls work on, and how fast: the columns that rows of calls and of shapes have in common. What is not
// known is empty or absent. It is exported for the writer of CSV, which passes over other structs inside rows.
type Work struct {
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

// newWork says what calls like c work on, at these rates.
func newWork(c *ttmetal.Call, rates *ttmetal.Rates) Work {
	w := Work{Category: c.Category(), Shape: c.Shape(), Types: c.Types(), Placement: c.Placement(),
		Fidelity: c.Fidelity(), FLOPS: invocations.Finite(math.Round(rates.FLOPS())),
		FLOPPercent: invocations.Finite(rowtext.Thousandths(100 * ttmetal.AsShare(rates.FLOPShare()))),
		DRAM:        invocations.Finite(math.Round(rates.DRAMRate())), DRAMPercent: invocations.Finite(rowtext.Thousandths(100 * ttmetal.AsShare(rates.DRAMShare()))),
		Bound: rates.Bound()}
	if w.Category == ttmetal.CategoryHost {
		w.Bound = ttmetal.BoundHost
	}
	return w
}

// shapeRow is the calls of an op that work on the same in the same way.
type shapeRow struct {
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
	Work
	Chip          string `csv:"chip" json:"chip,omitempty"` // whose peaks shares are of
	Advice        string `csv:"advice" json:"advice,omitempty"`
	ReportPartial bool   `csv:"report_partial" json:"report_partial"`
}

func newShapeRow(r *ttmetal.FileReport, o *ttmetal.OpTotals) shapeRow {
	row := shapeRow{Kind: "shape", Report: r.Files.Name, Op: o.Op, Calls: o.Calls, RunNS: rowtext.Thousandths(o.RunNS),
		RunShare: rowtext.Thousandths(100 * o.Share), RunMedianNS: invocations.Finite(rowtext.Thousandths(o.Runs.Quantile(0.5))),
		GapNS: rowtext.Thousandths(o.DeviceGapNS), Work: newWork(o.First, &o.Rates),
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

func (v *View) shapeTable(r *ttmetal.FileReport) *texttable.Table {
	t := &texttable.Table{Columns: []texttable.Column{
		{Title: "op", Name: true}, {Title: "shape", Right: true}, {Title: "calls", Right: true},
		{Title: timeTitle(r), Right: true}, {Title: "share", Right: true}, {Title: "median", Right: true},
		{Title: "bound"}, {Title: "TFLOP/s", Right: true}, {Title: "of peak", Right: true},
		{Title: "DRAM GB/s", Right: true}, {Title: "of peak", Right: true}, {Title: "cores", Right: true},
		{Title: "fidelity"}, {Title: "types", Spare: true}, {Title: "placement", Spare: true},
		{Title: "gaps before", Right: true, Spare: true}, {Title: "category", Spare: true},
	}}
	shown, all := v.groups(r)
	for _, o := range shown {
		row := newShapeRow(r, o)
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
		t.Add(opLabel(o.Op), report.Printable(row.Shape), report.Grouped(o.Calls), timeOf(o.RunNS),
			share, median, row.Bound, scaled(row.FLOPS, 1e12),
			percent(row.FLOPPercent), scaled(row.DRAM, 1e9), percent(row.DRAMPercent), cores,
			report.Printable(row.Fidelity), report.Printable(row.Types), report.Printable(row.Placement),
			timeOf(o.DeviceGapNS), row.Category)
	}
	if all > len(shown) {
		t.Add(moreRow(t, all-len(shown))...)
	}
	return t
}

// scaled shows a rate in a unit.
func scaled(rate *float64, unit float64) string {
	if rate == nil {
		return ""
	}
	return fmt.Sprintf("%.3g", *rate/unit)
}

// How much advice a report shows in text, and for how many shapes each.
const (
	mostAdvice       = 10
	mostAdviceShapes = 3
)

// advice is what could help the calls of some shapes.
type advice struct {
	text   string
	share  float64 // of the time of all kernels
	shapes []string
}

// advice collects what to try for what is shown, what most of the time could gain from first.
func (v *View) advice(r *ttmetal.FileReport) (list []*advice) {
	shown, _ := v.groups(r)
	for _, o := range shown {
		for _, text := range r.Advice(o) {
			i := slices.IndexFunc(list, func(a *advice) bool { return a.text == text })
			if i < 0 {
				i = len(list)
				list = append(list, &advice{text: text})
			}
			list[i].share += o.Share
			list[i].shapes = append(list[i].shapes, strings.TrimSpace(opLabel(o.Op)+" "+
				report.Printable(o.First.Shape())))
		}
	}
	slices.SortStableFunc(list, func(a, b *advice) int { return cmp.Compare(b.share, a.share) })
	return list
}

// writeAdvice says whose peaks shares are of, and what to try.
func (v *View) writeAdvice(w io.Writer, r *ttmetal.FileReport) {
	fmt.Fprintf(w, "\n  %s\n", peaks(r))
	lines, more := v.adviceLines(r)
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

// peaks says whose peaks shares are of.
func peaks(r *ttmetal.FileReport) string {
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
func (v *View) adviceLines(r *ttmetal.FileReport) (lines []string, more int) {
	if gaps := r.GapAdvice(); gaps != "" {
		lines = append(lines, gaps)
	}
	list := v.advice(r)
	for _, a := range rowtext.Limited(list, mostAdvice) {
		shapes := strings.Join(rowtext.Limited(a.shapes, mostAdviceShapes), ", ")
		if more := len(a.shapes) - mostAdviceShapes; more > 0 {
			shapes += fmt.Sprintf(" and %s more", report.Grouped(int64(more)))
		}
		lines = append(lines, fmt.Sprintf("%s of kernels: %s (%s)", report.Percent(a.share), report.Printable(a.text), shapes))
	}
	return lines, max(0, len(list)-mostAdvice)
}
