// Package histogram keeps sets of times in bounded memory and tells their quantiles. It knows nothing of where times
// come from.
package histogram

import (
	"math"
	"math/bits"
)

// Buckets are 1/128 of a power of two wide, as in an HDR histogram: times below 256 ns have a bucket each, others share
// one with times that differ by less than 0.8 %. They are numbered from 0 on, in ascending order.
const (
	bucketBits      = 7
	bucketsAnOctave = 1 << bucketBits
)

// Histogram is a set of times in nanoseconds in bounded memory. It is exact up to 1,024 times, in four bytes each below
// 4.29 s. Beyond, it counts by bucket, which takes 512 bytes for each octave between the least and the greatest time
// and 29 KiB at most. Times below zero count as zero. The zero value is empty and ready.
type Histogram struct {
	min, max int64
	buckets  *buckets // nil: the times are in exact
	exact    exactList
}

// In returns an empty histogram that takes its memory from a pool.
func In(p *Pool) Histogram { return Histogram{exact: exactList{pool: p}} }

// Add puts one more time in.
func (h *Histogram) Add(ns int64) {
	ns = max(0, ns)
	b := h.buckets
	if b == nil {
		h.addExact(ns)
		return
	}
	i := bucketOf(ns) - b.first
	if uint(i) >= uint(len(b.counts)) {
		h.addBeyond(ns)
		return
	}
	if b.counts[i]++; b.counts[i] == 0 {
		b.spill(i)
	}
	if ns < h.min {
		h.min = ns
	} else if ns > h.max {
		h.max = ns
	}
}

// addExact adds a time to those that are kept as they are. All go to buckets if they have become too many.
func (h *Histogram) addExact(ns int64) {
	if h.exact.count == 0 {
		h.min, h.max = ns, ns
	}
	h.min, h.max = min(h.min, ns), max(h.max, ns)
	h.exact.add(ns)
	if h.exact.count <= exactTimes {
		return
	}
	h.buckets = &buckets{}
	h.buckets.widen(h.min, h.max)
	for _, v := range h.exact.read(nil) {
		h.buckets.counts[bucketOf(v)-h.buckets.first]++
	}
	h.exact.drop()
}

// addBeyond adds a time for which there is no bucket yet.
func (h *Histogram) addBeyond(ns int64) {
	h.min, h.max = min(h.min, ns), max(h.max, ns)
	h.buckets.widen(h.min, h.max)
	h.buckets.counts[bucketOf(ns)-h.buckets.first]++
}

// buckets counts times by bucket.
type buckets struct {
	counts  []uint32 // of the buckets from first on, in 32 bits: half as much of the cache
	first   int
	spilled map[int]int64 // what counts does not hold, a multiple of 1 << 32, by bucket
}

// widen makes buckets for all octaves from the least to the greatest time.
func (b *buckets) widen(least, greatest int64) {
	first := bucketOf(least) / bucketsAnOctave * bucketsAnOctave
	wider := make([]uint32, (bucketOf(greatest)/bucketsAnOctave+1)*bucketsAnOctave-first)
	if b.counts != nil {
		copy(wider[b.first-first:], b.counts)
	}
	b.counts, b.first = wider, first
}

// spill notes that the count at i has turned round.
func (b *buckets) spill(i int) {
	if b.spilled == nil {
		b.spilled = map[int]int64{}
	}
	b.spilled[b.first+i] += 1 << 32
}

// count returns how many times fell into the bucket at i of counts.
func (b *buckets) count(i int) int64 { return int64(b.counts[i]) + b.spilled[b.first+i] }

// Count returns how many times there are.
func (h *Histogram) Count() int64 {
	if h.Exact() {
		return int64(h.exact.count)
	}
	n := int64(0)
	for i := range h.buckets.counts {
		n += h.buckets.count(i)
	}
	return n
}

// MinNS returns the least time, 0 if there is none.
func (h *Histogram) MinNS() int64 { return h.min }

// MaxNS returns the greatest time, 0 if there is none.
func (h *Histogram) MaxNS() int64 { return h.max }

// Exact reports whether the times are kept as they are.
func (h *Histogram) Exact() bool { return h.buckets == nil }

// bucketOf returns the number of the bucket of a time that is not negative.
func bucketOf(ns int64) int {
	shift := bits.Len64(uint64(ns)|bucketsAnOctave) - bucketBits - 1
	return shift<<bucketBits + int(uint64(ns)>>shift)
}

// bucketRange returns the least time of a bucket and its width.
func bucketRange(bucket int) (low, width int64) {
	shift := max(0, bucket>>bucketBits-1)
	return int64(bucket-shift<<bucketBits) << shift, 1 << shift
}

// Quantile returns the time below which the fraction q, from 0 to 1, of all times lies, interpolated linearly (type 7
// of Hyndman and Fan): exact if Exact says so, else within 0.8 %. It is NaN if there are no times.
func (h *Histogram) Quantile(q float64) float64 {
	times := h.Count()
	if times == 0 {
		return math.NaN()
	}
	rank := q * float64(times-1)
	if h.Exact() {
		return h.exact.quantile(rank)
	}
	below, b := 0.0, h.buckets
	for i := range b.counts {
		n := b.count(i)
		if n == 0 || rank >= below+float64(n) {
			below += float64(n)
			continue
		}
		low, width := bucketRange(b.first + i)
		at := float64(low) + (rank-below)/float64(n)*float64(width-1)
		return min(max(at, float64(h.min)), float64(h.max))
	}
	return float64(h.max)
}

// Tally is how often a time occurs.
type Tally struct{ Value, Count int64 }

// Tallies lists the times in ascending order. Coarse gives all times of a bucket the value of its least one, so that
// exact and counted histograms can be compared.
func (h *Histogram) Tallies(coarse bool) []Tally {
	var out []Tally
	if !h.Exact() {
		for i := range h.buckets.counts {
			if n := h.buckets.count(i); n > 0 {
				low, _ := bucketRange(h.buckets.first + i)
				out = append(out, Tally{low, n})
			}
		}
		return out
	}
	for _, v := range h.exact.sorted(nil) {
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
