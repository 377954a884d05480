package traceverbs

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
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
	case rowtext.CSV:
		return &zoneCSV{w: w, on: on}
	case rowtext.NDJSON:
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
	labels   []string // by the index that zones have; empty: not made yet
}

// add adds the contexts. It returns all tracks by the index that zones have.
func (t *zoneTracks) add(contexts []trace.Thread) []trace.Thread {
	t.contexts = contexts
	return slices.Concat(t.threads, contexts)
}

func (t *zoneTracks) label(index int) string {
	if index < 0 {
		return threadLabel(t.threads, index)
	}
	for len(t.labels) <= index {
		t.labels = append(t.labels, "")
	}
	if t.labels[index] == "" {
		if at := index - len(t.threads); at >= 0 {
			t.labels[index] = threadLabel(t.contexts, at)
		} else {
			t.labels[index] = threadLabel(t.threads, index)
		}
	}
	return t.labels[index]
}

// zoneText writes pages of a table.
type zoneText struct {
	w     io.Writer
	on    *zoneTracks
	width int
	page  texttable.Table
}

func (t *zoneText) write(z *trace.Zone) error {
	if t.page.Columns == nil {
		t.page.Columns = []texttable.Column{
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
		report.Printable(z.Location.Place()))
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
	w     io.Writer
	on    *zoneTracks
	cells cellTexts
	line  []byte
	begun bool
}

func (c *zoneCSV) begin() error {
	if c.begun {
		return nil
	}
	c.begun = true
	_, err := io.WriteString(c.w, "name,text,start_ns,duration_ns,self_ns,depth,ordinal,parent,thread,thread_id,function,"+
		"src_file,src_line,unfinished,gpu\n")
	return err
}

func (c *zoneCSV) write(z *trace.Zone) error {
	if err := c.begin(); err != nil {
		return err
	}
	r := newZoneRow(z, c.on)
	b := append(append(c.line[:0], c.cells.of(r.Name)...), ',')
	b = append(b, c.cells.of(r.Text)...)
	for _, n := range [...]int64{r.StartNS, r.DurationNS, r.SelfNS, int64(r.Depth), r.Ordinal, r.Parent} {
		b = strconv.AppendInt(append(b, ','), n, 10)
	}
	b = append(append(b, ','), c.cells.of(r.Thread)...)
	b = strconv.AppendUint(append(b, ','), r.ThreadID, 10)
	b = append(append(b, ','), c.cells.of(r.Function)...)
	b = append(append(b, ','), c.cells.of(r.File)...)
	b = strconv.AppendUint(append(b, ','), uint64(r.Line), 10)
	b = strconv.AppendBool(append(b, ','), r.Unfinished)
	b = strconv.AppendBool(append(b, ','), r.GPU)
	c.line = append(b, '\n')
	_, err := c.w.Write(c.line)
	return err
}

func (c *zoneCSV) end() error { return c.begin() }

// cellTexts makes cells of texts and remembers those that are not what they were: most zones have texts that others have
// had. The zero value is ready.
type cellTexts struct {
	known map[string]string
	made  bytes.Buffer
	csv   *csv.Writer // to made
}

// mostCellTexts bounds how many texts are remembered.
const mostCellTexts = 4096

// of returns the cell of a text, safe to show and quoted if it must be.
func (t *cellTexts) of(text string) string {
	if isCell(text) {
		return text
	}
	cell, known := t.known[text]
	if known {
		return cell
	}
	if t.csv == nil {
		t.csv = csv.NewWriter(&t.made)
	}
	t.made.Reset()
	_ = t.csv.Write([]string{foreign.Value(text), ""}) // no error: the buffer takes everything
	t.csv.Flush()
	cell = strings.TrimSuffix(t.made.String(), ",\n")
	if t.known == nil || len(t.known) == mostCellTexts {
		t.known = map[string]string{}
	}
	t.known[text] = cell
	return cell
}

// isCell reports whether a text is its own cell, as nearly all are: it begins with a letter or digit, and nothing in it
// is quoted or controls anything.
func isCell(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
		case i == 0 || c < ' ' || c > '~' || c == ',' || c == '"':
			return false
		}
	}
	return true
}
