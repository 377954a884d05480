package ttreport

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/invocations"
	"zonemark/trace/ttmetal"
)

// reportRow is the first line of a report in the ndjson format. Fields of all rows of tt are added at the end, never
// renamed.
type reportRow struct {
	Kind     string   `json:"kind"` // "report"
	Report   string   `json:"report"`
	Files    []string `json:"files"`
	Calls    int      `json:"calls"`
	DeviceNS float64  `json:"device_ns"`
	HostNS   float64  `json:"host_ns"`
	Partial  bool     `json:"partial"`
	Problems []string `json:"problems"`
	RunNS    float64  `json:"run_ns"`   // time of kernels, of firmware where that is not known
	Overlaps int      `json:"overlaps"` // firmware windows that begin before the one before has ended
	Chip     string   `json:"chip,omitempty"`
	Advice   string   `json:"advice,omitempty"`
}

// opRow is the calls of an op, of a range or of a category, whose name is in the field op. What is not known is empty
// or absent. Its parts follow each other as the columns do; they are exported since gocsv leaves out others.
type opRow struct {
	Kind   string `csv:"-" json:"kind"` // "op", "range", "category"
	Report string `csv:"report" json:"report"`
	Op     string `csv:"op" json:"op"`
	Calls  int64  `csv:"calls" json:"calls"`
	DeviceTimes
	HostTimes
	UseOfDevice
	Joined
	RunTimes
	WithoutKernel int64 `csv:"calls_without_kernel_time" json:"calls_without_kernel_time"`
	Contradicting int64 `csv:"calls_that_contradict" json:"calls_that_contradict"` // calls that no sum includes, since they contradict others
}

// DeviceTimes are the times of an op on devices: sums, and quantiles of its windows.
type DeviceTimes struct {
	DeviceNS    float64  `csv:"device_ns" json:"device_ns"`
	Share       float64  `csv:"device_share_percent" json:"device_share_percent"`
	MedianNS    *float64 `csv:"device_median_ns" json:"device_median_ns,omitempty"`
	P90NS       *float64 `csv:"device_p90_ns" json:"device_p90_ns,omitempty"`
	MinNS       *int64   `csv:"device_min_ns" json:"device_min_ns,omitempty"`
	MaxNS       *int64   `csv:"device_max_ns" json:"device_max_ns,omitempty"`
	KernelNS    float64  `csv:"kernel_ns" json:"kernel_ns"`
	DeviceGapNS float64  `csv:"device_gap_before_ns" json:"device_gap_before_ns"`
}

// HostTimes are the times that the host spends for an op.
type HostTimes struct {
	HostNS    float64 `csv:"host_ns" json:"host_ns"`
	HostGapNS float64 `csv:"host_gap_before_ns" json:"host_gap_before_ns"`
	CompileNS float64 `csv:"compile_ns" json:"compile_ns"`
	WriteNS   float64 `csv:"write_buffer_ns" json:"write_buffer_ns"`
}

// UseOfDevice is how well the calls of an op use a device.
type UseOfDevice struct {
	IdealPercent *float64 `csv:"kernel_ideal_percent" json:"kernel_ideal_percent,omitempty"`
	CoresMin     *int64   `csv:"cores_min" json:"cores_min,omitempty"`
	CoresMax     *int64   `csv:"cores_max" json:"cores_max,omitempty"`
	CacheMisses  *int64   `csv:"program_cache_misses" json:"program_cache_misses,omitempty"`
}

// Joined is how many calls have a row of the device and one of the host.
type Joined struct {
	DeviceCalls   int64 `csv:"calls_with_device_time" json:"calls_with_device_time"`
	HostCalls     int64 `csv:"host_calls" json:"host_calls"`
	WithoutDevice int64 `csv:"calls_without_device_row" json:"calls_without_device_row"`
	WithoutHost   int64 `csv:"calls_without_host_row" json:"calls_without_host_row"`
	ReportPartial bool  `csv:"report_partial" json:"report_partial"`
}

// RunTimes are the times of an op's kernels.
type RunTimes struct {
	RunNS       float64  `csv:"run_ns" json:"run_ns"` // time of kernels, or of firmware if that is not known
	RunShare    float64  `csv:"run_share_percent" json:"run_share_percent"`
	RunMedianNS *float64 `csv:"run_median_ns" json:"run_median_ns,omitempty"`
	RunP90NS    *float64 `csv:"run_p90_ns" json:"run_p90_ns,omitempty"`
	RunMinNS    *int64   `csv:"run_min_ns" json:"run_min_ns,omitempty"`
	RunMaxNS    *int64   `csv:"run_max_ns" json:"run_max_ns,omitempty"`
}

