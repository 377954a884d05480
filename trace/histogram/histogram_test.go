package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBucketsCoverEveryTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	times := []int64{0, 1, 127, 128, 129, 255, 256, 257, math.MaxInt64 - 1, math.MaxInt64}
	for range 10_000 {
		times = append(times, random.Int64()>>random.IntN(63))
	}
	for _, ns := range times {
		i := bucketOf(ns)
		low, width := bucketRange(i)
		if ns < low || ns-low >= width {
			t.Fatalf("%d is in bucket %d, from %d, %d wide", ns, i, low, width)
		}
		if width > 1 && float64(width) > float64(low)/127.9 {
			t.Fatalf("bucket from %d is %d wide", low, width)
		}
	}
}

// TestQuantiles compares with the sorted values, below and beyond the number that is kept as it is.
func TestQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 100, exactTimes, exactTimes + 1, 50_000} {
		var d Histogram
		var all []int64
		for range n {
			ns := int64(math.Exp(random.NormFloat64()*2 + 9))
			d.Add(ns)
			all = append(all, ns)
		}
		slices.Sort(all)
		for _, q := range []float64{0, 0.1, 0.5, 0.9, 0.99, 1} {
			rank := q * float64(n-1)
			low, high := all[int(math.Floor(rank))], all[int(math.Ceil(rank))]
			got, tolerance := d.Quantile(q), 0.0
			if n > exactTimes {
				tolerance = 1.0 / bucketsAnOctave
			}
			if got < float64(low)*(1-tolerance) || got > float64(high)*(1+tolerance) {
				t.Errorf("%d times: quantile %g is %g; the values there are %d and %d", n, q, got, low, high)
			}
		}
		if d.min != all[0] || d.max != all[n-1] || d.Count() != int64(n) {
			t.Errorf("%d times: %d from %d to %d", n, d.Count(), d.min, d.max)
		}
	}
}

func TestQuantilesOfNothingAndOfNegativeTimes(t *testing.T) {
	var d Histogram
	if !math.IsNaN(d.Quantile(0.5)) {
		t.Error("nothing has a median")
	}
	for range exactTimes + 2 {
		d.Add(-5)
	}
	if d.Quantile(0.5) != 0 || d.min != 0 {
		t.Errorf("median %g, least %d", d.Quantile(0.5), d.min)
	}
}

func TestTallies(t *testing.T) {
	var exact, counted Histogram
	for i := range int64(exactTimes) {
		exact.Add(i % 7 * 1000)
	}
	for i := range int64(2 * exactTimes) {
		counted.Add(i % 7 * 1000)
	}
	fine, coarse, double := exact.Tallies(false), exact.Tallies(true), counted.Tallies(true)
	if len(fine) != 7 || len(coarse) != 7 || len(double) != 7 {
		t.Fatalf("%d, %d and %d values", len(fine), len(coarse), len(double))
	}
	for i := range fine {
		if fine[i].Value != int64(i)*1000 {
			t.Errorf("value %d is %d", i, fine[i].Value)
		}
		if coarse[i].Value != double[i].Value {
			t.Errorf("value %d is %d in one and %d in the other", i, coarse[i].Value, double[i].Value)
		}
	}
}

// Counts of buckets go beyond the 32 bits that they are kept in.
func TestCountsSpill(t *testing.T) {
	var d Histogram
	for range exactTimes + 1 {
		d.Add(100)
	}
	d.Add(200)
	d.buckets.counts[bucketOf(100)-d.buckets.first] = math.MaxUint32
	d.Add(100)
	if n := d.Count(); n != 1<<32+1 {
		t.Errorf("%d times, want %d", n, 1<<32+1)
	}
	if median, most := d.Quantile(0.5), d.Quantile(1); median != 100 || most != 200 {
		t.Errorf("median %g, greatest %g; want 100 and 200", median, most)
	}
	if list := d.Tallies(true); len(list) != 2 || list[0] != (Tally{100, 1 << 32}) {
		t.Errorf("tallies %v", list)
	}
}

// TestCountsSpillAndWiden: counts beyond 32 bits stay with their bucket when others are made before it.
func TestCountsSpillAndWiden(t *testing.T) {
	var d Histogram
	for range exactTimes + 1 {
		d.Add(100_000)
	}
	d.buckets.counts[bucketOf(100_000)-d.buckets.first] = math.MaxUint32
	d.Add(100_000)
	d.Add(5)
	low, _ := bucketRange(bucketOf(100_000))
	if got, want := d.Tallies(true), []Tally{{5, 1}, {low, 1 << 32}}; !slices.Equal(got, want) {
		t.Errorf("tallies %v, want %v", got, want)
	}
}
