package tracycsv

import (
	"bytes"
	"iter"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations/foreign"
	"zonemark/trace"
)

func collectRows[T any](t *testing.T, rows iter.Seq2[T, error]) (all []T) {
	t.Helper()
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return all
}

func TestReadsWhatItWrote(t *testing.T) {
	f, err := trace.Open(filepath.Join("..", "testdata", "small_0140.tracy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := collectRows(t, f.Zones())
	for _, separator := range []string{",", ";", "\t", "|", "::"} {
		var b bytes.Buffer
		if err := Write(&b, f, Options{Unwrap: true, Separator: separator}); err != nil {
			t.Fatal(err)
		}
		table, err := Read("t", &b)
		if err != nil {
			t.Fatal(err)
		}
		if got := collectRows(t, table.Zones()); !sameZones(got, want) || len(table.Warnings()) > 0 ||
			table.Dialect() != "zonemark -u" {
			t.Errorf("separator %q: %d zones, want %d; %q %s", separator, len(got), len(want), table.Warnings(),
				table.Dialect())
		}
	}
}

func sameZones(a, b []trace.Zone) bool {
	return slices.EqualFunc(a, b, func(a, b trace.Zone) bool {
		la, lb := a.Location, b.Location
		a.Location, b.Location = nil, nil
		return a == b && *la == *lb
	})
}

func TestExporterTables(t *testing.T) {
	f, err := trace.Open(filepath.Join("..", "testdata", "small_0140.tracy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := Open(filepath.Join("..", "testdata", "small_0140.up.csv"))
	if err != nil {
		t.Fatal(err)
	}
	want, got := collectRows(t, f.Zones()), collectRows(t, table.Zones())
	if len(got) != len(want) {
		t.Fatalf("%d zones, want %d; %q", len(got), len(want), table.Warnings())
	}
	for i := range got {
		// Nesting is that of the file; the ordinals too, as threads are stored by their index.
		g, w := got[i], want[i]
		if g.Depth != w.Depth || g.SelfNS != w.SelfNS || g.StartNS != w.StartNS || g.DurationNS != w.DurationNS ||
			g.Location.Name != w.Location.Label() || w.Text != "" && g.Text != w.Text {
			t.Errorf("%+v, want %+v", g, w)
		}
		if table.TextTrusted(g.Location) {
			t.Errorf("the text of %s is trusted", g.Location.Name)
		}
	}
	if points := collectRows(t, table.Plots()); len(points) != 3 || points[1].Plot.Name != "queue" ||
		points[1].Value != 0.5 {
		t.Errorf("plots %+v", points)
	}
	if !strings.Contains(strings.Join(table.Warnings(), "\n"), "200 rows were broken") {
		t.Errorf("warnings %q", table.Warnings())
	}
	for name, count := range map[string]int{"small_0112.agg": 104, "small_0140.self": 104} {
		table, err := Open(filepath.Join("..", "testdata", name+".csv"))
		if err != nil || len(table.Aggregates()) != count || table.Dialect() != "0.9" {
			t.Errorf("%s: %d rows, %v", name, len(table.Aggregates()), err)
		}
	}
	if table, err = Open(filepath.Join("..", "testdata", "small_0140.m.csv")); err != nil ||
		len(collectRows(t, table.Messages())) != 3 {
		t.Errorf("messages: %v", err)
	}
}

func TestBrokenRows(t *testing.T) {
	const u = "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n"
	for _, c := range []struct {
		in, name, text string
		zones          int
		warning        string
	}{
		{u + "a,f,1,10,5,0,x\n", "a", "x", 1, ""},
		{u + "a,b \"q\",f,1,10,5,0,\n", "a,b \"q\"", "", 1, "1 rows were broken"},
		{u + "a,f,1,10,5,0,one\ntwo\n\nthree\n\n", "a", "one\ntwo\n\nthree", 1, "1 rows were broken"},
		{u + "a,f,1,10,5,0,1,2\n", "a", "1,2", 1, "1 rows were broken"},
		{u + "a,f,1,10,5,0,\"open\nb,f,1,20,5,0,\n", "a", "\"open", 2, "1 rows"},
		{u + "a,f,1,2,3,4,5,6,7,8\n", "a", "5,6,7,8", 1, "1 rows were broken"},
		{u + "a,f,1,2,3,4,g,1,2,3,4,x\n", "", "", 0, "1 lines fit no column"},
		{u + "garbage\na,f,1,10,5,70000,\n", "", "", 0, "2 lines fit no column"},
		{strings.ReplaceAll(u+"a,f,1,10,5,0,x\n", "\n", "\r\n"), "a", "x", 1, ""},
		{"name;src_file;src_line;ns_since_start;exec_time_ns;new\na;f;1;10;5;?\n", "a", "", 1,
			"the table does not tell threads apart"},
		{"name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text\n" +
			"a,f,1,dyn,\"id:\"1\",x\",10,5,1,\n", "dyn", "id:\"1\",x", 1, "1 rows were broken"},
	} {
		table, err := Read("t", strings.NewReader(c.in))
		if err != nil {
			t.Fatal(err)
		}
		zones := collectRows(t, table.Zones())
		if len(zones) != c.zones || len(zones) > 0 && (zones[0].Name() != c.name || zones[0].Text != c.text) ||
			c.warning == "" && len(table.Warnings()) > 0 ||
			!strings.HasPrefix(strings.Join(table.Warnings(), ""), c.warning) {
			t.Errorf("%q: %+v, warnings %q", c.in, zones, table.Warnings())
		}
	}
	for _, in := range []string{"", "a,b\n1,2\n"} {
		if _, err := Read("t", strings.NewReader(in)); err == nil {
			t.Errorf("%q passed", in)
		}
	}
	table, err := Read("t", strings.NewReader("MessageName;total_ns\none\ntwo;7\nthree;8\n"))
	if err != nil || !reflect.DeepEqual(collectRows(t, table.Messages()), []trace.Message{{TimeNS: 7, Text: "one\ntwo",
		Thread: -1}, {TimeNS: 8, Text: "three", Thread: -1}}) {
		t.Errorf("messages of several lines: %+v, %v", table, err)
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, list := range []string{columnsAggregate, columnsZones + ",thread,value", columnsMessages, columnsGPU,
		columnsTTZones, columnsOurZones, columnsOurMessages, columnsOurGPU, columnsOurPlots} {
		f.Add([]byte(list + "\na,f,1,10,5,0,x\n\"b\",\"f\"\"\",1,12,0,0,\"\nm\"\nq,,,3,,,0.5\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read("t", bytes.NewReader(data))
		if err != nil {
			return
		}
		zones := collectRows(t, table.Zones())
		if len(zones) != len(table.zones) {
			t.Fatalf("%d zones of %d", len(zones), len(table.zones))
		}
		// What is written in our dialect is read back as it was, but for what no cell holds.
		for i := range zones {
			zones[i] = asWritten(zones[i])
		}
		var b bytes.Buffer
		if err := writeCapture(&b, sourceOf(table), Options{Unwrap: true}); err != nil {
			t.Fatal(err)
		}
		again, err := Read("again", &b)
		if err != nil {
			t.Fatal(err)
		}
		if got := collectRows(t, again.Zones()); !sameZones(got, zones) {
			t.Fatalf("%+v\nread back as\n%+v\n%q", zones, got, again.Warnings())
		}
	})
}

// asWritten returns a zone with texts as cells hold them.
func asWritten(z trace.Zone) trace.Zone {
	l := *z.Location
	for _, text := range []*string{&l.Name, &l.Function, &l.File, &z.DynamicName, &z.Text} {
		*text = foreign.Controls(*text)
	}
	z.Location = &l
	return z
}

// tableSource makes a capture of a table.
type tableSource struct {
	*Table
	all []trace.Location
}

func sourceOf(table *Table) *tableSource {
	s := &tableSource{Table: table}
	for _, l := range table.locations {
		s.all = append(s.all, *l)
	}
	return s
}

func (s *tableSource) Info() trace.Info            { return trace.Info{LastTimeNS: 1000} }
func (s *tableSource) Locations() []trace.Location { return s.all }

// WalkRaw gives each zone an extra, whose index is its own in the table + 1.
func (s *tableSource) WalkRaw(first []trace.RawZone, each func([]trace.RawZone) []trace.RawZone) error {
	for i := range s.zones {
		z := &s.zones[i]
		first = each(append(first[:0], trace.RawZone{Ordinal: z.ordinal, Parent: z.parent, StartNS: z.start,
			DurationNS: z.duration, SelfNS: z.self, Depth: z.depth,
			Thread: int32(z.thread), Location: z.location, Extra: uint32(i + 1), Unfinished: z.unfinished}))
		if first == nil {
			break
		}
	}
	return nil
}

func (s *tableSource) Extra(index uint32) (text, name string, color uint32) {
	z := &s.zones[index-1]
	return s.strings[z.text], s.strings[z.dynamicName], z.color
}

func TestTextIsTrustedOnlyWhereNoneRepeats(t *testing.T) {
	const u = "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n"
	for in, want := range map[string]bool{
		"a,f,1,10,5,0,x\na,f,1,20,5,0,y\n":                   true,
		"a,f,1,10,5,0,x\nb,f,2,15,5,0,z\na,f,1,20,5,0,y\n":   true,
		"a,f,1,10,5,0,x\na,f,1,20,5,0,x\n":                   false, // perhaps the text of the row before
		"a,f,1,10,5,0,\na,f,1,20,5,0,y\na,f,1,30,5,0,z\n":    false,
		"a,f,1,10,5,0,x\na,f,1,20,5,0,y\na,f,1,30,5,0,\nm\n": true, // "\nm" is the text
	} {
		table, err := Read("t", strings.NewReader(u+in))
		if err != nil {
			t.Fatal(err)
		}
		var first *trace.Location
		for _, z := range collectRows(t, table.Zones()) {
			if z.StartNS == 10 {
				first = z.Location
			}
		}
		if got := table.TextTrusted(first); got != want {
			t.Errorf("%q: %t", in, got)
		}
	}
}
