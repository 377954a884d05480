package tracycsv

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"zonemark/invocations/files"
	"zonemark/trace"
	"zonemark/trace/csvtext"
)

// Table is a CSV table that somebody made of a capture: zones, aggregates, messages, GPU zones or plots.
type Table struct {
	name       string
	dialect    string
	warnings   []string
	threads    []trace.Thread
	zones      []tableZone // each before what it encloses
	locations  []*trace.Location
	strings    []string
	aggregates []Aggregate
	messages   []trace.Message
	gpu        []trace.GPUZone
	points     []trace.PlotPoint
	texts      map[*trace.Location]*textTrust
}

// Aggregate is a row of statistics. Times are in ns.
type Aggregate struct {
	Location     *trace.Location
	TotalNS      int64
	TotalPercent float64 // of the time of the last event; above 100 with threads
	Count        int64
	MeanNS       int64 // cut to an integer
	MinNS, MaxNS int64
	StdNS        float64
}

// textTrust follows the texts of one location through a table.
type textTrust struct {
	last     string
	doubtful bool
}

// Open reads a table from a file.
func Open(path string) (*Table, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return read(path, f, limits{size, mostHeld})
}

// Read reads a table in any dialect that Write or tracy-csvexport writes, with any separator; the header says which.
// Unknown columns are passed over. Rows that the exporter broke, as it quotes nothing, are repaired where only one
// reading makes sense; Warnings count those and what was dropped. The name stands for the table in errors. A table
// whose rows need more than 2 GiB of memory is an error.
func Read(name string, r io.Reader) (*Table, error) { return read(name, r, limits{most: mostHeld}) }

// read reads a table within limits.
func read(name string, r io.Reader, l limits) (*Table, error) {
	lines := csvtext.NewLines(r)
	header, err := lines.Next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("there is no header; the table is empty")
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{name: name, strings: []string{""}, texts: map[*trace.Location]*textTrust{}}
	header = strings.TrimPrefix(header, "\ufeff")
	if header == "There are currently no messages!" {
		t.dialect = "0.10 -m"
		return t, nil
	}
	separator := sniffSeparator(header)
	columns := strings.Split(header, separator)
	for i := range columns {
		columns[i] = strings.Trim(strings.TrimSpace(columns[i]), `"`)
	}
	kind, dialect := detect(columns)
	if dialect == "" {
		return nil, fmt.Errorf("%s:1: no table of Tracy's: %.200q; expected the output of tracy-csvexport or of "+
			"zonemark trace csv", name, header)
	}
	t.dialect = dialect
	records := &recordReader{lines: lines, separator: separator, repairs: !strings.HasPrefix(dialect, DialectZonemark)}
	for _, c := range columns {
		records.columns = append(records.columns, readColumn{c, checkOf(c)})
	}
	records.tail = records.repairs && kind == ofZones && columns[len(columns)-1] == "value"
	records.head = records.repairs && kind == ofMessages && columns[0] == "MessageName"
	if kind == ofZones {
		records.special = plotRow(columns)
	}
	records.prepare()
	if err := t.read(records, columns, kind, l); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if records.repaired > 0 {
		t.warn("%d rows were broken, as their fields are not quoted, and have been repaired", records.repaired)
	}
	if records.dropped > 0 {
		t.warn("%d lines fit no column and were dropped, or can be read in several ways; export again with zonemark "+
			"trace csv", records.dropped)
	}
	return t, nil
}

func (t *Table) warn(format string, a ...any) {
	t.warnings = append(t.warnings, fmt.Sprintf(format, a...))
}

// sniffSeparator returns what separates the columns of a header.
func sniffSeparator(header string) string {
	// Every known header begins with one of these pairs, which shows separators of any length.
	for _, pair := range [][2]string{{"name", "src_file"}, {"MessageName", "total_ns"}, {"ns_since_start", "thread_id"},
		{"plot", "ns_since_start"}} {
		if rest, ok := strings.CutPrefix(header, pair[0]); ok {
			if i := strings.Index(rest, pair[1]); i > 0 && i <= 8 && !strings.ContainsAny(rest[:i], "\"_") {
				return rest[:i]
			}
		}
	}
	best, most := ",", 0
	for _, s := range []string{",", ";", "|", "\t"} {
		if n := strings.Count(header, s); n > most {
			best, most = s, n
		}
	}
	return best
}

