package trace

import (
	"fmt"
	"io"
	"iter"
	"strings"
)

// Where the columns of tracy-csvexport's dialects hold other values than its own output would, because that is wrong (versions 0.9 to 0.14):
//
//	exporter                                                              ours
//	a field with the separator, a quote or a newline breaks its row       quoted by RFC 4180
//	value repeats the text of the zone before, of the same location       empty where the zone has no text
//	-e computes std_ns from the sum of squares of times with children     from the self times
//	locations whose times sum to zero are left out                        a row like any other
//	-m without messages prints a sentence instead of a table              a header without rows
//	-p calls the CPU usage "Frame", the name of string 0                  "CPU usage"
//	dynamic zone names are hidden                                         hidden too, as there is no column; see zonemark and tt
//
// Zones without an end have no time of their own: the exporter's dialects leave them out as it does, zonemark flags them.

// csvSource is what WriteCSV needs of a capture.
type csvSource interface {
	Info() Info
	Threads() []Thread
	Zones() iter.Seq2[Zone, error]
	GPUZones() iter.Seq2[GPUZone, error]
	Messages() iter.Seq2[Message, error]
	Plots() iter.Seq2[PlotPoint, error]
}

// WriteCSV writes a capture as one table in the dialect of the options. What was read before an error is written nevertheless.
//
// The zonemark dialect has these columns. Zones: name (resolved: the zone's own, else the location's, else the function), src_file, src_line,
// ns_since_start, exec_time_ns (without children with Self), thread_id (of the system), thread (Tracy's index), thread_name, depth, parent (ordinal;
// -1: none), ordinal, zone_text (as stored), value (the number that Tracy appended to the text; empty: none), self_ns, color (0xRRGGBB as a decimal
// number; 0: none), zone_name, location_name, function, location_color, unfinished (1: still open at the end). Aggregates, by resolved name and location: those of
// tracy-csvexport, self_ns, function. Messages, GPU zones and plots are tables of their own, times in ns.
//
// The tt dialect is that of Tenstorrent's fork without its options -t and -x: special_parent_text is empty. GPU zones follow the others there.
func WriteCSV(w io.Writer, f *File, o CSVOptions) error {
	return writeCSV(w, f, o)
}