func newOpRow(r *ttmetal.FileReport, kind string, o *ttmetal.OpTotals) opRow {
	quantile := func(of interface{ Quantile(float64) float64 }, q float64) *float64 {
		return invocations.Finite(rowtext.Thousandths(of.Quantile(q)))
	}
	row := opRow{
		Kind: kind, Report: r.Files.Name, Op: o.Op, Calls: o.Calls,
		DeviceTimes: DeviceTimes{
			DeviceNS: rowtext.Thousandths(o.DeviceNS), Share: rowtext.Thousandths(100 * o.DeviceNS / max(r.DeviceNS, 1)),
			MedianNS: quantile(&o.Windows, 0.5), P90NS: quantile(&o.Windows, 0.9),
			KernelNS: rowtext.Thousandths(o.KernelNS), DeviceGapNS: rowtext.Thousandths(o.DeviceGapNS),
		},
		HostTimes: HostTimes{HostNS: o.HostNS, HostGapNS: o.HostGapNS, CompileNS: o.CompileNS, WriteNS: o.WriteNS},
		UseOfDevice: UseOfDevice{
			IdealPercent: invocations.Finite(rowtext.Thousandths(100 * ttmetal.AsShare(o.IdealFraction()))),
		},
		Joined: Joined{
			DeviceCalls: o.DeviceCalls, HostCalls: o.HostCalls, WithoutDevice: o.WithoutDevice, WithoutHost: o.WithoutHost,
			ReportPartial: r.Partial,
		},
		RunTimes: RunTimes{
			RunNS: rowtext.Thousandths(o.RunNS), RunShare: rowtext.Thousandths(100 * o.Share),
			RunMedianNS: quantile(&o.Runs, 0.5), RunP90NS: quantile(&o.Runs, 0.9),
		},
		WithoutKernel: o.WithoutKernel, Contradicting: o.Contradicting,
	}
	if o.DeviceCalls > 0 {
		least, most := o.Windows.MinNS(), o.Windows.MaxNS()
		row.MinNS, row.MaxNS = &least, &most
		leastRun, mostRun := o.Runs.MinNS(), o.Runs.MaxNS()
		row.RunMinNS, row.RunMaxNS = &leastRun, &mostRun
	}
	if o.MostCores > 0 {
		row.CoresMin, row.CoresMax = &o.LeastCores, &o.MostCores
	}
	if o.CacheMisses >= 0 {
		row.CacheMisses = &o.CacheMisses
	}
	return row
}

// deviceRow is a device, or the host.
type deviceRow struct {
	Kind            string   `csv:"-" json:"kind"` // "device"
	Report          string   `csv:"report" json:"report"`
	Place           string   `csv:"place" json:"place"` // "device 0", "host"
	Arch            string   `csv:"arch" json:"arch,omitempty"`
	ClockMHz        *float64 `csv:"clock_mhz" json:"clock_mhz,omitempty"`
	ClockDerived    bool     `csv:"clock_derived" json:"clock_derived"`
	Cores           *int64   `csv:"cores" json:"cores,omitempty"`
	Calls           int64    `csv:"calls" json:"calls"`
	SpanNS          float64  `csv:"span_ns" json:"span_ns"`
	BusyNS          float64  `csv:"busy_ns" json:"busy_ns"`
	Utilisation     *float64 `csv:"utilisation_percent" json:"utilisation_percent,omitempty"`
	CoreUtilisation *float64 `csv:"core_utilisation_percent" json:"core_utilisation_percent,omitempty"`
	GapNS           float64  `csv:"gap_ns" json:"gap_ns"`
	LongestGapNS    float64  `csv:"longest_gap_ns" json:"longest_gap_ns"`
	ReportPartial   bool     `csv:"report_partial" json:"report_partial"`
	RunNS           float64  `csv:"run_ns" json:"run_ns"` // of the ops, as in their rows; 0 for the host
}

