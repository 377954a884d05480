package tracycsv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
)

// written returns the table of a capture of which only some parts are read.
func written(t *testing.T, capture string, parts trace.Parts, o Options) string {
	t.Helper()
	f, err := trace.OpenParts(filepath.Join("..", "testdata", capture+".tracy"), parts)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b strings.Builder
	if err := Write(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writtenCSV(t *testing.T, capture string, o Options) [][]string {
	t.Helper()
	table := strings.NewReader(written(t, capture, trace.AllParts, o))
	rows, err := csv.NewReader(table).ReadAll() // strict: what we write is valid
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func exported(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "testdata", name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// exporterLine is a row of -u: names may hold commas, nothing is quoted.
var exporterLine = regexp.MustCompile(`^(.*,[^,]*,\d+,\d+,\d+,\d+),(.*)$`)

// exporterZones splits the unquoted output of -u into rows; lines that are none go on with the text of the row before.
func exporterZones(t *testing.T, name string) (keys, texts, others []string) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSuffix(exported(t, name), "\n"), "\n") {
		if i == 0 {
			continue
		}
		switch m := exporterLine.FindStringSubmatch(line); {
		case m != nil:
			keys, texts = append(keys, m[1]), append(texts, m[2])
		case strings.Contains(line, ",,,"):
			others = append(others, line)
		default:
			texts[len(texts)-1] += "\n" + line
		}
	}
	return keys, texts, others
}

func TestZonesEqualTheExporters(t *testing.T) {
	for _, c := range []struct {
		name, capture, dialect string
		plot                   bool
		rows                   int
		textless               bool // Exception: the exporter's table has a column value with nothing in it
	}{
		{"small_0112.u", "small_0112", "0.11.2", false, 1000, true},
		{"small_0140.u", "small_0140", "0.14", false, 1000, false},
		{"small_0140.up", "small_0140", "0.14", true, 1000, false},
		{"iree_mlp_bracketed.u", "iree_mlp_bracketed", "0.11.2", false, 3420, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys, texts, others := exporterZones(t, c.name)
			ours := map[string]string{}
			var plots []string
			for _, row := range writtenCSV(t, c.capture, Options{Dialect: c.dialect, Unwrap: true, Plot: c.plot})[1:] {
				if row[1] == "" && row[2] == "" {
					plots = append(plots, strings.Join(row, ","))
					continue
				}
				key := strings.Join(row[:6], ",")
				if _, twice := ours[key]; twice {
					t.Fatalf("two rows %s", key)
				}
				ours[key] = row[6]
			}
			if len(keys) != c.rows || len(ours) != c.rows {
				t.Fatalf("the exporter has %d zones, we have %d, want %d", len(keys), len(ours), c.rows)
			}
			before := map[string]string{} // the last text that the exporter printed for a location
			sticky := 0
			for i, key := range keys {
				text, ok := ours[key]
				if !ok {
					t.Fatalf("we lack %s", key)
				}
				location := strings.Join(strings.Split(key, ",")[:strings.Count(key, ",")-2], ",")
				if c.textless {
					if texts[i] != "" {
						t.Errorf("%s: the exporter has the text %q", key, texts[i])
					}
				} else if texts[i] != text {
					// Exception: a zone without text repeats the text of the row before.
					if text != "" || texts[i] != before[location] {
						t.Errorf("%s: text %q, the exporter has %q after %q", key, text, texts[i], before[location])
					}
					sticky++
				}
				before[location] = texts[i]
			}
			if !c.textless && sticky == 0 {
				t.Error("the exporter repeated no text; the exception is not exercised")
			}
			for i := range others {
				// Exception: the CPU usage is called Frame.
				others[i] = strings.Replace(others[i], "Frame,", "CPU usage,", 1)
			}
			if !slices.Equal(sortedRows(plots), sortedRows(others)) {
				t.Errorf("plots %q, the exporter has %q", plots, others)
			}
		})
	}
}

func sortedRows(rows []string) []string {
	rows = slices.Clone(rows)
	slices.Sort(rows)
	return rows
}

func TestAggregatesEqualTheExporters(t *testing.T) {
	for _, c := range []struct {
		name, capture, dialect string
		self                   bool
	}{
		{"small_0112.agg", "small_0112", "0.11.2", false},
		{"small_0140.agg", "small_0140", "0.14", false},
		{"small_0140.self", "small_0140", "0.14", true},
		{"z100k_0112.agg", "z100k_0112", "0.11.2", false},
		{"iree_mlp_bracketed.agg", "iree_mlp_bracketed", "0.11.2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours := writtenCSV(t, c.capture, Options{Dialect: c.dialect, Self: c.self})
			lines := strings.Split(strings.TrimSuffix(exported(t, c.name), "\n"), "\n")
			theirs := map[string]float64{} // deviation by the other columns
			for _, line := range lines {
				cut := strings.LastIndexByte(line, ',')
				theirs[line[:cut]], _ = strconv.ParseFloat(line[cut+1:], 64)
			}
			if len(ours) != len(lines) {
				t.Errorf("%d rows, the exporter has %d", len(ours), len(lines))
			}
			wrong := 0
			for _, row := range ours {
				deviation, ok := theirs[strings.Join(row[:9], ",")]
				if !ok {
					t.Errorf("the exporter lacks %q", row)
				}
				got, _ := strconv.ParseFloat(row[9], 64)
				if got == deviation {
					continue
				}
				// Exception: -e takes the squares of times with children. Else the order of a sum may show in the last
				// digits.
				if c.self {
					wrong++
				} else if abs := got - deviation; abs > 1e-9*deviation+2e-6 || abs < -1e-9*deviation-2e-6 {
					t.Errorf("%s: deviation %v, the exporter has %v", row[0], got, deviation)
				}
			}
			if c.self && wrong == 0 {
				t.Error("the exporter's deviation of self times is right; the exception is not exercised")
			}
		})
	}
}

