package tune

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// The fastest schedules of all batches are candidates. Of those with equal features, the fastest measurement counts.
func TestCandidates(t *testing.T) {
	f := begin(t, t.TempDir())
	untuned, err := f.KeepUntuned(madeOK(UntunedName("p")), madeFiles(t, 50))
	if err != nil {
		t.Fatal(err)
	}
	keepSample(t, f, Sample{"p", 1, 0}, 0, 4e6)
	keepSample(t, f, Sample{"p", 1, 1}, 1, 2e6)
	keepSample(t, f, Sample{"p", 2, 0}, 0, 1e6) // as the first, in a luckier batch
	damaged := keepSample(t, f, Sample{"p", 2, 1}, 2, 5e5)
	if err := f.Batch(1).UntunedMeasured(untuned, Timing{MedianNS: 3e6}); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(damaged.File(Schedule), 1); err != nil {
		t.Fatal(err)
	}
	names := func(last, most int) (list []string) {
		for _, c := range f.Candidates("p", last, most) {
			list = append(list, c.Made.Name)
		}
		return list
	}
	for _, c := range []struct {
		last, most int
		want       []string
	}{
		{2, 9, []string{"p_batch_0002_sample_0000", "p_batch_0001_sample_0001", "p_untuned"}},
		{1, 9, []string{"p_batch_0001_sample_0001", "p_untuned", "p_batch_0001_sample_0000"}},
		{2, 1, []string{"p_batch_0002_sample_0000"}},
		{0, 9, nil},
	} {
		if got := names(c.last, c.most); !slices.Equal(got, c.want) {
			t.Errorf("after %d batches, %d: %v, not %v", c.last, c.most, got, c.want)
		}
	}
	if list := f.Candidates("p", 2, 9); list[0].Sample != (Sample{"p", 2, 0}) || list[2].Sample != (Sample{}) {
		t.Errorf("%+v", list)
	}
	if err := f.Batch(1).RemoveLibraries([]string{"p_batch_0001_sample_0001"}); err != nil {
		t.Fatal(err)
	}
	for n, want := range []bool{false, true} {
		if m, err := f.Batch(1).Read(Sample{"p", 1, n}); err != nil || m.HasLibrary() != want {
			t.Errorf("library of sample %d: %v, not %v; %v", n, m.HasLibrary(), want, err)
		}
	}
}

// A contended time is not trained on, and an undisturbed one takes its place. The schedule is a candidate all the same.
func TestContended(t *testing.T) {
	f := begin(t, t.TempDir())
	one, two := Sample{"p", 1, 0}, Sample{"p", 2, 0}
	disturbed, err := f.Batch(1).Keep(madeOK(one.Name()), madeFiles(t, 0))
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string, trained []float32, contended bool, ms float64) {
		t.Helper()
		samples, problems := f.Batch(2).SamplesUpTo()
		var times []float32
		for _, s := range samples {
			times = append(times, s.RuntimeMS)
		}
		list := f.Candidates("p", 2, 9)
		if !slices.Equal(times, trained) || len(problems) > 0 || len(list) != 1 || list[0].Contended != contended ||
			list[0].MS != ms {
			t.Errorf("%s: trained on %v, not %v; problems %v; candidates %+v", when, times, trained, problems, list)
		}
	}
	measured := func(s Sample, m Made, timing Timing) {
		t.Helper()
		if err := f.Batch(s.Batch).Measured(s, m, timing); err != nil {
			t.Fatal(err)
		}
	}
	measured(one, disturbed, Timing{1e6, true})
	check("disturbed", nil, true, 1)
	keepSample(t, f, two, 0, 4e6) // the same schedule in the next batch
	check("undisturbed in the next batch", []float32{4}, false, 4)
	measured(one, disturbed, Timing{3e6, false})
	check("measured again", []float32{3, 4}, false, 3)
	measured(one, disturbed, Timing{1e6, true}) // as after a kill, when the journal is read again
	check("disturbed after all", []float32{3, 4}, false, 3)
}