// deviceRows are the devices of a report, and the host where its times are known.
func deviceRows(r *ttmetal.FileReport) (rows []deviceRow) {
	for _, d := range r.Devices {
		row := deviceRow{
			Kind: "device", Report: r.Files.Name, Place: placeName(d.Device), Arch: d.Arch,
			ClockDerived: d.MHzDerived, Calls: d.Calls, SpanNS: rowtext.Thousandths(d.SpanNS),
			BusyNS:          rowtext.Thousandths(d.BusyNS),
			Utilisation:     invocations.Finite(rowtext.Thousandths(100 * d.Utilisation())),
			CoreUtilisation: invocations.Finite(rowtext.Thousandths(100 * d.CoreUtilisation())), GapNS: rowtext.Thousandths(d.GapNS),
			LongestGapNS: rowtext.Thousandths(d.LongestGapNS), ReportPartial: r.Partial, RunNS: rowtext.Thousandths(d.RunNS),
		}
		if d.MHz > 0 {
			mhz := rowtext.Thousandths(d.MHz)
			row.ClockMHz = &mhz
		}
		if d.Cores > 0 {
			row.Cores = &d.Cores
		}
		rows = append(rows, row)
	}
	if h := r.Host; h.Calls > 0 {
		rows = append(rows, deviceRow{Kind: "device", Report: r.Files.Name, Place: "host", Calls: h.Calls,
			SpanNS: h.SpanNS, BusyNS: h.BusyNS,
			Utilisation: invocations.Finite(rowtext.Thousandths(100 * h.BusyNS / h.SpanNS)), GapNS: h.GapNS,
			LongestGapNS:  h.LongestGapNS,
			ReportPartial: r.Partial})
	}
	return rows
}

func placeName(device int64) string {
	if device < 0 {
		return "device not said"
	}
	return fmt.Sprintf("device %d", device)
}

// callRow is one run of an op on one device.
type callRow struct {
	Kind          string   `csv:"-" json:"kind"` // "call"
	Report        string   `csv:"report" json:"report"`
	Call          *int64   `csv:"call" json:"call,omitempty"`
	Op            string   `csv:"op" json:"op"`
	Device        *int64   `csv:"device" json:"device,omitempty"`
	TraceID       *int64   `csv:"trace_id" json:"trace_id,omitempty"`
	Replay        *int64   `csv:"replay" json:"replay,omitempty"`
	Cores         *int64   `csv:"cores" json:"cores,omitempty"`
	HostStartNS   *int64   `csv:"host_start_ns" json:"host_start_ns,omitempty"`
	HostNS        *int64   `csv:"host_ns" json:"host_ns,omitempty"`
	HostGapNS     *float64 `csv:"host_gap_before_ns" json:"host_gap_before_ns,omitempty"`
	CompileNS     int64    `csv:"compile_ns" json:"compile_ns"`
	WriteNS       int64    `csv:"write_buffer_ns" json:"write_buffer_ns"`
	FWStart       *int64   `csv:"fw_start_cycle" json:"fw_start_cycle,omitempty"`
	FWEnd         *int64   `csv:"fw_end_cycle" json:"fw_end_cycle,omitempty"`
	DeviceNS      *float64 `csv:"device_ns" json:"device_ns,omitempty"`
	KernelNS      *float64 `csv:"kernel_ns" json:"kernel_ns,omitempty"`
	DeviceGapNS   *float64 `csv:"device_gap_before_ns" json:"device_gap_before_ns,omitempty"`
	IdealNS       *float64 `csv:"ideal_ns" json:"ideal_ns,omitempty"`
	CacheMiss     *bool    `csv:"program_cache_miss" json:"program_cache_miss,omitempty"`
	Flags         string   `csv:"flags" json:"flags,omitempty"` // separated by blanks
	ReportPartial bool     `csv:"report_partial" json:"report_partial"`
	Work
}

// known is nil for what is -1 as nothing is known.
func known[T int64 | float64](v T) *T {
	if v < 0 {
		return nil
	}
	return &v
}