func TestMessagesEqualTheExporters(t *testing.T) {
	for _, c := range []struct{ capture, dialect string }{{"small_0112", "0.11.2"}, {"small_0140", "0.14"}} {
		var rows []string
		for _, row := range writtenCSV(t, c.capture, Options{Dialect: c.dialect, Messages: true}) {
			rows = append(rows, strings.Join(row, ","))
		}
		if want := strings.Split(strings.TrimSuffix(exported(t, c.capture+".m"), "\n"),
			"\n"); !slices.Equal(sortedRows(rows), sortedRows(want)) {
			t.Errorf("%s: %q, the exporter has %q", c.capture, rows, want)
		}
	}
}

func TestEveryDialectHasItsColumns(t *testing.T) {
	for dialect, want := range map[string]int{"0.9": 5, "0.10": 6, "0.11.2": 7, "0.12": 7, "0.14": 7, "tt": 9,
		"zonemark": 20} {
		rows := writtenCSV(t, "small_0112", Options{Dialect: dialect, Unwrap: true, Filter: "INNER"})
		if len(rows) != 201 && dialect != "zonemark" || len(rows[0]) != want {
			t.Errorf("%s: %d rows, columns %q", dialect, len(rows), rows[0])
		}
	}
	if rows := writtenCSV(t, "small_0112", Options{Dialect: "0.12", Unwrap: true, Filter: "INNER",
		CaseSensitive: true}); len(rows) != 1 {
		t.Errorf("%d rows although case matters", len(rows))
	}
	for _, o := range []Options{{Dialect: "1.0"}, {Dialect: "0.9", Messages: true}, {Dialect: "0.10", GPU: true},
		{Separator: "\n"}, {TruncatedMean: 101}, {Dialect: "0.12", TruncatedMean: 90}} {
		if _, err := o.check(); err == nil {
			t.Errorf("%+v passed", o)
		}
	}
}

