package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/trace"
)

const traceZonesIntro = `List single zones. Every condition that is given must hold.

Usage: zonemark trace zones [flags] FILE

Zones come as they are stored, those of a thread one after the other by their ends, unless --sort is given.

Examples:
  zonemark trace zones run.tracy --sort duration --limit 20          the longest
  zonemark trace zones run.tracy --name matmul --min-duration 1ms
  zonemark trace zones run.tracy --thread worker --from 1s --to 1.5s --depth 2
  zonemark trace zones run.tracy --text inv=7 --format csv
`

// The orders of zones.
const (
	zonesAsStored   = "stored"
	zonesByStart    = "start"
	zonesByDuration = "duration"
	zonesBySelf     = "self"
)

// Rows of the text format: the default limit, and those that are aligned with each other when there are more.
const (
	defaultTextZones = 100
	zonesAPage       = 1000
)

// zonesFlags are the flags of the verb zones.
type zonesFlags struct {
	*traceFlags
	name, text string
	filter     trace.Filter
	levels     int64
	order      string
	limit      int64
}

func traceZonesCommand(ctx context.Context, s cli.Streams, args []string) int {
	f := &zonesFlags{traceFlags: newTraceFlags("zones"), order: zonesAsStored}
	f.tabular()
	set := f.set
	set.StringVar(&f.name, "name", "", "only zones whose name matches this regular expression")
	set.StringVar(&f.text, "text", "", "only zones whose text matches this regular expression")
	set.StringVar(&f.filter.Thread, "thread", "", "only zones of the thread of this index or id, or of threads whose name matches this regular expression")
	set.Var(cli.Duration{NS: &f.filter.FromNS}, "from", "only zones that end after this time, counted from the beginning of the capture")
	set.Var(cli.Duration{NS: &f.filter.ToNS}, "to", "only zones that begin before this time; 0: no limit")
	set.Var(cli.Duration{NS: &f.filter.MinDurationNS}, "min-duration", "only zones that last at least this long")
	set.Var(cli.Count{N: &f.levels}, "depth", "only so many levels: 1 for zones that no other encloses, 2 for their children as well; 0: no limit")
	set.Var(cli.Choice[string]{Value: &f.order, Words: []string{zonesAsStored, zonesByStart, zonesByDuration, zonesBySelf}}, "sort",
		"as stored; by start, the first first; by duration or self time, the longest first. Without --limit, sorting holds all selected zones in memory")
	set.Var(cli.Count{N: &f.limit}, "limit", fmt.Sprintf("show at most so many zones; 0: all (default %d for text, else all)", defaultTextZones))
	paths, err := f.parse(s, args, traceZonesIntro, 1, 1)
	if err == nil {
		err = f.settle()
	}
	if err != nil {
		return f.refused(s, err)
	}
	c, err := openTrace(ctx, s, f.traceFlags, paths[0])
	if err != nil {
		return s.Fail("%v", err)
	}
	defer c.Close()
	match, err := f.filter.Compile(c.Threads())
	if err != nil {
		return f.refused(s, fmt.Errorf("--thread: %w", err))
	}
	return f.show(s, c, match)
}

func (f *zonesFlags) settle() (err error) {
	if f.filter.Name, err = optionalRE("--name", f.name); err != nil {
		return err
	}
	if f.filter.Text, err = optionalRE("--text", f.text); err != nil {
		return err
	}
	if f.format == formatText && !f.set.Changed("limit") {
		f.limit = defaultTextZones
	}
	f.filter.Levels = int(min(f.levels, 1<<30))
	if f.filter.ToNS > 0 && f.filter.ToNS <= f.filter.FromNS {
		return fmt.Errorf("--to is not after --from")
	}
	return nil
}

func (f *zonesFlags) show(s cli.Streams, c *openCapture, match func(*trace.Zone) bool) int {
	w := bufio.NewWriter(s.Out)
	out := newZoneWriter(w, f.format, c.Threads(), cli.TerminalWidth(s.Out))
	var kept []trace.Zone // to be sorted; at most twice the limit
	var selected, written int64
	var readErr error
	for z, err := range c.zones() {
		if err != nil {
			readErr = err
			break
		}
		if !match(&z) {
			continue
		}
		selected++
		switch {
		case f.order != zonesAsStored:
			kept = append(kept, z)
			if f.limit > 0 && int64(len(kept)) >= 2*f.limit {
				f.sort(kept)
				kept = kept[:f.limit]
			}
		case f.limit == 0 || written < f.limit:
			written++
			if err := out.write(&z); err != nil {
				return s.Fail("%v", err)
			}
		}
	}
	f.sort(kept)
	if f.limit > 0 && int64(len(kept)) > f.limit {
		kept = kept[:f.limit]
	}
	for i := range kept {
		written++
		if err := out.write(&kept[i]); err != nil {
			return s.Fail("%v", err)
		}
	}
	if err := out.end(); err != nil {
		return s.Fail("%v", err)
	}
	if err := w.Flush(); err != nil {
		return s.Fail("%v", err)
	}
	if f.format == formatText && !f.quiet {
		s.Say("%s%s", report.Counted(int(selected), "zone"), notShown(int(selected-written)))
	}
	return c.settle(s, readErr)
}

