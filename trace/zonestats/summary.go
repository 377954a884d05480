// Package zonestats sums the zones of captures up by name, and compares two such sums. It knows nothing of files or
// tables.
package zonestats

import (
	"zonemark/trace"
	"zonemark/trace/histogram"
)

// Options say how zones are summed up. The zero value groups by name and place and looks at whole durations.
type Options struct {
	Self   bool                   // times without those of the children, instead of whole durations
	ByName bool                   // zones of one name are one group wherever they are in the source
	Select func(*trace.Zone) bool // nil: all; the others still count in Summary.InsideNS

	// Watch is called now and then with the number of zones so far, on the goroutine that sums up. An error of it ends
	// the pass and is returned. It may be nil.
	Watch func(zones int64) error
}

// Summary are the zones of a capture, summed up by name.
type Summary struct {
	Self     bool // the times are those without children
	Count    int64
	InsideNS int64 // time inside zones, summed over threads: the self times of all zones
	FirstNS  int64 // start of the first zone
	LastNS   int64 // end of the last zone
	Zones    []*Group
}

// Group are the zones of one name, and of one place in the source unless Options.ByName. Memory is bounded for each
// group: see histogram.Histogram. What changes with each zone comes first, in few lines of the cache.
type Group struct {
	TotalNS int64 // sum of the durations; a zone inside another one of its name counts twice
	SelfNS  int64 // sum of the durations without the children
	times   histogram.Histogram

	Name     string
	Location *trace.Location // of the first of the zones
	Count    int64
	// Share is the part of Summary.InsideNS that is TotalNS, or SelfNS if Summary.Self.
	// It is above 1 only if zones of a name nest in themselves.
	Share float64
	self  bool

	_ [16]byte
}

// MinNS returns the shortest time.
func (z *Group) MinNS() int64 { return z.times.MinNS() }

// MaxNS returns the longest time.
func (z *Group) MaxNS() int64 { return z.times.MaxNS() }

// MeanNS returns the mean of the times.
func (z *Group) MeanNS() float64 { return float64(z.SumNS()) / float64(z.Count) }

// MedianNS returns the median of the times: exact up to 1,024 zones, within 0.8 % beyond.
func (z *Group) MedianNS() float64 { return z.times.Quantile(0.5) }

// QuantileNS returns the time below which the fraction q, from 0 to 1, of the times lies; as exact as MedianNS.
func (z *Group) QuantileNS(q float64) float64 { return z.times.Quantile(q) }

// SumNS returns TotalNS, or SelfNS if the summary is about self times.
func (z *Group) SumNS() int64 {
	if z.self {
		return z.SelfNS
	}
	return z.TotalNS
}

// add puts one more zone into the group. With own, the times are those without children.
func (z *Group) add(duration, self int64, own bool) {
	z.TotalNS, z.SelfNS = trace.AddNS(z.TotalNS, duration), trace.AddNS(z.SelfNS, self)
	if own {
		duration = self
	}
	z.times.Add(duration)
}