// TestPartsAreEnough: a table of a capture that was opened for it is that of the whole capture.
func TestPartsAreEnough(t *testing.T) {
	kept := map[trace.Parts]int{}
	for _, dialect := range append(Dialects(), "") {
		for _, o := range []Options{{}, {Unwrap: true}, {Self: true}, {Filter: "inner"}, {Messages: true}, {GPU: true},
			{Plot: true}} {
			o.Dialect = dialect
			if _, err := o.check(); err != nil {
				continue
			}
			o.Dialect = dialect
			kept[o.Parts()]++
			if written(t, "small_0112", o.Parts(), o) != written(t, "small_0112", trace.AllParts, o) {
				t.Errorf("%+v: another table with parts %d", o, o.Parts())
			}
		}
	}
	if len(kept) < 3 {
		t.Errorf("parts %v: want each of them", kept)
	}
}

func TestTruncatedMean(t *testing.T) {
	s := rowSums{samples: []int64{40, 10, 30, 20, 1000}}
	if p, m := s.truncated(75); p != 40 || m != 25 {
		t.Errorf("percentile %d, mean %d", p, m)
	}
	if p, m := s.truncated(60); p != 34 || m != 20 {
		t.Errorf("percentile %d, mean %d", p, m)
	}
}

// TestWriteCSVWatch: whoever watches sees the count grow, and can end the pass. What was read before is written.
func TestWriteCSVWatch(t *testing.T) {
	enough := errors.New("enough")
	for _, unwrap := range []bool{true, false} {
		f := zonetest.Open(t, "../testdata/z100k_0112.tracy")
		var seen []int64
		var b bytes.Buffer
		err := Write(&b, f, Options{Unwrap: unwrap, Watch: func(zones int64) error {
			if seen = append(seen, zones); len(seen) == 3 {
				return enough
			}
			return nil
		}})
		if !errors.Is(err, enough) || len(seen) != 3 || seen[0] <= 0 || seen[1] <= seen[0] || seen[2] <= seen[1] {
			t.Errorf("%v after %d", err, seen)
		}
		if rows := int64(bytes.Count(b.Bytes(), []byte("\n"))) - 1; unwrap && (rows < seen[1] || rows >= seen[2]) ||
			!unwrap && rows < 1 {
			t.Errorf("%d rows after %d", rows, seen)
		}
	}
}

func BenchmarkWriteCSV(b *testing.B) {
	f, err := trace.Open(filepath.Join("..", "testdata", "z100k_0112.tracy"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for _, o := range []Options{{Dialect: "0.11.2", Unwrap: true}, {Unwrap: true}, {Dialect: "0.11.2"}} {
		b.Run(o.Dialect+strconv.FormatBool(o.Unwrap), func(b *testing.B) {
			for range b.N {
				var n countingWriter
				if err := Write(&n, f, o); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(n))
			}
			b.ReportMetric(100000*float64(b.N)/b.Elapsed().Seconds(), "zones/s")
		})
	}
}

// BenchmarkCSVRows writes zones that are in memory: what the writer itself costs.
func BenchmarkCSVRows(b *testing.B) {
	f, err := trace.Open(filepath.Join("..", "testdata", "z100k_0112.tracy"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	held := heldZones{File: f}
	err = f.WalkRaw(make([]trace.RawZone, 0, trace.RawBatch), func(zones []trace.RawZone) []trace.RawZone {
		held.zones = append(held.zones, zones...)
		return zones[:0]
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, dialect := range []string{"0.11.2", DialectZonemark} {
		b.Run(dialect, func(b *testing.B) {
			for range b.N {
				var n countingWriter
				if err := writeCapture(&n, held, Options{Dialect: dialect, Unwrap: true}); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(n))
			}
			b.ReportMetric(float64(len(held.zones)*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// heldZones is a capture whose zones are in memory.
type heldZones struct {
	*trace.File
	zones []trace.RawZone
}

func (h heldZones) WalkRaw(first []trace.RawZone, each func([]trace.RawZone) []trace.RawZone) error {
	for zones := range slices.Chunk(h.zones, cap(first)) {
		if first = each(append(first[:0], zones...)); first == nil {
			break
		}
	}
	return nil
}

type countingWriter int64

func (n *countingWriter) Write(b []byte) (int, error) {
	*n += countingWriter(len(b))
	return len(b), nil
}
