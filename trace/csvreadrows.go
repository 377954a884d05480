package trace

import (
	"io"
	"strings"

	"github.com/gocarina/gocsv"
)

// csvBatch is how many rows are decoded at once.
const csvBatch = 512

// csvTableRow holds the columns of all tables, by name.
type csvTableRow struct {
	Name          string      `csv:"name"`
	File          string      `csv:"src_file"`
	Line          csvInteger  `csv:"src_line"`
	Start         csvInteger  `csv:"ns_since_start"`
	Duration      csvInteger  `csv:"exec_time_ns"`
	ThreadID      csvUnsigned `csv:"thread_id"`
	Thread        csvInteger  `csv:"thread"`
	ThreadName    string      `csv:"thread_name"`
	Depth         csvInteger  `csv:"depth"`
	Parent        csvInteger  `csv:"parent"`
	Ordinal       csvInteger  `csv:"ordinal"`
	Text          string      `csv:"zone_text"`
	Value         string      `csv:"value"`
	Self          csvInteger  `csv:"self_ns"`
	Color         csvInteger  `csv:"color"`
	DynamicName   string      `csv:"zone_name"`
	LocationName  string      `csv:"location_name"`
	Function      string      `csv:"function"`
	LocationColor csvInteger  `csv:"location_color"`
	Unfinished    csvInteger  `csv:"unfinished"`
	Total         csvInteger  `csv:"total_ns"`
	Percent       csvDecimal  `csv:"total_perc"`
	Count         csvInteger  `csv:"counts"`
	Mean          csvInteger  `csv:"mean_ns"`
	Min           csvInteger  `csv:"min_ns"`
	Max           csvInteger  `csv:"max_ns"`
	Std           csvDecimal  `csv:"std_ns"`
	Message       string      `csv:"MessageName"`
	MessageText   string      `csv:"text"`
	GPUStart      csvInteger  `csv:"Time from start of program"`
	GPUDuration   csvInteger  `csv:"GPU execution time"`
	Context       csvInteger  `csv:"context"`
	ContextName   string      `csv:"context_name"`
	CPUStart      csvInteger  `csv:"cpu_start_ns"`
	CPUEnd        csvInteger  `csv:"cpu_end_ns"`
	Plot          string      `csv:"plot"`
	PlotValue     csvDecimal  `csv:"plot_value"`
}

// csvRecordBatch is a gocsv.CSVReader over a header and some records.
type csvRecordBatch [][]string

// Read is not used by gocsv for tables that are read whole.
func (b csvRecordBatch) Read() ([]string, error) { return nil, io.EOF }

// ReadAll returns header and records.
func (b csvRecordBatch) ReadAll() ([][]string, error) { return b, nil }

// tableBuilder gathers what the rows of a table share.
type tableBuilder struct {
	*Table
	columns   []string
	known     map[string]int32 // strings
	places    map[Location]int32
	plots     map[string]*Plot
	threadful bool // the table tells threads apart
	ours      bool
	kind      csvTable
	doubtful  int
}

// read decodes all records.
func (t *Table) read(records *csvRecords, columns []string, kind csvTable) error {
	b := &tableBuilder{Table: t, columns: columns, known: map[string]int32{"": 0}, places: map[Location]int32{}, plots: map[string]*Plot{},
		kind: kind, ours: strings.HasPrefix(t.dialect, DialectZonemark)}
	for _, c := range columns {
		b.threadful = b.threadful || c == "thread"
	}
	place := map[csvTable]func(*csvTableRow){csvZones: b.zone, csvAggregate: b.aggregate, csvMessages: b.message, csvGPU: b.gpuZone, csvPlots: b.point}[kind]
	batch := csvRecordBatch{columns}
	for {
		record, err := records.next()
		if err != nil && err != io.EOF {
			return err
		}
		if err == nil {
			batch = append(batch, record)
		}
		if len(batch) > csvBatch || err == io.EOF && len(batch) > 1 {
			var rows []csvTableRow
			if err := gocsv.UnmarshalCSV(batch, &rows); err != nil {
				return err
			}
			for i := range rows {
				place(&rows[i])
			}
			batch = batch[:1]
		}
		if err == io.EOF {
			b.finish(kind)
			return nil
		}
	}
}

func (b *tableBuilder) finish(kind csvTable) {
	if kind != csvZones {
		return
	}
	switch {
	case b.ours && nestedAlready(b.zones):
	case b.threadful:
		if b.ours {
			b.warn("ordinals, parents and depths contradict each other; nesting was recovered from the times")
		}
		nest(b.zones)
	default:
		b.warn("the table does not tell threads apart; zones are not nested")
		nestNothing(b.zones)
	}
	if b.doubtful > 0 {
		b.warn("%d zones have the text of the row before, which tracy-csvexport also prints for a zone without text; see TextTrusted", b.doubtful)
	}
}

