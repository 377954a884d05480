package combine

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// manySamples returns a launch with this many samples of a skewed distribution, which lies elsewhere in each launch. The
// CPU time of each sample tells its place.
func manySamples(number, n int) invocations.Result {
	rng := rand.New(rand.NewPCG(uint64(number), 7))
	r := combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) { r.Number, r.CallsPerBatch = number, 10 })
	r.SamplesNS, r.CPUSamplesNS = make([]float64, n), make([]float64, n)
	for i := range n {
		r.SamplesNS[i] = 1000 + float64(number%7) + 40*math.Exp(rng.NormFloat64())
		r.CPUSamplesNS[i] = 2000 + float64(i)/float64(n)
	}
	r.CyclesSamples, r.Iterations = []float64{4000}, int64(n)*r.CallsPerBatch
	r.Apart = invocations.ApartBatches{NS: []float64{9000, 9001}, After: []int64{0, int64(n)}}
	r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	return r
}

// All that follows from the launches is as if all samples were kept; what follows from the samples hardly differs.
func TestManyLaunches(t *testing.T) {
	sizes := []int{3000, 3000, 300, 1}
	m := invocations.Measure{Precision: 0.01, Launches: 400}
	l, all := &Launches{}, &Launches{}
	for i := range m.Launches {
		one := manySamples(i, sizes[i%len(sizes)])
		all.Results = append(all.Results, one)
		l.Add(one, m)
		if kept := countSamples(l.Results); kept > mostSamples {
			t.Fatalf("%d samples are kept after launch %d", kept, i+1)
		}
	}
	want, got := all.Merge(m, nil), l.Merge(m, nil)
	if n := len(got.SamplesNS); n > mostSamples || n < mostSamples/2 || n != len(got.CPUSamplesNS) {
		t.Errorf("%d samples, %d CPU times of %d", n, len(got.CPUSamplesNS), len(want.SamplesNS))
	}
	if !slices.Equal(got.Spread.MediansNS, want.Spread.MediansNS) || got.Spread.Time != want.Spread.Time ||
		got.Iterations != want.Iterations || !slices.Equal(got.MergedIterations, want.MergedIterations) {
		t.Errorf("%+v, %d iterations; want %+v, %d", got.Spread.Time, got.Iterations, want.Spread.Time, want.Iterations)
	}
	is, was := got.Summary, want.Summary
	if is.N != was.N || is.MinNS != was.MinNS || is.MedianNS != was.MedianNS || is.CILowNS != was.CILowNS {
		t.Errorf("%+v, want %+v", is, was)
	}
	for what, two := range map[string][2]float64{"mean": {is.MeanNS, was.MeanNS}, "p90": {is.P90NS, was.P90NS},
		"p99": {is.P99NS, was.P99NS}, "MAD": {is.MADNS, was.MADNS}} {
		if math.Abs(two[0]/two[1]-1) > 0.002 {
			t.Errorf("%s is %g, was %g", what, two[0], two[1])
		}
	}
	sharesAreKept(t, &got, &want)
	if record := invocations.NewRecord(invocations.Invocation{Measure: m}, got); len(record.MergedIterations) != m.Launches ||
		record.MergedIterations[2] != 3000 || record.MergedNS() == nil {
		t.Errorf("%d numbers of iterations in the record", len(record.MergedIterations))
	}
}

// sharesAreKept checks that each launch has its share of the samples, in their order, and its own distribution.
func sharesAreKept(t *testing.T, got, want *invocations.Result) {
	t.Helper()
	whole, begin, wholeBegin := float64(len(got.SamplesNS))/float64(len(want.SamplesNS)), 0, 0
	for i, n := range got.MergedSamples {
		of := want.MergedSamples[i]
		if math.Abs(float64(n)-whole*float64(of)) > 1 {
			t.Fatalf("launch %d has %d samples of %d", i, n, of)
		}
		if !slices.IsSorted(got.CPUSamplesNS[begin : begin+n]) {
			t.Fatalf("the samples of launch %d are not in their order", i)
		}
		few, samples := got.SamplesNS[begin:begin+n], want.SamplesNS[wholeBegin:wholeBegin+of]
		sorted := slices.Sorted(slices.Values(samples))
		at, _ := slices.BinarySearch(sorted, stats.Median(few))
		if rank := float64(at) / float64(of); of > 1 && math.Abs(rank-0.5) > 1.5/float64(n) {
			t.Fatalf("the median of the %d samples of launch %d is at %g of all", n, i, rank)
		}
		begin, wholeBegin = begin+n, wholeBegin+of
	}
	for i, after := range got.Apart.After { // two of each launch: before its first sample, and behind its last one
		launch := (i + 1) / 2
		before := 0
		for _, n := range got.MergedSamples[:launch] {
			before += n
		}
		if after != int64(before) {
			t.Fatalf("batch %d that was set apart is behind %d samples, want %d", i, after, before)
		}
	}
}

