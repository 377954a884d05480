// Package histogram keeps sets of times in bounded memory and tells their quantiles. It knows nothing of where times come from.
package histogram

import (
	"math"
	"math/bits"
	"slices"
)

// exactTimes is the number of times that a distribution keeps as they are; more are counted in buckets.
const exactTimes = 1024

// Buckets are 1/128 of a power of two wide, as in an HDR histogram: times below 256 ns have a bucket each, others share one with times that differ by
// less than 0.8 %. They are numbered from 0 on, in ascending order.
const (
	bucketBits      = 7
	bucketsAnOctave = 1 << bucketBits
)

// distribution is a set of times in nanoseconds in bounded memory: exact up to exactTimes values, counts by bucket beyond, which take 1 KiB for each
// octave between the least and the greatest time and 57 KiB at most. Times below zero count as zero.
type Histogram struct {
	min     int64
	max     int64
	first   int
	counts  []uint32      // of the buckets from first on, in 32 bits: half as much of the cache
	spilled map[int]int64 // what they do not hold, a multiple of 1 << 32, by bucket
	exact   []int64       // nil when counts is in use
	ordered bool          // exact is sorted
}

// add puts one more time in.
func (d *Histogram) Add(ns int64) {
	ns = max(0, ns)
	if i := bucketOf(ns) - d.first; uint(i) < uint(len(d.counts)) {
		if d.counts[i]++; d.counts[i] == 0 {
			d.spill(d.first + i)
		}
		if ns < d.min {
			d.min = ns
		} else if ns > d.max {
			d.max = ns
		}
		return
	}
	d.addBeyond(ns)
}

// addBeyond adds a time where there is no bucket for it yet.
func (d *Histogram) addBeyond(ns int64) {
	if d.counts == nil && len(d.exact) == 0 {
		d.min, d.max = ns, ns
	}
	d.min, d.max = min(d.min, ns), max(d.max, ns)
	if d.counts != nil {
		d.widen()
		d.counts[bucketOf(ns)-d.first]++
		return
	}
	d.exact, d.ordered = append(d.exact, ns), false
	if len(d.exact) <= exactTimes {
		return
	}
	d.widen()
	for _, v := range d.exact {
		d.counts[bucketOf(v)-d.first]++
	}
	d.exact = nil
}

// leastNS is the least time, 0 without any.
func (d *Histogram) MinNS() int64 { return d.min }

// mostNS is the greatest time, 0 without any.
func (d *Histogram) MaxNS() int64 { return d.max }

// isExact says whether the times are kept as they are.
func (d *Histogram) Exact() bool { return d.counts == nil }

// widen makes buckets for all octaves from the least to the greatest time.
func (d *Histogram) widen() {
	first := bucketOf(d.min) / bucketsAnOctave * bucketsAnOctave
	wider := make([]uint32, (bucketOf(d.max)/bucketsAnOctave+1)*bucketsAnOctave-first)
	if d.counts != nil {
		copy(wider[d.first-first:], d.counts)
	}
	d.counts, d.first = wider, first
}

// spill notes that the count of a bucket has turned round.
func (d *Histogram) spill(bucket int) {
	if d.spilled == nil {
		d.spilled = map[int]int64{}
	}
	d.spilled[bucket] += 1 << 32
}

// count is how many times fell into the bucket at i of counts.
func (d *Histogram) count(i int) int64 {
	return int64(d.counts[i]) + d.spilled[d.first+i]
}

// n is how many times there are.
func (d *Histogram) Count() int64 {
	n := int64(len(d.exact))
	for i := range d.counts {
		n += d.count(i)
	}
	return n
}

// bucketOf is the number of the bucket of a time that is not negative.
func bucketOf(ns int64) int {
	shift := bits.Len64(uint64(ns)|bucketsAnOctave) - bucketBits - 1
	return shift<<bucketBits + int(uint64(ns)>>shift)
}

// bucketRange is the least time of a bucket and its width.
func bucketRange(bucket int) (low, width int64) {
	shift := max(0, bucket>>bucketBits-1)
	return int64(bucket-shift<<bucketBits) << shift, 1 << shift
}

func (d *Histogram) sort() {
	if !d.ordered {
		slices.Sort(d.exact)
		d.ordered = true
	}
}

// quantile is the time below which the fraction q of all times lies, interpolated linearly (type 7 of Hyndman and Fan): exact up to exactTimes
// times, within 0.8 % beyond. It is NaN when there are none.
func (d *Histogram) Quantile(q float64) float64 {
	times := d.Count()
	if times == 0 {
		return math.NaN()
	}
	rank := q * float64(times-1)
	if d.counts == nil {
		d.sort()
		i := int(rank)
		if i+1 >= len(d.exact) {
			return float64(d.max)
		}
		return float64(d.exact[i]) + (rank-float64(i))*float64(d.exact[i+1]-d.exact[i])
	}
	below := 0.0
	for i := range d.counts {
		n := d.count(i)
		if n == 0 || rank >= below+float64(n) {
			below += float64(n)
			continue
		}
		low, width := bucketRange(d.first + i)
		at := float64(low) + (rank-below)/float64(n)*float64(width-1)
		return min(max(at, float64(d.min)), float64(d.max))
	}
	return float64(d.max)
}

// tally is how often a time occurs.
type Tally struct{ Value, Count int64 }

// tallies lists the times in ascending order; coarse gives all times of a bucket the value of its least one, so that exact and counted
// distributions can be compared.
func (d *Histogram) Tallies(coarse bool) []Tally {
	var out []Tally
	if d.counts == nil {
		d.sort()
		for _, v := range d.exact {
			if coarse {
				v, _ = bucketRange(bucketOf(v))
			}
			if last := len(out) - 1; last >= 0 && out[last].Value == v {
				out[last].Count++
			} else {
				out = append(out, Tally{v, 1})
			}
		}
		return out
	}
	for i := range d.counts {
		if n := d.count(i); n > 0 {
			low, _ := bucketRange(d.first + i)
			out = append(out, Tally{low, n})
		}
	}
	return out
}
