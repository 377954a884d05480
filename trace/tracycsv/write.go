// Package tracycsv writes captures as CSV in every dialect of tracy-csvexport, and reads such tables back, also those
// that the exporter broke. It knows nothing of what a table is used for.
package tracycsv

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"zonemark/trace"
)

// Where the columns of tracy-csvexport's dialects hold other values than its own output would, because that is wrong
// (versions 0.9 to 0.14):
//
//	exporter                                                              ours
//	a field with the separator, a quote or a newline breaks its row       quoted by RFC 4180
//	value repeats the text of the zone before, of the same location       empty where the zone has no text
//	-e computes std_ns from the sum of squares of times with children     from the self times
//	locations whose times sum to zero are left out                        a row like any other
//	-m without messages prints a sentence instead of a table              a header without rows
//	-p calls the CPU usage "Frame", the name of string 0                  "CPU usage"
//	dynamic zone names are hidden                                         hidden too, as there is no column;
//	                                                                      see zonemark and tt
//
// Zones without an end have no time of their own: the exporter's dialects leave them out as it does, zonemark flags
// them.

// capture is what Write needs of a capture.
type capture interface {
	Info() trace.Info
	Threads() []trace.Thread
	Locations() []trace.Location
	GPUZones() iter.Seq2[trace.GPUZone, error]
	Messages() iter.Seq2[trace.Message, error]
	Plots() iter.Seq2[trace.PlotPoint, error]
	WalkRaw(first []trace.RawZone, each func([]trace.RawZone) []trace.RawZone) error
	Extra(index uint32) (text, name string, color uint32) // is called from several goroutines
}

// Write writes a capture as one table in the dialect of the options. What was read before an error is written
// nevertheless.
//
// The zonemark dialect has these columns. Zones: name (resolved: the zone's own, else the location's, else the
// function), src_file, src_line, ns_since_start, exec_time_ns (without children with Self), thread_id (of the system),
// thread (Tracy's index), thread_name, depth, parent (ordinal; -1: none), ordinal, zone_text (as stored), value (the
// number that Tracy appended to the text; empty: none), self_ns, color (0xRRGGBB as a decimal number; 0: none),
// zone_name, location_name, function, location_color, unfinished (1: still open at the end). Aggregates, by resolved
// name and location: those of tracy-csvexport, self_ns, function. Messages, GPU zones and plots are tables of their
// own, times in ns.
//
// The tt dialect is that of Tenstorrent's fork without its options -t and -x: special_parent_text is empty. GPU zones
// follow the others there.
//
// Zones are read, formatted and written at the same time; w is written to by one goroutine at a time, and no more once
// Write returns.
func Write(w io.Writer, f *trace.File, o Options) error {
	return writeCapture(w, f, o)
}

func writeCapture(w io.Writer, source capture, o Options) error {
	columns, err := o.check()
	if err != nil {
		return err
	}
	form := &tableForm{format: newRowFormat(o.Separator), source: source, options: o, columns: columns,
		locations: source.Locations(), threads: source.Threads(),
		ours: o.Dialect == DialectZonemark, wanted: o.Filter}
	if !o.CaseSensitive {
		form.wanted = lowerASCII(o.Filter)
	}
	c := tableWriter{rowAppender: &rowAppender{rowFormat: form.format, w: w}, tableForm: form}
	switch o.table() {
	case ofMessages:
		err = c.messages()
	case ofGPU:
		err = c.gpu()
	case ofPlots:
		if err = c.header(columnsOf(columnsOurPlots)); err == nil {
			err = c.plots()
		}
	case ofZones:
		err = c.zones()
	default:
		err = c.aggregates()
	}
	c.flush()
	if c.err != nil {
		return fmt.Errorf("writing CSV: %w", c.err)
	}
	return err
}

// tableWriter writes one table.
type tableWriter struct {
	*rowAppender
	*tableForm
}

// tableForm is what the options make of a capture. It does not change once it is made.
type tableForm struct {
	format    rowFormat
	source    capture
	options   Options
	columns   dialectColumns
	locations []trace.Location
	threads   []trace.Thread
	ours      bool
	wanted    string // filter, in lower case unless that matters
}

// selects says whether a name passes the filter.
func (f *tableForm) selects(name string) bool {
	if f.wanted == "" {
		return true
	}
	if !f.options.CaseSensitive {
		name = lowerASCII(name)
	}
	return strings.Contains(name, f.wanted)
}

// lowerASCII is tolower of the C locale: bytes beyond ASCII stay.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func (f *tableForm) thread(index int) trace.Thread {
	if index < 0 || index >= len(f.threads) {
		return trace.Thread{}
	}
	return f.threads[index]
}

// skips says whether the filter or the dialect leaves a zone out, which may have a name of its own.
func (f *tableForm) skips(z *trace.RawZone, name string, p *locationFields) bool {
	if f.ours && name != "" {
		return !f.selects(name)
	}
	return !p.selected || !f.ours && z.Unfinished
}

// time is the time of a zone that was asked for.
func (f *tableForm) time(z *trace.RawZone) int64 {
	if f.options.Self {
		return z.SelfNS
	}
	return z.DurationNS
}

// zones writes a row for each zone, and behind them what the dialect appends.
func (c *tableWriter) zones() error {
	if err := c.header(c.columns.zones); err != nil {
		return err
	}
	c.flush()
	if c.err != nil {
		return c.err
	}
	var err error
	if c.err, err = writeZoneRows(c.w, c.tableForm); c.err != nil || err != nil {
		return err
	}
	if c.options.Dialect == "tt" {
		if err := c.ttGPU(); err != nil {
			return err
		}
	}
	if c.options.Plot && c.columns.plotRows {
		return c.plots()
	}
	return nil
}
