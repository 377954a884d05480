package traceverbs

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"zonemark/driver/report"
	"zonemark/invocations/foreign"
	"zonemark/trace"
)

// zoneWriter writes zones one by one.
type zoneWriter interface {
	write(*trace.Zone) error
	end() error
}

func newZoneWriter(w io.Writer, format string, on *zoneTracks, width int) zoneWriter {
	switch format {
	case formatCSV:
		return &zoneCSV{csv: csv.NewWriter(w), on: on}
	case formatNDJSON:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return &zoneNDJSON{enc, on}
	}
	return &zoneText{w: w, on: on, width: width}
}

// zoneTracks are what zones are on: threads, and behind them the contexts of GPUs.
type zoneTracks struct {
	threads  []trace.Thread
	contexts []trace.Thread
}

// add adds the contexts. It returns all tracks by the index that zones have.
func (t *zoneTracks) add(contexts []trace.Thread) []trace.Thread {
	t.contexts = contexts
	return slices.Concat(t.threads, contexts)
}

func (t *zoneTracks) label(index int) string {
	if at := index - len(t.threads); at >= 0 {
		return threadLabel(t.contexts, at)
	}
	return threadLabel(t.threads, index)
}

// zoneText writes pages of a table.
type zoneText struct {
	w     io.Writer
	on    *zoneTracks
	width int
	page  report.Table
}

func (t *zoneText) write(z *trace.Zone) error {
	if t.page.Columns == nil {
		t.page.Columns = []report.Column{
			{Title: "start", Right: true}, {Title: "duration", Right: true}, {Title: "self", Right: true, Spare: true},
			{Title: "depth", Right: true, Spare: true},
			{Title: "zone", Name: true}, {Title: "text", Name: true}, {Title: "thread", Name: true},
			{Title: "source", Spare: true},
		}
	}
	duration := report.Time(float64(z.DurationNS))
	if z.Unfinished {
		duration = "≥ " + duration
	}
	t.page.Add(strconv.FormatFloat(float64(z.StartNS)/1e6, 'f', 6, 64)+" ms", duration, report.Time(float64(z.SelfNS)),
		strconv.Itoa(z.Depth),
		report.Printable(z.Name()), report.Printable(z.Text), report.Printable(t.on.label(z.Thread)),
		report.Printable(sourcePlace(z.Location)))
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
	GPU        bool   `json:"gpu,omitempty"` // thread is a context, and there is no ordinal and no parent
}

func newZoneRow(z *trace.Zone, on *zoneTracks) zoneRow {
	row := zoneRow{
		Name: z.Name(), Text: z.Text, StartNS: z.StartNS, DurationNS: z.DurationNS, SelfNS: z.SelfNS, Depth: z.Depth,
		Ordinal: z.Ordinal, Parent: z.Parent,
		Thread: on.label(z.Thread), Function: z.Location.Function, File: z.Location.File,
		Line: z.Location.Line, Unfinished: z.Unfinished,
	}
	if z.Thread >= 0 && z.Thread < len(on.threads) {
		row.ThreadID = on.threads[z.Thread].ID
	}
	row.GPU = z.Thread >= len(on.threads)
	return row
}

type zoneNDJSON struct {
	enc *json.Encoder
	on  *zoneTracks
}

func (n *zoneNDJSON) write(z *trace.Zone) error { return n.enc.Encode(newZoneRow(z, n.on)) }
func (n *zoneNDJSON) end() error                { return nil }

// zoneCSV writes the header before the first zone, or at the end when there is none.
type zoneCSV struct {
	csv   *csv.Writer
	on    *zoneTracks
	begun bool
}

func (c *zoneCSV) begin() error {
	if c.begun {
		return nil
	}
	c.begun = true
	return c.csv.Write([]string{"name", "text", "start_ns", "duration_ns", "self_ns", "depth", "ordinal", "parent",
		"thread", "thread_id", "function", "src_file", "src_line", "unfinished", "gpu"})
}

func (c *zoneCSV) write(z *trace.Zone) error {
	if err := c.begin(); err != nil {
		return err
	}
	r := foreign.Row(newZoneRow(z, c.on))
	integer := func(n int64) string { return strconv.FormatInt(n, 10) }
	return c.csv.Write([]string{r.Name, r.Text, integer(r.StartNS), integer(r.DurationNS), integer(r.SelfNS),
		strconv.Itoa(r.Depth), integer(r.Ordinal), integer(r.Parent),
		r.Thread, strconv.FormatUint(r.ThreadID, 10), r.Function, r.File, strconv.FormatUint(uint64(r.Line), 10),
		strconv.FormatBool(r.Unfinished), strconv.FormatBool(r.GPU)})
}

func (c *zoneCSV) end() error {
	if err := c.begin(); err != nil {
		return err
	}
	c.csv.Flush()
	return c.csv.Error()
}
