package traceverbs

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"zonemark/invocations"
	"zonemark/trace/ttmetal"
)

// ttReportRow is the first line of a report in the ndjson format. Fields of all rows of tt are added at the end, never
// renamed.
type ttReportRow struct {
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

// ttOpRow is the calls of an op, of a range or of a category, whose name is in the field op. What is not known is empty
// or absent.
type ttOpRow struct {
	Kind          string   `csv:"-" json:"kind"` // "op", "range", "category"
	Report        string   `csv:"report" json:"report"`
	Op            string   `csv:"op" json:"op"`
	Calls         int64    `csv:"calls" json:"calls"`
	DeviceNS      float64  `csv:"device_ns" json:"device_ns"`
	Share         float64  `csv:"device_share_percent" json:"device_share_percent"`
	MedianNS      *float64 `csv:"device_median_ns" json:"device_median_ns,omitempty"`
	P90NS         *float64 `csv:"device_p90_ns" json:"device_p90_ns,omitempty"`
	MinNS         *int64   `csv:"device_min_ns" json:"device_min_ns,omitempty"`
	MaxNS         *int64   `csv:"device_max_ns" json:"device_max_ns,omitempty"`
	KernelNS      float64  `csv:"kernel_ns" json:"kernel_ns"`
	DeviceGapNS   float64  `csv:"device_gap_before_ns" json:"device_gap_before_ns"`
	HostNS        float64  `csv:"host_ns" json:"host_ns"`
	HostGapNS     float64  `csv:"host_gap_before_ns" json:"host_gap_before_ns"`
	CompileNS     float64  `csv:"compile_ns" json:"compile_ns"`
	WriteNS       float64  `csv:"write_buffer_ns" json:"write_buffer_ns"`
	IdealPercent  *float64 `csv:"kernel_ideal_percent" json:"kernel_ideal_percent,omitempty"`
	CoresMin      *int64   `csv:"cores_min" json:"cores_min,omitempty"`
	CoresMax      *int64   `csv:"cores_max" json:"cores_max,omitempty"`
	CacheMisses   *int64   `csv:"program_cache_misses" json:"program_cache_misses,omitempty"`
	DeviceCalls   int64    `csv:"calls_with_device_time" json:"calls_with_device_time"`
	HostCalls     int64    `csv:"host_calls" json:"host_calls"`
	WithoutDevice int64    `csv:"calls_without_device_row" json:"calls_without_device_row"`
	WithoutHost   int64    `csv:"calls_without_host_row" json:"calls_without_host_row"`
	ReportPartial bool     `csv:"report_partial" json:"report_partial"`
	RunNS         float64  `csv:"run_ns" json:"run_ns"` // time of kernels, or of firmware if that is not known
	RunShare      float64  `csv:"run_share_percent" json:"run_share_percent"`
	RunMedianNS   *float64 `csv:"run_median_ns" json:"run_median_ns,omitempty"`
	RunP90NS      *float64 `csv:"run_p90_ns" json:"run_p90_ns,omitempty"`
	RunMinNS      *int64   `csv:"run_min_ns" json:"run_min_ns,omitempty"`
	RunMaxNS      *int64   `csv:"run_max_ns" json:"run_max_ns,omitempty"`
	WithoutKernel int64    `csv:"calls_without_kernel_time" json:"calls_without_kernel_time"`
	Contradicting int64    `csv:"calls_that_contradict" json:"calls_that_contradict"` // calls that no sum includes, since they contradict others
}

func newTTOpRow(r *ttmetal.FileReport, kind string, o *ttmetal.OpTotals) ttOpRow {
	row := ttOpRow{
		Kind: kind, Report: r.Files.Name, Op: o.Op, Calls: o.Calls, DeviceNS: thousandths(o.DeviceNS),
		Share:       thousandths(100 * o.DeviceNS / max(r.DeviceNS, 1)),
		RunNS:       thousandths(o.RunNS),
		RunShare:    thousandths(100 * o.Share),
		RunMedianNS: invocations.Finite(thousandths(o.Runs.Quantile(0.5))), RunP90NS: invocations.Finite(thousandths(o.Runs.Quantile(0.9))),
		MedianNS: invocations.Finite(thousandths(o.Windows.Quantile(0.5))), P90NS: invocations.Finite(thousandths(o.Windows.Quantile(0.9))),
		WithoutKernel: o.WithoutKernel, Contradicting: o.Contradicting,
		KernelNS: thousandths(o.KernelNS), DeviceGapNS: thousandths(o.DeviceGapNS),
		HostNS: o.HostNS, HostGapNS: o.HostGapNS, CompileNS: o.CompileNS, WriteNS: o.WriteNS,
		IdealPercent: invocations.Finite(thousandths(100 * ttmetal.AsShare(o.IdealFraction()))),
		DeviceCalls:  o.DeviceCalls, HostCalls: o.HostCalls, WithoutDevice: o.WithoutDevice, WithoutHost: o.WithoutHost,
		ReportPartial: r.Partial,
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

// ttDeviceRow is a device, or the host.
type ttDeviceRow struct {
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

// ttDeviceRows are the devices of a report, and the host where its times are known.
func ttDeviceRows(r *ttmetal.FileReport) (rows []ttDeviceRow) {
	for _, d := range r.Devices {
		row := ttDeviceRow{
			Kind: "device", Report: r.Files.Name, Place: ttPlaceName(d.Device), Arch: d.Arch,
			ClockDerived: d.MHzDerived, Calls: d.Calls, SpanNS: thousandths(d.SpanNS),
			BusyNS:          thousandths(d.BusyNS),
			Utilisation:     invocations.Finite(thousandths(100 * d.Utilisation())),
			CoreUtilisation: invocations.Finite(thousandths(100 * d.CoreUtilisation())), GapNS: thousandths(d.GapNS),
			LongestGapNS: thousandths(d.LongestGapNS), ReportPartial: r.Partial, RunNS: thousandths(d.RunNS),
		}
		if d.MHz > 0 {
			mhz := thousandths(d.MHz)
			row.ClockMHz = &mhz
		}
		if d.Cores > 0 {
			row.Cores = &d.Cores
		}
		rows = append(rows, row)
	}
	if h := r.Host; h.Calls > 0 {
		rows = append(rows, ttDeviceRow{Kind: "device", Report: r.Files.Name, Place: "host", Calls: h.Calls,
			SpanNS: h.SpanNS, BusyNS: h.BusyNS,
			Utilisation: invocations.Finite(thousandths(100 * h.BusyNS / h.SpanNS)), GapNS: h.GapNS,
			LongestGapNS:  h.LongestGapNS,
			ReportPartial: r.Partial})
	}
	return rows
}

func ttPlaceName(device int64) string {
	if device < 0 {
		return "device not said"
	}
	return fmt.Sprintf("device %d", device)
}

// ttCallRow is one run of an op on one device.
type ttCallRow struct {
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
	TTWork
}

// known is nil for what is -1 as nothing is known.
func known[T int64 | float64](v T) *T {
	if v < 0 {
		return nil
	}
	return &v
}

func newTTCallRow(r *ttmetal.FileReport, c *ttmetal.Call) ttCallRow {
	row := ttCallRow{
		Kind: "call", Report: r.Files.Name, Call: known(c.Call), Op: c.Op, Device: known(c.Device),
		TraceID: known(c.TraceID), Replay: known(c.Replay), HostStartNS: known(c.HostStartNS),
		HostNS: known(c.HostNS), HostGapNS: known(c.HostGapNS), CompileNS: c.CompileNS, WriteNS: c.WriteNS,
		FWStart: known(c.FWStartCycle), FWEnd: known(c.FWEndCycle),
		DeviceNS: known(thousandths(c.FWNS)), KernelNS: known(thousandths(c.KernelNS)),
		DeviceGapNS: known(thousandths(c.DeviceGapNS)), Flags: strings.Join(ttCallFlags(c), " "),
		ReportPartial: r.Partial, TTWork: newTTWork(c, c.Rates(r.Chip)),
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

// ttCallFlags say what is odd about a call.
func ttCallFlags(c *ttmetal.Call) (flags []string) {
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

// writeRows writes the formats for programs: one kind of row as csv; as ndjson a line for each report, for its devices,
// and for its ops or calls.
func (f *showingTT) writeRows(out io.Writer, reports []*ttmetal.FileReport) error {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var all ttRows
	for _, r := range reports {
		rows := f.rowsOf(r)
		if f.format == formatCSV {
			all.append(rows)
			continue
		}
		if err := enc.Encode(newTTReportRow(r)); err != nil {
			return err
		}
		if err := writeRows(w, formatNDJSON, rows.devices); err != nil {
			return err
		}
		if f.by != ttByDevice {
			if err := rows.write(w, formatNDJSON, f.by); err != nil {
				return err
			}
		}
	}
	if f.format == formatCSV {
		if err := all.write(w, formatCSV, f.by); err != nil {
			return err
		}
	}
	return w.Flush()
}

func newTTReportRow(r *ttmetal.FileReport) ttReportRow {
	row := ttReportRow{Kind: "report", Report: r.Files.Name, Files: r.Files.Paths(), Calls: len(r.Calls),
		DeviceNS: thousandths(r.DeviceNS), HostNS: r.Host.BusyNS, Partial: r.Partial,
		Problems: append([]string{}, r.Missing()...), RunNS: thousandths(r.RunNS), Overlaps: r.Overlaps,
		Advice: r.GapAdvice()}
	if r.Chip != nil {
		row.Chip = r.Chip.Name
	}
	return row
}

// ttRows are the rows of reports; only those that are asked for are there, and the devices.
type ttRows struct {
	devices []ttDeviceRow
	ops     []ttOpRow
	shapes  []ttShapeRow
	calls   []ttCallRow
}

func (f *showingTT) rowsOf(r *ttmetal.FileReport) (rows ttRows) {
	rows.devices = ttDeviceRows(r)
	switch f.by {
	case ttByDevice:
	case ttByCall:
		shown, _ := f.calls(r)
		for _, c := range shown {
			rows.calls = append(rows.calls, newTTCallRow(r, c))
		}
	case ttByShape:
		shown, _ := f.groups(r)
		for _, o := range shown {
			rows.shapes = append(rows.shapes, newTTShapeRow(r, o))
		}
	default:
		shown, _ := f.groups(r)
		for _, o := range shown {
			rows.ops = append(rows.ops, newTTOpRow(r, f.by, o))
		}
	}
	return rows
}

func (all *ttRows) append(rows ttRows) {
	all.devices = append(all.devices, rows.devices...)
	all.ops = append(all.ops, rows.ops...)
	all.shapes = append(all.shapes, rows.shapes...)
	all.calls = append(all.calls, rows.calls...)
}

// write writes the rows of what is asked for.
func (all *ttRows) write(w io.Writer, format, by string) error {
	switch by {
	case ttByDevice:
		return writeRows(w, format, all.devices)
	case ttByShape:
		return writeRows(w, format, all.shapes)
	case ttByCall:
		return writeRows(w, format, all.calls)
	}
	return writeRows(w, format, all.ops)
}
