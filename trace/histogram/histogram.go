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
	// of the buckets from first on, in 32 bits: half as much of the cache; nil: the times are in exact
	counts  []uint32
	exact   exactList
	first   int
	spilled map[int]int64 // what counts does not hold, a multiple of 1 << 32, by bucket
}

// In returns an empty histogram that takes its memory from a pool.
func In(p *Pool) Histogram { return Histogram{exact: exactList{pool: p}} }

// Add puts one more time in.
func (h *Histogram) Add(ns int64) {
	ns = max(0, ns)
	if i := bucketOf(ns) - h.first; uint(i) < uint(len(h.counts)) {
		if h.counts[i]++; h.counts[i] == 0 {
			h.spill(h.first + i)
		}
		if ns < h.min {
			h.min = ns
		} else if ns > h.max {
			h.max = ns
		}
		return
	}
	h.addBeyond(ns)
}

// addBeyond adds a time where there is no bucket for it yet.
func (h *Histogram) addBeyond(ns int64) {
	if h.counts == nil && h.exact.count == 0 {
		h.min, h.max = ns, ns
	}
	h.min, h.max = min(h.min, ns), max(h.max, ns)
	if h.counts != nil {
		h.widen()
		h.counts[bucketOf(ns)-h.first]++
		return
	}
	h.exact.add(ns)
	if h.exact.count <= exactTimes {
		return
	}
	h.widen()
	for _, v := range h.exact.read(nil) {
		h.counts[bucketOf(v)-h.first]++
	}
	h.exact.drop()
}

// widen makes buckets for all octaves from the least to the greatest time.
func (h *Histogram) widen() {
	first := bucketOf(h.min) / bucketsAnOctave * bucketsAnOctave
	wider := make([]uint32, (bucketOf(h.max)/bucketsAnOctave+1)*bucketsAnOctave-first)
	if h.counts != nil {
		copy(wider[h.first-first:], h.counts)
	}
	h.counts, h.first = wider, first
}

// spill notes that the count of a bucket has turned round.
func (h *Histogram) spill(bucket int) {
	if h.spilled == nil {
		h.spilled = map[int]int64{}
	}
	h.spilled[bucket] += 1 << 32
}

// count returns how many times fell into the bucket at i of counts.
func (h *Histogram) count(i int) int64 {
	return int64(h.counts[i]) + h.spilled[h.first+i]
}

// Count returns how many times there are.
func (h *Histogram) Count() int64 {
	n := int64(h.exact.count)
	for i := range h.counts {
		n += h.count(i)
	}
	return n
}

// MinNS returns the least time, 0 if there is none.
func (h *Histogram) MinNS() int64 { return h.min }

// MaxNS returns the greatest time, 0 if there is none.
func (h *Histogram) MaxNS() int64 { return h.max }

// Exact reports whether the times are kept as they are.
func (h *Histogram) Exact() bool { return h.counts == nil }

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
		var buffer [exactTimes]int64
		return interpolated(h.exact.sorted(buffer[:0]), rank)
	}
	below := 0.0
	for i := range h.counts {
		n := h.count(i)
		if n == 0 || rank >= below+float64(n) {
			below += float64(n)
			continue
		}
		low, width := bucketRange(h.first + i)
		at := float64(low) + (rank-below)/float64(n)*float64(width-1)
		return min(max(at, float64(h.min)), float64(h.max))
	}
	return float64(h.max)
}

// interpolated returns the value at a rank of a sorted list, between two of its values where the rank is.
func interpolated(sorted []int64, rank float64) float64 {
	i := int(rank)
	if i+1 >= len(sorted) {
		return float64(sorted[len(sorted)-1])
	}
	return float64(sorted[i]) + (rank-float64(i))*float64(sorted[i+1]-sorted[i])
}

// Tally is how often a time occurs.
type Tally struct{ Value, Count int64 }

// Tallies lists the times in ascending order. Coarse gives all times of a bucket the value of its least one, so that
// exact and counted histograms can be compared.
func (h *Histogram) Tallies(coarse bool) []Tally {
	var out []Tally
	if !h.Exact() {
		for i := range h.counts {
			if n := h.count(i); n > 0 {
				low, _ := bucketRange(h.first + i)
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
