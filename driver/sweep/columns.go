package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/sweep/operations"
	"zonemark/driver/sweep/program"
	"zonemark/invocations"
)

// notKnown stands for a number that nobody knows.
const notKnown = "N/A"

// outcome is what became of a case.
type outcome struct {
	c      *operations.Configuration
	bytes  map[string]int64
	record *invocations.Record // nil if the configuration was not applied
	ghz    float64
	target string

	notApplied []program.NotApplied
}

// column is a column of a summary.
type column struct {
	name string
	text func(o *outcome) string
}

// variable is a column with the value of a variable.
func variable(name, of string) column {
	return column{name, func(o *outcome) string { return o.c.Text(of) }}
}

// The columns that every row ends with, after those that older readers know.
const (
	sourceColumn        = "runtime-source"
	statusColumn        = "status"
	notAppliedColumn    = "not-applied"
	targetColumn        = "target"
	configurationColumn = "configuration"
	betweenHostsColumn  = "between-hosts-ns"
)

func ownColumns() []column {
	return []column{
		{sourceColumn, func(o *outcome) string { _, source := o.cycles(); return source }},
		{"median-ns", func(o *outcome) string { return decimal(o.medianNS()) }},
		{statusColumn, (*outcome).status},
		{notAppliedColumn, (*outcome).reasons},
		{targetColumn, func(o *outcome) string { return o.target }},
		{configurationColumn, func(o *outcome) string { return o.c.Key() }},
	}
}

// hostColumns are the columns of a sweep that several hosts have each measured: they come before ownColumns.
func hostColumns() []column {
	slowest := func(o *outcome) (host string, longer float64) {
		if o.record == nil {
			return "", math.NaN()
		}
		h, longer, known := o.record.SlowestHost()
		if !known {
			return "", math.NaN()
		}
		return h.Host, 1 + longer
	}
	return []column{
		{betweenHostsColumn, func(o *outcome) string {
			if o.record == nil || o.record.BetweenHostsNS == nil {
				return notKnown
			}
			return decimal(*o.record.BetweenHostsNS)
		}},
		{"slowest-host", func(o *outcome) string {
			host, _ := slowest(o)
			return host
		}},
		{"slowest-ratio", func(o *outcome) string {
			_, ratio := slowest(o)
			return decimal(ratio)
		}},
	}
}

// columns returns the columns of the summary of an operation: dialect C for counts of sparse products, else dialect A.
// Vector-Mode is there if the operation varies it, and those of hosts if each of several measures everything.
func columns(o *operations.Operation, spread bool) []column {
	own := ownColumns()
	if spread {
		own = append(hostColumns(), own...)
	}
	if o.Type == operations.MatmulSparse {
		return append(sparseColumns(), own...)
	}
	list := []column{{"Test-ID", func(o *outcome) string { return strconv.Itoa(o.c.Index) }}}
	inputs := 1
	switch o.Type {
	case operations.Unary:
		list = append(list, variable("Unary-Type", "unary_type"))
		if o.Overrides["vector_mode"] != nil {
			list = append(list, variable("Vector-Mode", "vector_mode"))
		}
	case operations.Binary:
		list, inputs = append(list, variable("Binary-Type", "binary_type")), 2
	case operations.Quant:
		list, inputs = append(list, variable("quant_type", "quant_type"), variable("zero_point", "zero_point")), 2
	case operations.Reduce:
		list = append(list, variable("Reduce-Type", "reduce_type"), variable("Reduce-Dim", "reduce_dim"),
			variable("z", "z"))
	case operations.Splice:
		inputs = 3
	default:
		inputs = 2
	}
	list = append(list, variable("math_fidelity", "math_fidelity"))
	for i := range inputs {
		list = append(list, operandColumns(fmt.Sprintf("input%d", i))...)
	}
	list = append(list, operandColumns("output")...)
	if o.Type.Dense() {
		list = append(list, variable("mblock_k", "mb_inner"), innerTiles(), variable("l1_acc", "l1_acc"))
	}
	return append(append(list, resultColumns()...), own...)
}

// innerTiles is the column of ub_inner, which depthwise products do not vary.
func innerTiles() column {
	return column{"ublock_kt", func(o *outcome) string {
		if text := o.c.Text("ub_inner"); text != "" {
			return text
		}
		return "1"
	}}
}

func operandColumns(operand string) []column {
	var list []column
	for _, name := range []string{
		"_df", "_t", "_grid_size_r", "_grid_size_c", "_mb_r", "_mb_c", "_ub_r", "_ub_c",
		"_ublock_order", "_buf_size_mb",
	} {
		list = append(list, variable(operand+name, operand+name))
	}
	return list
}

