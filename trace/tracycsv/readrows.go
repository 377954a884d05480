package tracycsv

import (
	"io"
	"strings"

	"github.com/gocarina/gocsv"

	"zonemark/trace"
	"zonemark/trace/csvtext"
)

// rowsABatch is how many rows are decoded at once.
const rowsABatch = 512

// recordBatch is a gocsv.CSVReader over a header and some records.
type recordBatch [][]string

// Read is not used by gocsv for tables that are read whole.
func (b recordBatch) Read() ([]string, error) { return nil, io.EOF }

// ReadAll returns header and records.
func (b recordBatch) ReadAll() ([][]string, error) { return b, nil }

// tableBuilder gathers what the rows of a table share.
type tableBuilder struct {
	*Table
	columns   []string
	known     map[string]int32 // strings
	places    map[trace.Location]int32
	plots     map[string]*trace.Plot
	threadful bool // the table tells threads apart
	ours      bool
	kind      tableKind
	doubtful  int
	textBytes int64 // of the strings, and of the texts of messages
}

// read decodes all records.
func (t *Table) read(records *recordReader, columns []string, kind tableKind, l limits) error {
	b := &tableBuilder{Table: t, columns: columns, known: map[string]int32{"": 0}, places: map[trace.Location]int32{},
		plots: map[string]*trace.Plot{},
		kind:  kind, ours: strings.HasPrefix(t.dialect, DialectZonemark)}
	for _, c := range columns {
		b.threadful = b.threadful || c == "thread"
	}
	take := map[tableKind]func(recordBatch) error{
		ofZones:      func(batch recordBatch) error { return each(batch, b.zone) },
		ofAggregates: func(batch recordBatch) error { return each(batch, b.aggregate) },
		ofMessages:   func(batch recordBatch) error { return each(batch, b.message) },
		ofGPU:        func(batch recordBatch) error { return each(batch, b.gpuZone) },
		ofPlots:      func(batch recordBatch) error { return each(batch, b.point) },
	}[kind]
	batch := recordBatch{columns}
	for {
		record, err := records.next()
		if err != nil && err != io.EOF {
			return err
		}
		if err == nil {
			batch = append(batch, record)
		}
		if len(batch) > rowsABatch || err == io.EOF && len(batch) > 1 {
			if kind == ofZones && len(b.zones) == 0 {
				b.expect(l, batch)
			}
			if err := take(batch); err != nil {
				return err
			}
			batch = batch[:1]
			if err := b.bounded(l, records.lines.Number); err != nil {
				return err
			}
		}
		if err == io.EOF {
			b.finish(kind)
			return nil
		}
	}
}

// each decodes the records of a batch, and calls a function for each row.
func each[R any](batch recordBatch, take func(*R)) error {
	var rows []R
	if err := gocsv.UnmarshalCSV(batch, &rows); err != nil {
		return err
	}
	for i := range rows {
		take(&rows[i])
	}
	return nil
}

func (b *tableBuilder) finish(kind tableKind) {
	if kind != ofZones {
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
		b.warn("%d zones have the text of the row before; tracy-csvexport writes that also for a zone without text",
			b.doubtful)
	}
}

func (b *tableBuilder) intern(s string) int32 {
	i, ok := b.known[s]
	if !ok {
		s = strings.Clone(s) // not the line around it
		i = int32(len(b.strings))
		b.textBytes += int64(len(s))
		b.strings = append(b.strings, s)
		b.known[s] = i
	}
	return i
}

func (b *tableBuilder) location(name string, row *PlaceColumns) int32 {
	l := trace.Location{Name: name, Function: row.Function, File: row.File, Line: uint32(row.Line),
		Color: uint32(row.Color)}
	i, ok := b.places[l]
	if !ok {
		l.Name, l.Function, l.File = b.strings[b.intern(l.Name)], b.strings[b.intern(l.Function)],
			b.strings[b.intern(l.File)]
		i = int32(len(b.locations))
		b.locations = append(b.locations, &l)
		b.places[l] = i
	}
	return i
}

