package reportpage

import (
	"cmp"
	"math"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

func TestBinned(t *testing.T) {
	r := invocations.Record{RecordedBatches: invocations.RecordedBatches{MergedSamples: []int{4, 5},
		SamplesNS: []float64{1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 100000}},
		RecordedLaunches: invocations.RecordedLaunches{LaunchTimes: invocations.LaunchTimes{LaunchNumbers: []int{1, 4}}}}
	s := binned(&r, 1e3, 3)
	want := &samples{Total: 9, From: s.From, To: s.To, Beyond: s.Beyond, Each: 3, Low: []float64{1, 4, 7},
		Middle: []float64{2, 5, 8}, High: []float64{3, 6, 100}, Histogram: s.Histogram, Apart: []int{0, 2, 3},
		Launches: [][]float64{{1, 4, 1.15, 1.75, 2.5, 3.25, 3.85}, {4, 5, 5.2, 6, 7, 8, 81.6}}}
	if d := diff.Diff(want, s); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	sum := 0
	for _, n := range s.Histogram {
		sum += n
	}
	if sum != 9 || s.Histogram[histogramBins-1] == 0 {
		t.Errorf("histogram %v", s.Histogram)
	}
	if few := binned(&r, 1e3, 5); few.Each != 1 || few.Low != nil || len(few.Middle) != 9 {
		t.Errorf("few samples are drawn one by one: %+v", few)
	}
	if none := binned(&invocations.Record{}, 1, 5); none != nil {
		t.Errorf("no samples: %+v", none)
	}
	r.MergedSamples, r.LaunchNumbers = slices.Repeat([]int{0}, 200), nil
	r.MergedSamples[150] = 9
	if joined := binned(&r, 1, 5); joined.Joined != 4 || len(joined.Launches) != 50 || len(joined.Launches[0]) != 2 ||
		joined.Launches[37][1] != 9 {
		t.Errorf("200 launches share boxes: %d, %v", joined.Joined, joined.Launches)
	}
}

// Batches that were set apart have places, and some of very many are drawn.
func TestSetApart(t *testing.T) {
	all := int64(9)
	r := invocations.Record{RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{1000, 2000, 3000},
		ApartNS: []float64{5000, 6000, 7000, 8000}, ApartAfter: []int64{0, 1, 1, 3}},
		RecordedTimes: invocations.RecordedTimes{Discarded: &all}}
	for most, want := range map[int][][2]float64{
		10: {{0, 5}, {1, 6}, {1, 7}, {3, 8}},
		3:  {{0, 5}, {1, 7}},
	} {
		var s samples
		s.addSetApart(&r, 1e3, most)
		if !slices.Equal(s.Set, want) || s.All != 9 {
			t.Errorf("at most %d: %v of %d, want %v", most, s.Set, s.All, want)
		}
	}
	var none samples
	if none.addSetApart(&invocations.Record{}, 1, 5); none.Set != nil || none.All != 0 {
		t.Errorf("%+v", none)
	}
}

func TestWaiting(t *testing.T) {
	r := invocations.Record{
		RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{100, 100, 100, 103, 200, 200, 200},
			CPUSamplesNS: []float64{100, 100, 100, 100, 100, 199, 140}},
	}
	r.SamplesNS, r.CPUSamplesNS = append(r.SamplesNS, 100, 100), append(r.CPUSamplesNS, 50, 100)
	want := []bool{false, false, false, false, true, false, true, false, false}
	if got := waiting(&r); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	r.CPUSamplesNS = nil
	if got := waiting(&r); got != nil {
		t.Errorf("without CPU times: %v", got)
	}
}

func TestAxisOf(t *testing.T) {
	even := make([]float64, 101)
	for i := range even {
		even[i] = 100 + float64(i)
	}
	outlier := append(slices.Clone(even), 5000)
	for _, c := range []struct {
		name     string
		sorted   []float64
		from, to float64
	}{
		{"all values", even, 97.5, 200},
		{"without what is far beyond", outlier, 97.25, 210},
		{"one value", []float64{1000}, 999.895, 1000.1},
		{"zero", []float64{0, 0}, -0.025, 1},
	} {
		from, to := axisOf(c.sorted)
		if math.Abs(from-c.from) > 0.02 || math.Abs(to-c.to) > 0.02 {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, from, to, c.from, c.to)
		}
	}
}