// detect returns what a table holds, and the oldest dialect with such columns, with the flag that makes it.
func detect(columns []string) (tableKind, string) {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(columns, n) })
	}
	switch {
	case has("name", "cpu_start_ns", "context", "ns_since_start", "exec_time_ns"):
		return ofGPU, "zonemark -g"
	case has("name", "ns_since_start", "exec_time_ns", "ordinal", "parent", "depth"):
		return ofZones, "zonemark -u"
	case has("name", "zone_name", "zone_text", "ns_since_start", "exec_time_ns"):
		return ofZones, "tt -u"
	case has("name", "ns_since_start", "exec_time_ns", "thread", "value"):
		return ofZones, "0.11.2 -u"
	case has("name", "ns_since_start", "exec_time_ns", "thread"):
		return ofZones, "0.10 -u"
	case has("name", "ns_since_start", "exec_time_ns"):
		return ofZones, "0.9 -u"
	case has("name", "total_ns", "counts", "self_ns"):
		return ofAggregates, "zonemark"
	case has("name", "total_ns", "counts", "truncated_mean_ns"):
		return ofAggregates, "0.14"
	case has("name", "total_ns", "counts"):
		return ofAggregates, "0.9"
	case has("MessageName", "total_ns"):
		return ofMessages, "0.10 -m"
	case has("ns_since_start", "text"):
		return ofMessages, "zonemark -m"
	case has("name", "Time from start of program", "GPU execution time"):
		return ofGPU, "0.11.2 -g"
	case has("plot", "ns_since_start", "plot_value"):
		return ofPlots, "zonemark -p"
	}
	return ofAggregates, ""
}

// plotRow returns what tells the rows of -p among those of -u: name, time and value only.
func plotRow(columns []string) func([]string) bool {
	time, place, duration := slices.Index(columns, "ns_since_start"), slices.Index(columns, "src_line"),
		slices.Index(columns, "exec_time_ns")
	isTime := checkOf("ns_since_start")
	return func(fields []string) bool {
		return place >= 0 && fields[place] == "" && fields[duration] == "" && isTime(fields[time])
	}
}

// Dialect is the oldest dialect that has the columns of the table, and the flag that makes such a table: "0.11.2 -u".
func (t *Table) Dialect() string { return t.dialect }

// Warnings say what was wrong with the table, with counts.
func (t *Table) Warnings() []string { return t.warnings }

// Threads returns the threads by their index. Only our own dialect has their ids and names. The slice is shared; do not
// change it.
func (t *Table) Threads() []trace.Thread { return t.threads }

// Aggregates returns the rows of an aggregate table.
func (t *Table) Aggregates() []Aggregate { return t.aggregates }

// Messages iterates over the messages of the table.
func (t *Table) Messages() iter.Seq2[trace.Message, error] { return without(t.messages) }

// GPUZones iterates over the GPU zones of a table that holds nothing else.
func (t *Table) GPUZones() iter.Seq2[trace.GPUZone, error] { return without(t.gpu) }

// Plots iterates over the points of plots.
func (t *Table) Plots() iter.Seq2[trace.PlotPoint, error] { return without(t.points) }

// without iterates without errors.
func without[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// TextTrusted says whether the texts of a location's zones are theirs. tracy-csvexport repeats the text of the row
// before for a zone that has none: a location is trusted when each of its rows has a text, and none the text of the row
// before. The texts of other locations are kept, for callers who know that every zone there was given one, as Warnings
// say. Texts of the zonemark dialect are always trusted.
func (t *Table) TextTrusted(l *trace.Location) bool {
	trust := t.texts[l]
	return strings.HasPrefix(t.dialect, DialectZonemark) || trust != nil && !trust.doubtful
}