func (b *tableBuilder) intern(s string) int32 {
	i, ok := b.known[s]
	if !ok {
		s = strings.Clone(s) // not the line around it
		i = int32(len(b.strings))
		b.strings = append(b.strings, s)
		b.known[s] = i
	}
	return i
}

func (b *tableBuilder) location(row *csvTableRow) int32 {
	l := Location{Name: row.Name, Function: row.Function, File: row.File, Line: uint32(row.Line), Color: uint32(row.LocationColor)}
	if b.ours && b.kind == csvZones {
		l.Name = row.LocationName
	}
	i, ok := b.places[l]
	if !ok {
		l.Name, l.Function, l.File = b.strings[b.intern(l.Name)], b.strings[b.intern(l.Function)], b.strings[b.intern(l.File)]
		i = int32(len(b.locations))
		b.locations = append(b.locations, &l)
		b.places[l] = i
	}
	return i
}

func (b *tableBuilder) thread(row *csvTableRow) int {
	index := int(row.Thread)
	if index < 0 {
		return index
	}
	for len(b.threads) <= index {
		b.threads = append(b.threads, Thread{})
	}
	if row.ThreadID != 0 || row.ThreadName != "" {
		b.threads[index] = Thread{uint64(row.ThreadID), b.strings[b.intern(row.ThreadName)]}
	}
	return index
}

func (b *tableBuilder) zone(row *csvTableRow) {
	text := row.Text
	if !b.ours && text == "" {
		text = row.Value
	}
	if !b.ours && row.File == "" && row.Line == 0 && row.Duration == 0 && b.isPlot(row, text) {
		return
	}
	z := tableZone{start: int64(row.Start), duration: max(0, int64(row.Duration)), self: int64(row.Self), ordinal: int64(row.Ordinal), parent: int64(row.Parent),
		depth: int32(row.Depth), location: b.location(row), text: b.intern(text), dynamicName: b.intern(row.DynamicName), color: uint32(row.Color),
		thread: uint16(max(0, b.thread(row))), unfinished: row.Unfinished != 0}
	l := b.locations[z.location]
	trust := b.texts[l]
	if trust == nil {
		trust = &textTrust{}
		b.texts[l] = trust
	}
	if repeated := text == trust.last; repeated && text != "" && !b.ours {
		trust.doubtful = true
		b.doubtful++
	}
	trust.doubtful = trust.doubtful || text == ""
	trust.last = b.strings[z.text]
	b.zones = append(b.zones, z)
}

// isPlot takes a row of -p among the zones.
func (b *tableBuilder) isPlot(row *csvTableRow, text string) bool {
	var value csvDecimal
	if text == "" || value.UnmarshalCSV(text) != nil {
		return false
	}
	row.Plot, row.PlotValue = row.Name, value
	b.point(row)
	return true
}

func (b *tableBuilder) aggregate(row *csvTableRow) {
	b.aggregates = append(b.aggregates, Aggregate{Location: b.locations[b.location(row)], TotalNS: int64(row.Total), TotalPercent: float64(row.Percent), Count: int64(row.Count),
		MeanNS: int64(row.Mean), MinNS: int64(row.Min), MaxNS: int64(row.Max), StdNS: float64(row.Std)})
}

func (b *tableBuilder) message(row *csvTableRow) {
	if b.ours {
		b.messages = append(b.messages, Message{TimeNS: int64(row.Start), Text: row.MessageText, Color: uint32(row.Color), Thread: b.thread(row)})
		return
	}
	b.messages = append(b.messages, Message{TimeNS: int64(row.Total), Text: row.Message, Thread: -1})
}

func (b *tableBuilder) gpuZone(row *csvTableRow) {
	z := GPUZone{Location: b.locations[b.location(row)], StartNS: int64(row.GPUStart), DurationNS: int64(row.GPUDuration)}
	if b.ours {
		z = GPUZone{Context: int(row.Context), ContextName: row.ContextName, Thread: max(0, b.thread(row)), Location: z.Location, CPUStartNS: int64(row.CPUStart), CPUEndNS: int64(row.CPUEnd),
			StartNS: int64(row.Start), DurationNS: int64(row.Duration), Depth: int(row.Depth)}
	}
	b.gpu = append(b.gpu, z)
}

func (b *tableBuilder) point(row *csvTableRow) {
	plot := b.plots[row.Plot]
	if plot == nil {
		plot = &Plot{Name: strings.Clone(row.Plot), Min: float64(row.PlotValue), Max: float64(row.PlotValue)}
		b.plots[plot.Name] = plot
	}
	value := float64(row.PlotValue)
	plot.Min, plot.Max, plot.Sum = min(plot.Min, value), max(plot.Max, value), plot.Sum+value
	plot.PointCount++
	b.points = append(b.points, PlotPoint{plot, int64(row.Start), value})
}