func (b *tableBuilder) thread(row *ThreadColumns) int {
	index := int(row.Thread)
	if index < 0 {
		return index
	}
	for len(b.threads) <= index {
		b.threads = append(b.threads, trace.Thread{})
	}
	if row.ThreadID != 0 || row.ThreadName != "" {
		b.threads[index] = trace.Thread{ID: uint64(row.ThreadID), Name: b.strings[b.intern(row.ThreadName)]}
	}
	return index
}

func (b *tableBuilder) zone(row *zoneRow) {
	text, name := row.Text, row.Name
	if b.ours {
		name = row.LocationName
	} else if text == "" {
		text = row.Value
	}
	if !b.ours && row.File == "" && row.Line == 0 && row.Duration == 0 && b.isPlot(row, text) {
		return
	}
	z := tableZone{start: int64(row.Start), duration: max(0, int64(row.Duration)), self: int64(row.Self),
		ordinal: int64(row.Ordinal), parent: int64(row.Parent),
		depth: int32(row.Depth), location: b.location(name, &row.PlaceColumns), text: b.intern(text),
		dynamicName: b.intern(row.DynamicName), color: uint32(row.ZoneColor),
		thread: uint16(max(0, b.thread(&row.ThreadColumns))), unfinished: row.Unfinished != 0}
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
func (b *tableBuilder) isPlot(row *zoneRow, text string) bool {
	var value csvtext.Decimal
	if text == "" || value.UnmarshalCSV(text) != nil {
		return false
	}
	b.point(&pointRow{Plot: row.Name, Value: value, Start: row.Start})
	return true
}

func (b *tableBuilder) aggregate(row *aggregateRow) {
	b.aggregates = append(b.aggregates, Aggregate{Location: b.locations[b.location(row.Name, &row.PlaceColumns)], TotalNS: int64(row.Total),
		TotalPercent: float64(row.Percent), Count: int64(row.Count),
		MeanNS: int64(row.Mean), MinNS: int64(row.Min), MaxNS: int64(row.Max), StdNS: float64(row.Std)})
}

func (b *tableBuilder) message(row *messageRow) {
	if b.ours {
		b.textBytes += int64(len(row.Text))
		b.messages = append(b.messages, trace.Message{TimeNS: int64(row.Start), Text: row.Text,
			Color: uint32(row.Color), Thread: b.thread(&row.ThreadColumns)})
		return
	}
	b.messages = append(b.messages, trace.Message{TimeNS: int64(row.Total), Text: row.Message, Thread: -1})
	b.textBytes += int64(len(row.Message))
}

func (b *tableBuilder) gpuZone(row *gpuRow) {
	z := trace.GPUZone{Location: b.locations[b.location(row.Name, &row.PlaceColumns)], StartNS: int64(row.GPUStart),
		DurationNS: int64(row.GPUDuration)}
	if b.ours {
		z = trace.GPUZone{Context: int(row.Context), ContextName: row.ContextName, Thread: max(0, b.thread(&row.ThreadColumns)),
			Location: z.Location, CPUStartNS: int64(row.CPUStart), CPUEndNS: int64(row.CPUEnd),
			StartNS: int64(row.Start), DurationNS: int64(row.Duration), Depth: int(row.Depth)}
	}
	b.gpu = append(b.gpu, z)
}

func (b *tableBuilder) point(row *pointRow) {
	plot := b.plots[row.Plot]
	if plot == nil {
		plot = &trace.Plot{Name: strings.Clone(row.Plot), Min: float64(row.Value), Max: float64(row.Value)}
		b.plots[plot.Name] = plot
	}
	value := float64(row.Value)
	plot.Min, plot.Max, plot.Sum = min(plot.Min, value), max(plot.Max, value), plot.Sum+value
	plot.PointCount++
	b.points = append(b.points, trace.PlotPoint{Plot: plot, TimeNS: int64(row.Start), Value: value})
}