func TestCharts(t *testing.T) {
	run := exampleRun()
	charts, more := chartsOf(loaded(t, []Source{{Run: run}}...))
	if len(charts) != 3 || more != 0 {
		t.Fatalf("%d charts and %d more", len(charts), more)
	}
	heat := charts[0].Heat
	if heat == nil || heat.Title != "product" || len(heat.Rows) != 2 ||
		!slices.Equal(heat.Columns, []string{"16", "64", "256"}) {
		t.Errorf("a table of M and N: %+v", charts[0])
	}
	if d := charts[1].Lines; d == nil || !slices.Equal(d.Legend, []string{"N=8", "N=32"}) || d.XTitle != "M" {
		t.Errorf("lines over M: %+v", charts[1])
	}
	if d := charts[2].Lines; d == nil || d.Title != "gemm" || !slices.Equal(d.Legend, []string{"naive", "tiled"}) {
		t.Errorf("variants of a group over n: %+v", charts[2])
	}
	many := largeRun(1000)
	for i := range many.Records.Len() {
		recordstest.At(t, many.Records, i).Group = ""
	}
	if charts, more := chartsOf(loaded(t, []Source{{Run: many}}...)); len(charts) != mostCharts || more != 100-mostCharts {
		t.Errorf("%d charts and %d more, of 100 functions", len(charts), more)
	}
}

func TestCompareNames(t *testing.T) {
	ordered := []string{"", "a", "a/n=8", "a/n=008/x", "a/n=16", "a/n=16/m=2", "a/n=100", "ab", "b", "é"}
	for i, a := range ordered {
		for k, b := range ordered {
			if got := compareNames(a, b); got != cmp.Compare(i, k) {
				t.Errorf("%q and %q: %d, want %d", a, b, got, cmp.Compare(i, k))
			}
		}
	}
}

// TestOrder: records are in order of their names, and rankings still name the right ones.
func TestOrder(t *testing.T) {
	run, err := byName(Source{Run: exampleRun()})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := run.records[0].Name, run.records[20].Name; first != hostile || last != "tiled/n=128" {
		t.Errorf("%q, %q", first, last)
	}
	if len(run.Run.Rankings) != 4 {
		t.Fatalf("%d rankings", len(run.Run.Rankings))
	}
	for _, r := range run.Run.Rankings {
		for _, row := range r.Rows {
			if is := run.records[row.Variant].Name; is != row.Name {
				t.Errorf("%s is now %s", row.Name, is)
			}
		}
	}
}

// TestFamilies: what differs in something else is not drawn as one line.
func TestFamilies(t *testing.T) {
	record := func(name, function, artifact string, parameters map[string]string) invocations.Record {
		ns := 5.0
		return invocations.Record{Name: name, RecordedSubject: invocations.RecordedSubject{Function: function,
			Artifact: artifact, Parameters: parameters},
			Status: invocations.OK, RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{5}},
			RecordedTimes: invocations.RecordedTimes{MedianNS: &ns}}
	}
	for _, c := range []struct {
		name    string
		records []invocations.Record
		want    []string // the variables of each family
	}{
		{"axes in names", []invocations.Record{record("f/n=1", "f", "", nil), record("f/n=2", "f", "", nil)}, []string{"n"}},
		{"parameters", []invocations.Record{record("f small", "f", "a", map[string]string{"N": "1"}),
			record("f large", "f", "a", map[string]string{"N": "2"})}, []string{"N"}},
		{"other artifacts", []invocations.Record{record("a", "main", "a", map[string]string{"N": "1"}),
			record("b", "main", "b", map[string]string{"N": "2"})}, nil},
		{"one value", []invocations.Record{record("f/n=1", "f", "", nil), record("f/n=1", "f", "", nil)}, nil},
		{"words only", []invocations.Record{record("f/t=a", "f", "", nil), record("f/t=b", "f", "", nil)}, nil},
		{"words beside numbers", []invocations.Record{record("f/t=a/n=1", "f", "", nil),
			record("f/t=b/n=1", "f", "", nil), record("f/t=a/n=2", "f", "", nil)}, []string{"n t"}},
		{"not everywhere", []invocations.Record{record("f/n=1", "f", "", nil), record("f/n=2", "f", "", nil),
			record("f", "f", "", nil)}, []string{"n"}},
	} {
		var got []string
		for _, f := range familiesOf(c.records) {
			text := ""
			for _, name := range append(f.numbers, f.words...) {
				text += " " + name
			}
			got = append(got, text[1:])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDistinguished: families of one name are told apart by the variables that do not change within them.
func TestDistinguished(t *testing.T) {
	var records []invocations.Record
	for _, parameters := range []map[string]string{{"N": "1", "K": "8"}, {"N": "2", "K": "8"},
		{"N": "1", "K": "8", "take": "1"}, {"N": "2", "K": "8", "take": "1"}} {
		r := working("f", 0)
		r.Name, r.Function, r.Parameters = "f of "+parameters["N"], "f", parameters
		records = append(records, r)
	}
	var names []string
	for _, f := range familiesOf(records) {
		names = append(names, f.name)
	}
	if want := []string{"f", "f take=1"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// loaded returns sources with their records read, in their order.
func loaded(t *testing.T, sources ...Source) []Source {
	t.Helper()
	for i := range sources {
		sources[i].records = recordstest.List(t, sources[i].Run.Records)
	}
	return sources
}