func newCallRow(r *ttmetal.FileReport, c *ttmetal.Call) callRow {
	row := callRow{
		Kind: "call", Report: r.Files.Name, Call: known(c.Call), Op: c.Op, Device: known(c.Device),
		TraceID: known(c.TraceID), Replay: known(c.Replay), HostStartNS: known(c.HostStartNS),
		HostNS: known(c.HostNS), HostGapNS: known(c.HostGapNS), CompileNS: c.CompileNS, WriteNS: c.WriteNS,
		FWStart: known(c.FWStartCycle), FWEnd: known(c.FWEndCycle),
		DeviceNS: known(rowtext.Thousandths(c.FWNS)), KernelNS: known(rowtext.Thousandths(c.KernelNS)),
		DeviceGapNS: known(rowtext.Thousandths(c.DeviceGapNS)), Flags: strings.Join(callFlags(c), " "),
		ReportPartial: r.Partial, Work: newWork(c, c.Rates(r.Chip)),
	}
	if c.Cores > 0 {
		row.Cores = &c.Cores
	}
	if c.IdealNS > 0 {
		row.IdealNS = &c.IdealNS
	}
	if c.CacheKnown {
		row.CacheMiss = &c.CacheMiss
	}
	return row
}

// callFlags say what is odd about a call.
func callFlags(c *ttmetal.Call) (flags []string) {
	switch {
	case c.HostOnly:
		flags = append(flags, "host-op")
	case c.OnHost && !c.OnDevice:
		flags = append(flags, "no-device-row")
	case !c.OnHost:
		flags = append(flags, "no-host-row")
	}
	if c.Contradicts {
		flags = append(flags, "contradicts")
	}
	if c.Unpaired > 0 {
		flags = append(flags, "cut")
	}
	return flags
}

// WriteRows writes the formats for programs: one kind of row as csv; as ndjson a line for each report, for its devices,
// and for its ops or calls.
func (v *View) WriteRows(out io.Writer, reports []*ttmetal.FileReport, format string) error {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var all rowsOfReports
	for _, r := range reports {
		rows := v.rowsOf(r)
		if format == rowtext.CSV {
			all.append(rows)
			continue
		}
		if err := enc.Encode(newReportRow(r)); err != nil {
			return err
		}
		if err := rowtext.Write(w, rowtext.NDJSON, rows.devices); err != nil {
			return err
		}
		if v.By != byDevice {
			if err := rows.write(w, rowtext.NDJSON, v.By); err != nil {
				return err
			}
		}
	}
	if format == rowtext.CSV {
		if err := all.write(w, rowtext.CSV, v.By); err != nil {
			return err
		}
	}
	return w.Flush()
}

func newReportRow(r *ttmetal.FileReport) reportRow {
	row := reportRow{Kind: "report", Report: r.Files.Name, Files: r.Files.Paths(), Calls: len(r.Calls),
		DeviceNS: rowtext.Thousandths(r.DeviceNS), HostNS: r.Host.BusyNS, Partial: r.Partial,
		Problems: append([]string{}, r.Missing()...), RunNS: rowtext.Thousandths(r.RunNS), Overlaps: r.Overlaps,
		Advice: r.GapAdvice()}
	if r.Chip != nil {
		row.Chip = r.Chip.Name
	}
	return row
}

// rowsOfReports are the rows of reports; only those that are asked for are there, and the devices.
type rowsOfReports struct {
	devices []deviceRow
	ops     []opRow
	shapes  []shapeRow
	calls   []callRow
}

func (v *View) rowsOf(r *ttmetal.FileReport) (rows rowsOfReports) {
	rows.devices = deviceRows(r)
	switch v.By {
	case byDevice:
	case ByCall:
		shown, _ := v.calls(r)
		for _, c := range shown {
			rows.calls = append(rows.calls, newCallRow(r, c))
		}
	case ByShape:
		shown, _ := v.groups(r)
		for _, o := range shown {
			rows.shapes = append(rows.shapes, newShapeRow(r, o))
		}
	default:
		shown, _ := v.groups(r)
		for _, o := range shown {
			rows.ops = append(rows.ops, newOpRow(r, v.By, o))
		}
	}
	return rows
}

func (all *rowsOfReports) append(rows rowsOfReports) {
	all.devices = append(all.devices, rows.devices...)
	all.ops = append(all.ops, rows.ops...)
	all.shapes = append(all.shapes, rows.shapes...)
	all.calls = append(all.calls, rows.calls...)
}

// write writes the rows of what is asked for.
func (all *rowsOfReports) write(w io.Writer, format, by string) error {
	switch by {
	case byDevice:
		return rowtext.Write(w, format, all.devices)
	case ByShape:
		return rowtext.Write(w, format, all.shapes)
	case ByCall:
		return rowtext.Write(w, format, all.calls)
	}
	return rowtext.Write(w, format, all.ops)
}