// Results of few samples are as before: nothing is thinned, and no note tells of it.
func TestFewSamplesAreKept(t *testing.T) {
	m, l := invocations.Measure{Launches: 5}, &Launches{}
	for i := range 5 {
		l.Add(manySamples(i, 5000), m)
	}
	out := l.Merge(m, nil)
	record := invocations.NewRecord(invocations.Invocation{Measure: m}, out)
	if len(out.SamplesNS) != 25_000 || record.MergedIterations != nil || out.Summary.N != 25_000 {
		t.Errorf("%d samples, iterations %v", len(out.SamplesNS), record.MergedIterations)
	}
}

// Of fixed numbers of calls, more are kept, those at the same places whatever their times: modules of a model are added.
func TestFixedCallsAreThinnedByPlace(t *testing.T) {
	if mostOf(&invocations.Measure{Iterations: 1}) != mostCalls || mostOf(&invocations.Measure{}) != mostSamples {
		t.Error("fixed calls are bounded as others")
	}
	keep := func(seed int) (places []float64) {
		var parts []invocations.Result
		s := &share{}
		for i := range 2 {
			one := manySamples(seed+i, 1000)
			one.Stop = invocations.StopIterations
			parts = append(parts, one)
			s.bound(parts, 1500)
		}
		return append(places, slices.Concat(parts[0].CPUSamplesNS, parts[1].CPUSamplesNS)...)
	}
	if one, other := keep(0), keep(100); len(one) != 1000 || !slices.Equal(one, other) {
		t.Errorf("calls at other places are kept: %d", len(one))
	}
}

// A launch in turns keeps samples of each turn that has any.
func TestTurnsAreThinnedEach(t *testing.T) {
	r := manySamples(1, 1000)
	r.MergedSamples, r.MergedIterations = []int{600, 0, 399, 1}, []int64{6000, 0, 3990, 10}
	s := &share{}
	parts := []invocations.Result{r}
	s.bound(parts, 100)
	if got := parts[0].MergedSamples; !slices.Equal(got, []int{38, 0, 25, 1}) || len(parts[0].SamplesNS) != 64 {
		t.Errorf("%v, %d samples", got, len(parts[0].SamplesNS))
	}
	if !slices.Equal(r.MergedSamples, []int{600, 0, 399, 1}) || len(r.Apart.After) != 2 || r.Apart.After[1] != 1000 {
		t.Errorf("what was thinned has changed: %v, %v", r.MergedSamples, r.Apart.After)
	}
}

// Batches that were set apart are bounded as well.
func TestApartIsBounded(t *testing.T) {
	var parts []invocations.Result
	s := &share{}
	for i := range 300 {
		one := manySamples(i, 10)
		one.Apart.NS, one.Apart.After = make([]float64, invocations.MostApart), make([]int64, invocations.MostApart)
		parts = append(parts, one)
		s.bound(parts, mostSamples)
	}
	if n := countApart(parts); n > mostApart || n < mostApart/4 || countSamples(parts) != 3000 {
		t.Errorf("%d batches that were set apart, %d samples", n, countSamples(parts))
	}
}

// BenchmarkThousandLaunches merges 1,000 launches of 50,000 samples. It reports the time for each launch, what is kept
// of all of them in memory, and the length of the journal's line.
func BenchmarkThousandLaunches(b *testing.B) {
	const launches, samples = 1000, 50_000
	for b.Loop() {
		m, l := invocations.Measure{Launches: launches}, &Launches{}
		before := heap()
		spent := time.Duration(0)
		for i := range launches {
			one := manySamples(i, samples)
			start := time.Now()
			l.Add(one, m)
			spent += time.Since(start)
		}
		kept := heap() - before
		start := time.Now()
		record := invocations.NewRecord(invocations.Invocation{Measure: m}, l.Merge(m, nil))
		line, err := json.Marshal(record)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(spent.Seconds()*1e3/launches, "ms/launch")
		b.ReportMetric(time.Since(start).Seconds()*1e3, "ms/merge")
		b.ReportMetric(kept/1e6, "MB-kept")
		b.ReportMetric(float64(len(line))/1e6, "MB-line")
		runtime.KeepAlive(l)
	}
}

// heap returns the bytes that are in use after a collection.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
