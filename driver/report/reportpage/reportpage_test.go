package reportpage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/testsize"
)

func written(t testing.TB, sources ...Source) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, sources); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// checked returns the data in a page, after it has checked that nothing has broken out of its place.
func checked(t testing.TB, page string) contents {
	t.Helper()
	for text, n := range map[string]int{"</script": 2, "<script": 2, "</html>": 1, "<img": 0, "<!--": 0, "ZgotmplZ": 0,
		"\x1b": 0, "src=": 0, "href=": 0, "\u202e": 0} {
		without := strings.NewReplacer(`src=x`, "", `src=<wbr>x`, "", `href="#`, "").Replace(page) // escaped, as text; and places in the page
		if found := strings.Count(without, text); found != n {
			t.Errorf("%q stands %d times in the page, want %d", text, found, n)
		}
	}
	var c contents
	m := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("no data in the page")
	}
	decoder := json.NewDecoder(strings.NewReader(m[1]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page, "<tbody id="); n != len(c.Details) {
		t.Errorf("%d rows and %d details", n, len(c.Details))
	}
	return c
}

func TestWrite(t *testing.T) {
	run := exampleRun()
	page := written(t, Source{Journal: hostile, Run: run})
	c := checked(t, page)
	if len(c.Details) != run.Records.Len() {
		t.Fatalf("%d details of %d records", len(c.Details), run.Records.Len())
	}
	for _, want := range []string{
		`21 invocations: 14 ok, 1 mismatch, 1 failed, 1 crashed, 1 timeout, 1 <span class="whole">out-of-memory,</span> ` +
			"1 skipped, 1 &lt;/<wbr>script&gt;",
		"crashed: the reason of crashed", "contended, bimodal", "Example CPU", "2026-01-02 03:04:05 UTC",
		`<option value="bimodal">bimodal (1)</option>`, "gemm/n=64", `<table class="heat">`, "default-src &#39;none&#39;",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	named := map[string]details{}
	sorted, err := byName(Source{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range sorted.records {
		named[r.Name] = c.Details[i]
	}
	first := named["product/M=16/N=8"]
	if first.Unit != "ns" || first.Samples.Total != 480 || len(first.Samples.Launches) != 6 ||
		len(first.Samples.Apart) != 1 || first.Samples.Apart[0] != 1 {
		t.Errorf("details %+v, samples %+v", first, first.Samples)
	}
	if len(first.Dispatches) != 4 || first.Dispatches[0][2] != 0 {
		t.Errorf("3 dispatches and the host: %v", first.Dispatches)
	}
	if many := named["product/M=16/N=32"].Dispatches; len(many) != 32 || many[0][2] != 3 || many[30][2] != 12 {
		t.Errorf("102 dispatches in 34 names, of which 4 share a row: %d rows, %v", len(many), many)
	}
	if broken := named["ended crashed"]; broken.Samples != nil || broken.Unit != "" || len(broken.Facts) == 0 {
		t.Errorf("a result without a time: %+v", broken)
	}
}

func TestWriteSeveral(t *testing.T) {
	a, b := exampleRun(), exampleRun()
	b.Environment = map[string]string{"cpu": "Other CPU"}
	b.Complete = false
	const why = "its last line is torn"
	page := written(t, Source{Journal: "a.ndjson", Run: a}, Source{Journal: "b.ndjson", Run: b, Why: why})
	checked(t, page)
	for _, want := range []string{
		"a.ndjson, b.ndjson", "Other CPU (differs between journals)", "Not complete: " + why, "gemm/n=64 — b.ndjson",
		`<td class="verdict">b.ndjson</td>`, `id="id-0000000000000000-1"`, `id="id-0000000000000000-2"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

func TestWriteOfLittle(t *testing.T) {
	page := written(t, Source{})
	if !strings.Contains(page, "There are no results.") || strings.Contains(page, `id="results"`) {
		t.Errorf("a page without results:\n%s", page)
	}
	checked(t, page)
	zero := invocations.Record{Status: invocations.OK,
		RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{0}},
		RecordedTimes:   invocations.RecordedTimes{MedianNS: new(float64)}}
	checked(t, written(t, Source{Run: report.Run{Records: invocations.RecordsOf(invocations.Record{}, zero)}}))
	err := Write(&bytes.Buffer{}, []Source{{Run: report.Run{Records: invocations.RecordsOf(make([]invocations.Record, MostInvocations+1)...)}}})
	if err == nil || !strings.Contains(err.Error(), "10,001 invocations are too many for a page") {
		t.Errorf("%v", err)
	}
	failing := errors.New("full")
	if err := Write(writerFunc(func([]byte) (int, error) { return 0, failing }), nil); !errors.Is(err, failing) {
		t.Errorf("%v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestSize: a page of a thousand invocations is small enough to be sent and opened.
func TestSize(t *testing.T) {
	n := testsize.Of(250, 1000)
	page := written(t, Source{Journal: "large.ndjson", Run: largeRun(n)})
	if c := checked(t, page); len(c.Details) != n {
		t.Errorf("%d details", len(c.Details))
	}
	if len(page) >= 1_500_000+3500*n {
		t.Errorf("a page of %d invocations has %d bytes", n, len(page))
	}
	t.Logf("%d bytes", len(page))
}

// FuzzWrite: records of any journal, such as one with texts and numbers that nobody measured, give a page in which
// nothing breaks out of its place.
func FuzzWrite(f *testing.F) {
	for _, r := range append(recordstest.List(f, exampleRun().Records), recordstest.List(f, largeRun(1).Records)...) {
		one, err := json.Marshal([]invocations.Record{r, r})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(one)
	}
	for _, numbers := range []string{"[1e308,-1e308,5e-324]", "[0,0,0]", "[-1,-2]", "[1e17,1.0000000000000002e17]"} {
		for _, n := range []string{"1", "1e308", "-1e308", "5e-324", "4e18"} {
			f.Add(fmt.Appendf(nil, `[{"id":"a","status":"ok","group":"g","name":"f/n=1","median_ns":%[2]s,"ci_low_ns":%[2]s,`+
				`"samples_ns":%[1]s,"cpu_samples_ns":%[1]s,"round_samples":[1,1],"launch_numbers":[1,900000],`+
				`"launch_medians_ns":%[1]s,"traced_ns":1,"dispatch_source":"x","dispatches":[{"name":"d","median_ns":%[2]s}]},`+
				`{"id":"b","status":"ok","group":"g","name":"f/n=1e300","median_ns":5,"samples_ns":%[1]s}]`, numbers, n))
		}
	}
	f.Fuzz(func(t *testing.T, journal []byte) {
		var records []invocations.Record
		if json.Unmarshal(journal, &records) != nil || len(records) > 20 {
			return
		}
		run := report.Run{Records: invocations.RecordsOf(records...), Rankings: groupsOf(invocations.RecordsOf(records...)),
			Environment: map[string]string{"x": string(journal)}}
		page := written(t, Source{Journal: string(journal), Run: run})
		if strings.Count(page, "</script") != 2 || strings.Count(page, "<script") != 2 {
			t.Errorf("a text broke out of its place:\n%s", page)
		}
		m := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(page)
		if m == nil || !json.Valid([]byte(m[1])) {
			t.Error("the data of the page are not JSON")
		}
		if bad := regexp.MustCompile(`(?s)<svg[^>]*>[^<]*(<[^>]*(NaN|Inf)[^>]*>)`).FindStringSubmatch(page); bad != nil {
			t.Errorf("a coordinate is no number: %s", bad[1])
		}
	})
}