func TestBest(t *testing.T) {
	f := begin(t, t.TempDir())
	if _, err := ReadBest(f.Path(), "p"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none yet: %v", err)
	}
	b := Best{Made: madeOK("p_batch_0001_sample_0003"), Sample: "p_batch_0001_sample_0003", Batches: 1}
	b.Compared(1.2, 1.1, math.Inf(1)) // as few launches on a busy machine: it was not kept, and the tuning failed
	kept, err := f.KeepBest(b, madeFiles(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadBest(f.Path(), "p")
	if err != nil || got.Sample != b.Sample || got.Name != "p" || got.UntunedRatio != 1.2 || !got.Better() || !math.IsInf(got.High(), 1) {
		t.Errorf("%+v, %v", got, err)
	}
	if text, err := os.ReadFile(got.File(Schedule)); err != nil || string(text) != "// schedule 3" {
		t.Errorf("schedule %q, %v", text, err)
	}
	if got.RatioLow = 0.99; got.Better() {
		t.Error("a ratio whose interval holds 1 is better")
	}
	if err := os.Truncate(kept.File(Library), 2); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadBest(f.Path(), "p"); err == nil || !strings.Contains(err.Error(), kept.File(Library)) {
		t.Errorf("a damaged library: %v", err)
	}
}

// Few launches on a busy machine may show no ratio, or no end of its interval, which a document cannot hold.
func TestCompared(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		untuned, best, ratio, low, high float64 // medians; what launches have shown
		wantRatio, wantLow, wantHigh    float64
	}{
		{6, 5, 1.2, 1.1, 1.3, 1.2, 1.1, 1.3},
		{6, 5, 1.2, nan, nan, 1.2, 0, inf},
		{6, 5, nan, nan, nan, 1.2, 0, inf},
		{6, 0, nan, nan, nan, 1, 0, inf},
		{0, 0, nan, nan, nan, 1, 0, inf},
	} {
		b := Best{Untuned: Time{MedianNS: c.untuned}, Time: Time{MedianNS: c.best}}
		b.Compared(c.ratio, c.low, c.high)
		if b.UntunedRatio != c.wantRatio || b.RatioLow != c.wantLow || b.High() != c.wantHigh {
			t.Errorf("%+v: %g, %g, %g", c, b.UntunedRatio, b.RatioLow, b.High())
		}
		if _, err := json.Marshal(b); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestReport(t *testing.T) {
	ns := func(v float64) *float64 { return &v }
	record := func(status invocations.Status, median float64, verdicts ...invocations.Verdict) *invocations.Record {
		r := &invocations.Record{Name: "s", Status: status, Verdicts: verdicts}
		if median > 0 {
			r.MedianNS, r.CILowNS, r.CIHighNS, r.SamplesNS = ns(median), ns(0.9*median), ns(1.1*median), []float64{median}
		}
		return r
	}
	var p PipelineReport
	for _, r := range []*invocations.Record{
		record(invocations.OK, 200), record(invocations.OK, 100, invocations.Contended), record(invocations.Crashed, 0),
		record(invocations.Skipped, 0), record(invocations.Mismatch, 0), record(invocations.OK, 0),
	} {
		p.Add(r, len(r.Verdicts) > 0)
	}
	if p.Samples != 6 || p.Measured != 2 || p.Duplicates != 1 || p.Again != 1 || p.Contended != 1 || p.FailedCount() != 3 ||
		p.Failed[invocations.Crashed] != 1 || p.Best == nil || p.Best.MedianNS != 100 {
		t.Errorf("%+v", p)
	}
	ratio, low, high := Time{MedianNS: 200, LowNS: 180, HighNS: 220}.Ratio(Time{MedianNS: 100, LowNS: 90, HighNS: 120})
	if ratio != 2 || low != 1.5 || high != 220.0/90 {
		t.Errorf("ratio %v [%v, %v]", ratio, low, high)
	}
	_, low, high = Time{MedianNS: 200, LowNS: -10, HighNS: 410}.Ratio(Time{MedianNS: 100, LowNS: -1, HighNS: 201})
	if low != 0 || !math.IsInf(high, 1) {
		t.Errorf("with intervals below zero: [%v, %v]", low, high)
	}
}

// The interval of a short sample reaches below zero. Its time does not.
func TestTimeOfShortSample(t *testing.T) {
	low, median, high := -5.0, 10.0, 25.0
	r := &invocations.Record{Name: "p", RecordedTimes: invocations.RecordedTimes{MedianNS: &median, CILowNS: &low,
		CIHighNS: &high}, RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{10}}}
	if got := TimeOf(r); got.LowNS != 0 || got.MedianNS != 10 {
		t.Errorf("%+v", got)
	}
}