func (f *zonesFlags) sort(zones []trace.Zone) {
	slices.SortStableFunc(zones, func(a, b trace.Zone) int {
		order := 0
		switch f.order {
		case zonesByDuration:
			order = cmp.Compare(b.DurationNS, a.DurationNS)
		case zonesBySelf:
			order = cmp.Compare(b.SelfNS, a.SelfNS)
		}
		return cmp.Or(order, cmp.Compare(a.StartNS, b.StartNS), cmp.Compare(a.Ordinal, b.Ordinal))
	})
}

// zoneWriter writes zones one by one.
type zoneWriter interface {
	write(*trace.Zone) error
	end() error
}

func newZoneWriter(w io.Writer, format string, threads []trace.Thread, width int) zoneWriter {
	switch format {
	case formatCSV:
		return &zoneCSV{csv: csv.NewWriter(w), threads: threads}
	case formatNDJSON:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return &zoneNDJSON{enc, threads}
	}
	return &zoneText{w: w, threads: threads, width: width}
}

// zoneText writes pages of a table.
type zoneText struct {
	w       io.Writer
	threads []trace.Thread
	width   int
	page    report.Table
}

func (t *zoneText) write(z *trace.Zone) error {
	if t.page.Columns == nil {
		t.page.Columns = []report.Column{
			{Title: "start", Right: true}, {Title: "duration", Right: true}, {Title: "self", Right: true, Spare: true}, {Title: "depth", Right: true, Spare: true},
			{Title: "zone", Name: true}, {Title: "text", Name: true}, {Title: "thread", Name: true}, {Title: "source", Spare: true},
		}
	}
	duration := report.Time(float64(z.DurationNS))
	if z.Unfinished {
		duration = "≥ " + duration
	}
	t.page.Add(strconv.FormatFloat(float64(z.StartNS)/1e6, 'f', 6, 64)+" ms", duration, report.Time(float64(z.SelfNS)), strconv.Itoa(z.Depth),
		report.Printable(z.Name()), report.Printable(z.Text), report.Printable(threadLabel(t.threads, z.Thread)), report.Printable(sourcePlace(z.Location)))
	if t.page.Len() < zonesAPage {
		return nil
	}
	return t.end()
}

func (t *zoneText) end() error {
	if t.page.Len() == 0 {
		return nil
	}
	err := t.page.Write(t.w, t.width)
	t.page.Clear()
	return err
}

// zoneRow is a line of the ndjson format, and names the columns of csv. Fields are added at the end, never renamed.
type zoneRow struct {
	Name       string `json:"name"`
	Text       string `json:"text,omitempty"`
	StartNS    int64  `json:"start_ns"`
	DurationNS int64  `json:"duration_ns"`
	SelfNS     int64  `json:"self_ns"`
	Depth      int    `json:"depth"`
	Ordinal    int64  `json:"ordinal"`
	Parent     int64  `json:"parent"` // ordinal; -1: none
	Thread     string `json:"thread"`
	ThreadID   uint64 `json:"thread_id"`
	Function   string `json:"function"`
	File       string `json:"src_file"`
	Line       uint32 `json:"src_line"`
	Unfinished bool   `json:"unfinished,omitempty"`
}

func newZoneRow(z *trace.Zone, threads []trace.Thread) zoneRow {
	row := zoneRow{
		Name: z.Name(), Text: z.Text, StartNS: z.StartNS, DurationNS: z.DurationNS, SelfNS: z.SelfNS, Depth: z.Depth, Ordinal: z.Ordinal, Parent: z.Parent,
		Thread: threadLabel(threads, z.Thread), Function: z.Location.Function, File: z.Location.File, Line: z.Location.Line, Unfinished: z.Unfinished,
	}
	if z.Thread >= 0 && z.Thread < len(threads) {
		row.ThreadID = threads[z.Thread].ID
	}
	return row
}

type zoneNDJSON struct {
	enc     *json.Encoder
	threads []trace.Thread
}

func (n *zoneNDJSON) write(z *trace.Zone) error { return n.enc.Encode(newZoneRow(z, n.threads)) }
func (n *zoneNDJSON) end() error                { return nil }

// zoneCSV writes the header before the first zone, or at the end when there is none.
type zoneCSV struct {
	csv     *csv.Writer
	threads []trace.Thread
	begun   bool
}

func (c *zoneCSV) begin() error {
	if c.begun {
		return nil
	}
	c.begun = true
	return c.csv.Write([]string{"name", "text", "start_ns", "duration_ns", "self_ns", "depth", "ordinal", "parent", "thread", "thread_id", "function", "src_file", "src_line", "unfinished"})
}

func (c *zoneCSV) write(z *trace.Zone) error {
	if err := c.begin(); err != nil {
		return err
	}
	r := newZoneRow(z, c.threads)
	integer := func(n int64) string { return strconv.FormatInt(n, 10) }
	return c.csv.Write([]string{r.Name, r.Text, integer(r.StartNS), integer(r.DurationNS), integer(r.SelfNS), strconv.Itoa(r.Depth), integer(r.Ordinal), integer(r.Parent),
		r.Thread, strconv.FormatUint(r.ThreadID, 10), r.Function, r.File, strconv.FormatUint(uint64(r.Line), 10), strconv.FormatBool(r.Unfinished)})
}

func (c *zoneCSV) end() error {
	if err := c.begin(); err != nil {
		return err
	}
	c.csv.Flush()
	return c.csv.Error()
}
