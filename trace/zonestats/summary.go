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
	Tracks   []*Track // beside the threads: contexts of GPUs
	// Unfinished are the zones of GPUs whose times never arrived. They count nowhere.
	Unfinished int64
}

// Track is what is not on a thread.
type Track struct {
	Name     string // of the context of a GPU, or "frames"
	Count    int64
	InsideNS int64 // as Summary has it for threads
}

// Group are the zones of one name, and of one place in the source unless Options.ByName. Memory is bounded for each
// group: see histogram.Histogram. What changes with each zone comes first, in few lines of the cache.
type Group struct {
	TotalNS int64 // sum of the durations; a zone inside another one of its name counts twice
	SelfNS  int64 // sum of the durations without the children
	outerNS int64 // TotalNS without zones inside another one of the group
	times   histogram.Histogram

	Name     string
	Location *trace.Location // of the first of the zones
	Count    int64
	Track    *Track // nil: the zones are those of threads
	// Share is the part of Summary.InsideNS, or that of its track, that is inside zones of the group, or SelfNS if Summary.Self. The time of a
	// zone inside another one of its group counts once.
	Share float64
	self  bool
}

// TrackName returns the name of the track, empty if the zones are those of threads.
func (z *Group) TrackName() string {
	if z.Track == nil {
		return ""
	}
	return z.Track.Name
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

// share returns the part of a time that is inside zones of the group.
func (z *Group) share(inside int64) float64 {
	if inside <= 0 {
		return 0
	}
	sum := z.outerNS
	if z.self {
		sum = z.SelfNS
	}
	return min(1, float64(sum)/float64(inside)) // zones of one name and several places may be inside each other
}

// SumNS returns TotalNS, or SelfNS if the summary is about self times.
func (z *Group) SumNS() int64 {
	if z.self {
		return z.SelfNS
	}
	return z.TotalNS
}

// add puts one more zone into the group. With own, the times are those without children. A zone that repeats is inside
// another one of the group.
func (z *Group) add(duration, self int64, own, repeats bool) {
	z.TotalNS, z.SelfNS = trace.AddNS(z.TotalNS, duration), trace.AddNS(z.SelfNS, self)
	if !repeats {
		z.outerNS = trace.AddNS(z.outerNS, duration)
	}
	if own {
		duration = self
	}
	z.times.Add(duration)
}
