package trace

import (
	"math"
	"math/bits"
	"slices"
)

// exactTimes is the number of times that a distribution keeps as they are; more are counted in buckets.
const exactTimes = 1024

// Buckets are 1/128 of a power of two wide, as in an HDR histogram: times below 128 ns have a bucket each, others share one with times that differ by
// less than 0.8 %.
const (
	bucketBits      = 7
	bucketsAnOctave = 1 << bucketBits
	octaves         = 64 - bucketBits // of the 63 bits that a time has
)

// distribution is a set of times in nanoseconds in bounded memory: exact up to exactTimes values, counts by bucket beyond, which take 1 KiB for each
// octave that occurs and 57 KiB at most. Times below zero count as zero.
type distribution struct {
	n       int64
	exact   []int64 // nil when counts is in use
	counts  *[octaves]*[bucketsAnOctave]int64
	ordered bool // exact is sorted
	min     int64
	max     int64
}

// add puts one more time in.
func (d *distribution) add(ns int64) {
	ns = max(0, ns)
	if d.n == 0 {
		d.min, d.max = ns, ns
	}
	d.min, d.max = min(d.min, ns), max(d.max, ns)
	d.n++
	if d.counts != nil {
		d.count(ns)
		return
	}
	d.exact, d.ordered = append(d.exact, ns), false
	if len(d.exact) <= exactTimes {
		return
	}
	d.counts = new([octaves]*[bucketsAnOctave]int64)
	for _, v := range d.exact {
		d.count(v)
	}
	d.exact = nil
}

func (d *distribution) count(ns int64) {
	octave, i := bucketOf(ns)
	if d.counts[octave] == nil {
		d.counts[octave] = new([bucketsAnOctave]int64)
	}
	d.counts[octave][i]++
}

// bucketOf is the place of a time that is not negative.
func bucketOf(ns int64) (octave, index int) {
	shift := bits.Len64(uint64(ns)) - bucketBits - 1
	if shift < 0 {
		return 0, int(ns)
	}
	return shift + 1, int(ns>>shift) - bucketsAnOctave
}

// bucketRange is the least time of a bucket and its width.
func bucketRange(octave, index int) (low, width int64) {
	if octave == 0 {
		return int64(index), 1
	}
	return int64(bucketsAnOctave+index) << (octave - 1), 1 << (octave - 1)
}

func (d *distribution) sort() {
	if !d.ordered {
		slices.Sort(d.exact)
		d.ordered = true
	}
}

// quantile is the time below which the fraction q of all times lies, interpolated linearly (type 7 of Hyndman and Fan): exact up to exactTimes
// times, within 0.8 % beyond. It is NaN when there are none.
func (d *distribution) quantile(q float64) float64 {
	if d.n == 0 {
		return math.NaN()
	}
	rank := q * float64(d.n-1)
	if d.counts == nil {
		d.sort()
		i := int(rank)
		if i+1 >= len(d.exact) {
			return float64(d.max)
		}
		return float64(d.exact[i]) + (rank-float64(i))*float64(d.exact[i+1]-d.exact[i])
	}
	below := 0.0
	for octave, counts := range d.counts {
		if counts == nil {
			continue
		}
		for i, n := range counts {
			if n == 0 || rank >= below+float64(n) {
				below += float64(n)
				continue
			}
			low, width := bucketRange(octave, i)
			at := float64(low) + (rank-below)/float64(n)*float64(width-1)
			return min(max(at, float64(d.min)), float64(d.max))
		}
	}
	return float64(d.max)
}

// tally is how often a time occurs.
type tally struct{ value, count int64 }

// tallies lists the times in ascending order; coarse gives all times of a bucket the value of its least one, so that exact and counted
// distributions can be compared.
func (d *distribution) tallies(coarse bool) []tally {
	var out []tally
	if d.counts == nil {
		d.sort()
		for _, v := range d.exact {
			if coarse {
				v, _ = bucketRange(bucketOf(v))
			}
			if last := len(out) - 1; last >= 0 && out[last].value == v {
				out[last].count++
			} else {
				out = append(out, tally{v, 1})
			}
		}
		return out
	}
	for octave, counts := range d.counts {
		if counts == nil {
			continue
		}
		for i, n := range counts {
			if n > 0 {
				low, _ := bucketRange(octave, i)
				out = append(out, tally{low, n})
			}
		}
	}
	return out
}