func writeCSV(w io.Writer, source csvSource, o CSVOptions) error {
	columns, err := o.check()
	if err != nil {
		return err
	}
	c := csvWriter{csvAppender: newCSVAppender(w, o.Separator), source: source, options: o, columns: columns, threads: source.Threads(), ours: o.Dialect == DialectZonemark,
		wanted: o.Filter, prefixes: map[*Location]*csvPrefix{}}
	if !o.CaseSensitive {
		c.wanted = lowerASCII(o.Filter)
	}
	switch o.table() {
	case csvMessages:
		err = c.messages()
	case csvGPU:
		err = c.gpu()
	case csvPlots:
		if err = c.header(columnsOf(columnsOurPlots)); err == nil {
			err = c.plots()
		}
	case csvZones:
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

type csvWriter struct {
	*csvAppender
	source   csvSource
	options  CSVOptions
	columns  csvColumns
	threads  []Thread
	ours     bool
	wanted   string // filter, in lower case unless that matters
	prefixes map[*Location]*csvPrefix
	last     *Location // the location of the row before, which is often that of the next
	prefix   *csvPrefix

	lastThread   int    // zones come thread by thread
	threadFields []byte // its id, index and name, encoded; nil: no row yet
}

// csvPrefix holds the fields that all zones of a location share, encoded once.
type csvPrefix struct {
	location []byte // label, file, line
	place    []byte // file, line
	tail     []byte // location name, function, colour
	selected bool   // the label passes the filter
}

// of returns the prefix of a location.
func (c *csvWriter) of(l *Location) *csvPrefix {
	if l == c.last {
		return c.prefix
	}
	p := c.prefixes[l]
	if p == nil {
		p = &csvPrefix{selected: c.selects(l.Label())}
		p.place = c.encoded(func(a *csvAppender) { a.text(l.File); a.unsigned(uint64(l.Line)) })
		p.location = c.encoded(func(a *csvAppender) { a.text(l.Label()); a.raw(p.place) })
		p.tail = c.encoded(func(a *csvAppender) { a.text(l.Name); a.text(l.Function); a.unsigned(uint64(l.Color)) })
		c.prefixes[l] = p
	}
	c.last, c.prefix = l, p
	return p
}

// selects says whether a name passes the filter.
func (c *csvWriter) selects(name string) bool {
	if c.wanted == "" {
		return true
	}
	if !c.options.CaseSensitive {
		name = lowerASCII(name)
	}
	return strings.Contains(name, c.wanted)
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

func (c *csvWriter) thread(index int) Thread {
	if index < 0 || index >= len(c.threads) {
		return Thread{}
	}
	return c.threads[index]
}

// skips says whether the filter or the dialect leaves a zone out.
func (c *csvWriter) skips(z *Zone, p *csvPrefix) bool {
	if c.ours && z.DynamicName != "" {
		return !c.selects(z.DynamicName)
	}
	return !p.selected || !c.ours && z.Unfinished
}

// zones writes a row for each zone.
func (c *csvWriter) zones() error {
	if err := c.header(c.columns.zones); err != nil {
		return err
	}
	for z, err := range c.source.Zones() {
		if err != nil {
			return err
		}
		p := c.of(z.Location)
		if c.skips(&z, p) {
			continue
		}
		// Called by name, not through a variable: a zone would go to the heap.
		switch {
		case c.ours:
			c.ourZone(&z, p)
		case c.options.Dialect == "tt":
			c.ttZone(&z, p)
		default:
			c.exporterZone(&z, p)
		}
		if err := c.end(); err != nil {
			return err
		}
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

func (c *csvWriter) time(z *Zone) int64 {
	if c.options.Self {
		return z.SelfNS
	}
	return z.DurationNS
}

func (c *csvWriter) exporterZone(z *Zone, p *csvPrefix) {
	c.raw(p.location)
	c.integer(z.StartNS)
	c.integer(c.time(z))
	if len(c.columns.zones) > 5 {
		c.integer(int64(z.Thread))
	}
	if len(c.columns.zones) > 6 {
		c.text(z.Text)
	}
}

func (c *csvWriter) ttZone(z *Zone, p *csvPrefix) {
	c.raw(p.location)
	c.text(z.DynamicName)
	if z.Text == "" {
		c.empty()
	} else {
		c.next()
		c.quote(z.Text)
	}
	c.integer(z.StartNS)
	c.integer(c.time(z))
	c.integer(int64(z.Thread))
	c.empty()
}

func (c *csvWriter) ourZone(z *Zone, p *csvPrefix) {
	if z.DynamicName == "" {
		c.raw(p.location)
	} else {
		c.text(z.DynamicName)
		c.raw(p.place)
	}
	c.integer(z.StartNS)
	c.integer(c.time(z))
	if c.threadFields == nil || z.Thread != c.lastThread {
		thread := c.thread(z.Thread)
		c.lastThread = z.Thread
		c.threadFields = c.encoded(func(a *csvAppender) { a.unsigned(thread.ID); a.integer(int64(c.lastThread)); a.text(thread.Name) })
	}
	c.raw(c.threadFields)
	c.integer(int64(z.Depth))
	c.integer(z.Parent)
	c.integer(z.Ordinal)
	c.text(z.Text)
	c.value(z)
	c.integer(z.SelfNS)
	c.unsigned(uint64(z.Color))
	c.text(z.DynamicName)
	c.raw(p.tail)
	if z.Unfinished {
		c.integer(1)
	} else {
		c.integer(0)
	}
}

func (c *csvWriter) value(z *Zone) {
	if z.Text != "" {
		if _, value, ok := z.Value(); ok {
			c.unsigned(value)
			return
		}
	}
	c.empty()
}