func resultColumns() []column {
	list := []column{
		{"first-input-idx-recorded", func(*outcome) string { return "0" }},
		{"last-input-idx-recorded", func(o *outcome) string { return strconv.Itoa(o.c.Int("input_count") - 1) }},
		{"average-math-utilization", func(*outcome) string { return notKnown }},
		{"total-runtime", func(o *outcome) string {
			cycles, _ := o.cycles()
			return whole(cycles * float64(o.c.Int("input_count")))
		}},
	}
	for _, suffix := range []string{"-bw", "-bw-across-cores-total-runtime"} {
		for _, operand := range []string{"input0", "input1", "output"} {
			list = append(list, column{operand + suffix, func(o *outcome) string { return o.bandwidth(operand) }})
		}
	}
	return list
}

func sparseColumns() []column {
	list := []column{{"test_id", func(o *outcome) string { return strconv.Itoa(o.c.Index) }}}
	for _, name := range []string{
		"input0_df", "input1_df", "output_df", "math_fidelity", "output_t", "output_mb_r",
		"output_mb_c", "output_ub_r", "output_ub_c",
	} {
		list = append(list, variable(name, name))
	}
	counted := func(name string, of func(p *operations.Pattern) int) column {
		return column{name, func(o *outcome) string { return strconv.Itoa(of(o.c.Pattern())) }}
	}
	return append(list,
		variable("mblock_k", "mb_inner"), variable("ublock_kt", "ub_inner"),
		counted("nz_strips", func(p *operations.Pattern) int { return len(p.Strips) }),
		counted("nz_ublocks", (*operations.Pattern).Blocks), counted("nz_tiles", (*operations.Pattern).Tiles),
		column{"runtime", func(o *outcome) string { cycles, _ := o.cycles(); return whole(cycles) }},
	)
}

// medianNS returns the time of a call, NaN if it was not measured.
func (o *outcome) medianNS() float64 {
	if o.record == nil || o.record.Status != invocations.OK || !o.record.Timed() {
		return math.NaN()
	}
	return *o.record.MedianNS
}

// cycles returns the runtime of a call in cycles and where it comes from: cycles that a processor counted; else the
// time at the reference clock, or the median, in cycles of the clock of the sweep. Cycles that a processor counts are
// those of the calling thread; they count if it does the work, as the canary tells, and if the function does not change
// the clock: a cycle is longer if it does.
func (o *outcome) cycles() (cycles float64, source string) {
	ns := o.medianNS()
	if math.IsNaN(ns) {
		return ns, notKnown
	}
	clock := atClock + decimal(o.ghz) + gigahertz
	own := o.record.OwnClock != nil && *o.record.OwnClock != 1
	if counted := o.record.Cycles(); counted.Known() && o.record.QuietShare != nil && !own {
		return counted.Value, "counted"
	}
	if o.record.ReferenceNS != nil {
		return *o.record.ReferenceNS * o.ghz, "reference_ns" + clock
	}
	return ns * o.ghz, "median_ns" + clock
}

// What the runtime-source of times says of the clock: "median_ns at 3.1 GHz".
const (
	atClock   = " at "
	gigahertz = " GHz"
)

// clockOf returns the clock that a runtime-source names, 0 if it names none.
func clockOf(source string) float64 {
	_, text, _ := strings.Cut(strings.TrimSuffix(source, gigahertz), atClock)
	ghz, err := strconv.ParseFloat(text, 64)
	if err != nil || !(ghz > 0) || math.IsInf(ghz, 0) {
		return 0
	}
	return ghz
}

// bandwidth returns the bytes of an operand over the time, in bytes per nanosecond (GB/s).
func (o *outcome) bandwidth(operand string) string {
	bytes, known := o.bytes[operand]
	if ns := o.medianNS(); known && ns > 0 {
		return decimal(float64(bytes) / ns)
	}
	return notKnown
}

// NotApplied is the status of a configuration that the target does not apply: it was not measured.
const NotApplied = "not applied"

func (o *outcome) status() string {
	if o.record == nil {
		return NotApplied
	}
	return string(o.record.Status)
}

func (o *outcome) reasons() string {
	var parts []string
	for _, n := range o.notApplied {
		parts = append(parts, n.String())
	}
	return strings.Join(strings.Fields(strings.Join(parts, "; ")), " ")
}

func decimal(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return notKnown
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

func whole(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return notKnown
	}
	return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
}

func names(list []column) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].name
	}
	return out
}

func position(header []string, name string) int { return slices.Index(header, name) }
