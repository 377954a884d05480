// Package zonestats sums the zones of captures up by name, and compares two such sums. It knows nothing of files or tables.
package zonestats

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"zonemark/trace"
	"zonemark/trace/histogram"
)

// Options say how zones are summed up. The zero value groups by name and place and looks at whole durations.
type Options struct {
	Self   bool                   // times without those of the children, instead of whole durations
	ByName bool                   // zones of one name are one group wherever they are in the source
	Select func(*trace.Zone) bool // nil: all; the others still count in Summary.InsideNS

	// Watch is called now and then with the number of zones so far, on the goroutine that sums up; an error of it ends the pass and is returned. nil: nobody
	// watches.
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

// Group are the zones of one name, and of one place in the source unless Options.ByName. Memory is bounded for each group.
// What changes with each zone comes first, in one line of the cache.
type Group struct {
	TotalNS int64 // sum of the durations; a zone inside another one of its name counts twice
	SelfNS  int64 // sum of the durations without the children
	times   histogram.Histogram

	Name     string
	Location *trace.Location // of the first of the zones
	Count    int64
	Share    float64 // of Summary.InsideNS that is TotalNS, or SelfNS when Summary.Self; above 1 only where zones of a name nest in themselves
	self     bool
}

// MinNS is the shortest time.
func (z *Group) MinNS() int64 { return z.times.MinNS() }

// MaxNS is the longest time.
func (z *Group) MaxNS() int64 { return z.times.MaxNS() }

// MeanNS is the mean of the times.
func (z *Group) MeanNS() float64 { return float64(z.SumNS()) / float64(z.Count) }

// MedianNS is the median of the times: exact up to 1,024 zones, within 0.8 % beyond.
func (z *Group) MedianNS() float64 { return z.times.Quantile(0.5) }

// QuantileNS is the time below which the fraction q, from 0 to 1, of the times lies; as exact as MedianNS.
func (z *Group) QuantileNS(q float64) float64 { return z.times.Quantile(q) }

// SumNS is TotalNS, or SelfNS when the statistics are about self times.
func (z *Group) SumNS() int64 {
	if z.self {
		return z.SelfNS
	}
	return z.TotalNS
}

// zoneKey is what zones have in common that are summed up together.
type groupKey struct {
	name, file string
	line       uint32
}

// Summarize sums up zones in one pass. Memory grows with the number of names, not of zones. When zones ends with an error, what was read
// before is returned with it. SummarizeFile does the same for a capture in less time.
func Summarize(zones iter.Seq2[trace.Zone, error], o Options) (*Summary, error) {
	m := newSummarizer(o)
	byLocation := map[*trace.Location]*Group{}
	for z, err := range zones {
		if err == nil {
			err = m.watch.Seen(1)
		}
		if err != nil {
			return m.finish(), err
		}
		m.inside(z.StartNS, z.DurationNS, z.SelfNS)
		if o.Select != nil {
			if selected := z; !o.Select(&selected) { // a copy, so that without Select no zone goes to the heap
				continue
			}
		}
		var g *Group
		if z.DynamicName != "" {
			g = m.group(z.DynamicName, z.Location)
		} else if g = byLocation[z.Location]; g == nil {
			g = m.group(z.Location.Label(), z.Location)
			byLocation[z.Location] = g
		}
		g.add(z.DurationNS, z.SelfNS, o.Self)
	}
	return m.finish(), nil
}

// SummarizeFile is Summarize for all zones of a capture, without making a Zone of each.
func SummarizeFile(f *trace.File, o Options) (*Summary, error) {
	m := newSummarizer(o)
	groups := walkedGroups{summarizer: m, file: f, byLocation: make([]*Group, len(f.Locations())), byName: map[nameAtLocation]*Group{}}
	var watched error
	err := f.WalkRaw(make([]trace.RawZone, 0, trace.RawBatch), func(batch []trace.RawZone) []trace.RawZone {
		if watched = m.watch.Seen(len(batch)); watched != nil {
			return nil
		}
		groups.add(batch)
		return batch[:0]
	})
	return m.finish(), cmp.Or(watched, err)
}

// maxNumberedNames is how many names of zones are found by their numbers: a file can give one name many of them.
const maxNumberedNames = 1 << 16

// walkedGroups finds the groups of walked zones by the numbers that these have, without a look at the names.
type walkedGroups struct {
	*summarizer
	file       *trace.File
	byLocation []*Group // of zones without names of their own
	byName     map[nameAtLocation]*Group
}

// nameAtLocation is what a zone with a name of its own is known by.
type nameAtLocation struct {
	name     uint32 // as in extra
	location int32
}

// add adds zones to the sums and to their groups.
func (w *walkedGroups) add(zones []trace.RawZone) {
	sums := w.sums
	inside, first, last, self := sums.InsideNS, sums.FirstNS, sums.LastNS, w.options.Self
	for i := range zones {
		z := &zones[i]
		inside, first, last = trace.AddNS(inside, z.SelfNS), min(first, z.StartNS), max(last, z.StartNS+z.DurationNS)
		if w.options.Select != nil {
			if zone := w.file.Resolve(z); !w.options.Select(&zone) {
				continue
			}
		}
		g := w.byLocation[z.Location]
		if g == nil || z.Extra != 0 {
			g = w.of(z)
		}
		g.add(z.DurationNS, z.SelfNS, self)
	}
	sums.InsideNS, sums.FirstNS, sums.LastNS = inside, first, last
}

// of returns the group of a zone.
func (w *walkedGroups) of(z *trace.RawZone) *Group {
	if z.Extra != 0 {
		if name := w.file.NameNumber(z.Extra); name != 0 {
			return w.named(nameAtLocation{name, z.Location})
		}
	}
	g := w.byLocation[z.Location]
	if g == nil {
		at := &w.file.Locations()[z.Location]
		g = w.group(at.Label(), at)
		w.byLocation[z.Location] = g
	}
	return g
}

func (w *walkedGroups) named(key nameAtLocation) *Group {
	g := w.byName[key]
	if g == nil {
		at := &w.file.Locations()[key.location]
		// A name that is empty is none.
		g = w.group(cmp.Or(w.file.NameOf(key.name), at.Label()), at)
		if len(w.byName) == maxNumberedNames {
			clear(w.byName)
		}
		w.byName[key] = g
	}
	return g
}

// summarizer is the state of a pass that sums zones up.
type summarizer struct {
	options Options
	watch   trace.Watcher
	sums    *Summary
	groups  map[groupKey]*Group
}

func newSummarizer(o Options) *summarizer {
	return &summarizer{options: o, watch: trace.Watcher{Call: o.Watch}, sums: &Summary{Self: o.Self, FirstNS: math.MaxInt64, LastNS: math.MinInt64},
		groups: map[groupKey]*Group{}}
}

// inside notes a zone in the sums over all zones.
func (m *summarizer) inside(start, duration, self int64) {
	s := m.sums
	s.InsideNS = trace.AddNS(s.InsideNS, self)
	if start < s.FirstNS {
		s.FirstNS = start
	}
	if end := start + duration; end > s.LastNS {
		s.LastNS = end
	}
}

// group is the group of zones of a name at a location.
func (m *summarizer) group(name string, at *trace.Location) *Group {
	key := groupKey{name: name}
	if !m.options.ByName {
		key.file, key.line = at.File, at.Line
	}
	g := m.groups[key]
	if g == nil {
		g = &Group{Name: name, Location: at, self: m.options.Self}
		m.groups[key] = g
		m.sums.Zones = append(m.sums.Zones, g)
	}
	return g
}

// add puts one more zone into the group, whose times are those without children when own.
func (z *Group) add(duration, self int64, own bool) {
	z.TotalNS, z.SelfNS = trace.AddNS(z.TotalNS, duration), trace.AddNS(z.SelfNS, self)
	if own {
		duration = self
	}
	z.times.Add(duration)
}

// finish completes the sums with what needs all zones.
func (m *summarizer) finish() *Summary {
	s := m.sums
	if s.FirstNS > s.LastNS {
		s.FirstNS, s.LastNS = 0, 0
	}
	for _, g := range s.Zones {
		g.Count = g.times.Count()
		s.Count += g.Count
		if s.InsideNS > 0 {
			g.Share = float64(g.SumNS()) / float64(s.InsideNS)
		}
	}
	return s
}

// statisticsOrder is a way to sort statistics: the greatest first, except names.
type order struct {
	name    string
	compare func(a, b *Group) int
}

func orders() []order {
	return []order{
		{"total", func(a, b *Group) int { return cmp.Compare(b.TotalNS, a.TotalNS) }},
		{"self", func(a, b *Group) int { return cmp.Compare(b.SelfNS, a.SelfNS) }},
		{"mean", func(a, b *Group) int { return cmp.Compare(b.MeanNS(), a.MeanNS()) }},
		{"median", func(a, b *Group) int { return cmp.Compare(b.MedianNS(), a.MedianNS()) }},
		{"p90", func(a, b *Group) int { return cmp.Compare(b.QuantileNS(0.9), a.QuantileNS(0.9)) }},
		{"max", func(a, b *Group) int { return cmp.Compare(b.MaxNS(), a.MaxNS()) }},
		{"count", func(a, b *Group) int { return cmp.Compare(b.Count, a.Count) }},
		{"name", func(a, b *Group) int { return 0 }},
	}
}

// Orders are the keys that Sort knows.
func Orders() (names []string) {
	for _, o := range orders() {
		names = append(names, o.name)
	}
	return names
}

// Sort puts the groups in the order of a key of Orders: the greatest first, equal ones and "name" by name, file and line.
func (s *Summary) Sort(key string) error {
	for _, o := range orders() {
		if o.name != key {
			continue
		}
		slices.SortFunc(s.Zones, func(a, b *Group) int {
			return cmp.Or(o.compare(a, b), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Location.File, b.Location.File), cmp.Compare(a.Location.Line, b.Location.Line))
		})
		return nil
	}
	return fmt.Errorf("no order %q: want one of %s", key, strings.Join(Orders(), ", "))
}
