package trace

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// StatisticsOptions say how zones are summed up. The zero value groups by name and place and looks at whole durations.
type StatisticsOptions struct {
	Self   bool             // times without those of the children, instead of whole durations
	ByName bool             // zones of one name are one group wherever they are in the source
	Select func(*Zone) bool // nil: all; the others still count in Statistics.InsideNS

	// Watch is called now and then with the number of zones so far, on the goroutine that sums up; an error of it ends the pass and is returned. nil: nobody
	// watches.
	Watch func(zones int64) error
}

// Statistics are the zones of a capture, summed up by name.
type Statistics struct {
	Self     bool // the times are those without children
	Count    int64
	InsideNS int64 // time inside zones, summed over threads: the self times of all zones
	FirstNS  int64 // start of the first zone
	LastNS   int64 // end of the last zone
	Zones    []*ZoneStatistics
}

// ZoneStatistics are the zones of one name, and of one place in the source unless StatisticsOptions.ByName. Memory is bounded for each group.
// What changes with each zone comes first, in one line of the cache.
type ZoneStatistics struct {
	TotalNS int64 // sum of the durations; a zone inside another one of its name counts twice
	SelfNS  int64 // sum of the durations without the children
	times   distribution

	Name     string
	Location *Location // of the first of the zones
	Count    int64
	Share    float64 // of Statistics.InsideNS that is TotalNS, or SelfNS when Statistics.Self; above 1 only where zones of a name nest in themselves
	self     bool
}

// MinNS is the shortest time.
func (z *ZoneStatistics) MinNS() int64 { return z.times.min }

// MaxNS is the longest time.
func (z *ZoneStatistics) MaxNS() int64 { return z.times.max }

// MeanNS is the mean of the times.
func (z *ZoneStatistics) MeanNS() float64 { return float64(z.SumNS()) / float64(z.Count) }

// MedianNS is the median of the times: exact up to 1,024 zones, within 0.8 % beyond.
func (z *ZoneStatistics) MedianNS() float64 { return z.times.quantile(0.5) }

// QuantileNS is the time below which the fraction q, from 0 to 1, of the times lies; as exact as MedianNS.
func (z *ZoneStatistics) QuantileNS(q float64) float64 { return z.times.quantile(q) }

// SumNS is TotalNS, or SelfNS when the statistics are about self times.
func (z *ZoneStatistics) SumNS() int64 {
	if z.self {
		return z.SelfNS
	}
	return z.TotalNS
}

// zoneKey is what zones have in common that are summed up together.
type zoneKey struct {
	name, file string
	line       uint32
}

// Summarize sums up zones in one pass. Memory grows with the number of names, not of zones. When zones ends with an error, what was read
// before is returned with it. File.Summarize does the same for a capture in less time.
func Summarize(zones iter.Seq2[Zone, error], o StatisticsOptions) (*Statistics, error) {
	m := newSummarizer(o)
	byLocation := map[*Location]*ZoneStatistics{}
	for z, err := range zones {
		if err == nil {
			err = m.watch.seen(1)
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
		var g *ZoneStatistics
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

// Summarize is the function Summarize for all zones of the capture, without making a Zone of each.
func (f *File) Summarize(o StatisticsOptions) (*Statistics, error) {
	m := newSummarizer(o)
	groups := walkedGroups{summarizer: m, file: f, byLocation: make([]*ZoneStatistics, len(f.locations)), byName: map[nameAtLocation]*ZoneStatistics{}}
	var watched error
	err := f.walkZones(make([]walkedZone, 0, zonesABatch), func(batch []walkedZone) []walkedZone {
		if watched = m.watch.seen(len(batch)); watched != nil {
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
	file       *File
	byLocation []*ZoneStatistics // of zones without names of their own
	byName     map[nameAtLocation]*ZoneStatistics
}

// nameAtLocation is what a zone with a name of its own is known by.
type nameAtLocation struct {
	name     uint32 // as in extra
	location int32
}

// add adds zones to the sums and to their groups.
func (w *walkedGroups) add(zones []walkedZone) {
	sums := w.sums
	inside, first, last, self := sums.InsideNS, sums.FirstNS, sums.LastNS, w.options.Self
	for i := range zones {
		z := &zones[i]
		inside, first, last = addTime(inside, z.self), min(first, z.start), max(last, z.start+z.duration)
		if w.options.Select != nil {
			if zone := w.file.zone(z); !w.options.Select(&zone) {
				continue
			}
		}
		g := w.byLocation[z.location]
		if g == nil || z.extra != 0 {
			g = w.of(z)
		}
		g.add(z.duration, z.self, self)
	}
	sums.InsideNS, sums.FirstNS, sums.LastNS = inside, first, last
}

// of returns the group of a zone.
func (w *walkedGroups) of(z *walkedZone) *ZoneStatistics {
	if z.extra != 0 {
		if name := w.file.extras.at(int(z.extra)).name; name != 0 {
			return w.named(nameAtLocation{name, z.location})
		}
	}
	g := w.byLocation[z.location]
	if g == nil {
		at := &w.file.locations[z.location]
		g = w.group(at.Label(), at)
		w.byLocation[z.location] = g
	}
	return g
}

func (w *walkedGroups) named(key nameAtLocation) *ZoneStatistics {
	g := w.byName[key]
	if g == nil {
		at := &w.file.locations[key.location]
		// A name that is empty is none.
		g = w.group(cmp.Or(w.file.stringOrNone(key.name), at.Label()), at)
		if len(w.byName) == maxNumberedNames {
			clear(w.byName)
		}
		w.byName[key] = g
	}
	return g
}

// summarizer is the state of a pass that sums zones up.
type summarizer struct {
	options StatisticsOptions
	watch   zoneWatch
	sums    *Statistics
	groups  map[zoneKey]*ZoneStatistics
}

func newSummarizer(o StatisticsOptions) *summarizer {
	return &summarizer{options: o, watch: zoneWatch{call: o.Watch}, sums: &Statistics{Self: o.Self, FirstNS: math.MaxInt64, LastNS: math.MinInt64},
		groups: map[zoneKey]*ZoneStatistics{}}
}

// inside notes a zone in the sums over all zones.
func (m *summarizer) inside(start, duration, self int64) {
	s := m.sums
	s.InsideNS = addTime(s.InsideNS, self)
	if start < s.FirstNS {
		s.FirstNS = start
	}
	if end := start + duration; end > s.LastNS {
		s.LastNS = end
	}
}

// group is the group of zones of a name at a location.
func (m *summarizer) group(name string, at *Location) *ZoneStatistics {
	key := zoneKey{name: name}
	if !m.options.ByName {
		key.file, key.line = at.File, at.Line
	}
	g := m.groups[key]
	if g == nil {
		g = &ZoneStatistics{Name: name, Location: at, self: m.options.Self}
		m.groups[key] = g
		m.sums.Zones = append(m.sums.Zones, g)
	}
	return g
}

// add puts one more zone into the group, whose times are those without children when own.
func (z *ZoneStatistics) add(duration, self int64, own bool) {
	z.TotalNS, z.SelfNS = addTime(z.TotalNS, duration), addTime(z.SelfNS, self)
	if own {
		duration = self
	}
	z.times.add(duration)
}

// finish completes the sums with what needs all zones.
func (m *summarizer) finish() *Statistics {
	s := m.sums
	if s.FirstNS > s.LastNS {
		s.FirstNS, s.LastNS = 0, 0
	}
	for _, g := range s.Zones {
		g.Count = g.times.n()
		s.Count += g.Count
		if s.InsideNS > 0 {
			g.Share = float64(g.SumNS()) / float64(s.InsideNS)
		}
	}
	return s
}

// addTime adds without turning round: sums of hostile durations end at the greatest time there is.
func addTime(sum, ns int64) int64 {
	if ns > 0 && sum > math.MaxInt64-ns {
		return math.MaxInt64
	}
	return sum + max(ns, 0)
}

// statisticsOrder is a way to sort statistics: the greatest first, except names.
type statisticsOrder struct {
	name    string
	compare func(a, b *ZoneStatistics) int
}

func statisticsOrders() []statisticsOrder {
	return []statisticsOrder{
		{"total", func(a, b *ZoneStatistics) int { return cmp.Compare(b.TotalNS, a.TotalNS) }},
		{"self", func(a, b *ZoneStatistics) int { return cmp.Compare(b.SelfNS, a.SelfNS) }},
		{"mean", func(a, b *ZoneStatistics) int { return cmp.Compare(b.MeanNS(), a.MeanNS()) }},
		{"median", func(a, b *ZoneStatistics) int { return cmp.Compare(b.MedianNS(), a.MedianNS()) }},
		{"p90", func(a, b *ZoneStatistics) int { return cmp.Compare(b.QuantileNS(0.9), a.QuantileNS(0.9)) }},
		{"max", func(a, b *ZoneStatistics) int { return cmp.Compare(b.MaxNS(), a.MaxNS()) }},
		{"count", func(a, b *ZoneStatistics) int { return cmp.Compare(b.Count, a.Count) }},
		{"name", func(a, b *ZoneStatistics) int { return 0 }},
	}
}

// StatisticsOrders are the keys that Sort knows.
func StatisticsOrders() (names []string) {
	for _, o := range statisticsOrders() {
		names = append(names, o.name)
	}
	return names
}

// Sort puts the groups in the order of a key of StatisticsOrders: the greatest first, equal ones and "name" by name, file and line.
func (s *Statistics) Sort(key string) error {
	for _, o := range statisticsOrders() {
		if o.name != key {
			continue
		}
		slices.SortFunc(s.Zones, func(a, b *ZoneStatistics) int {
			return cmp.Or(o.compare(a, b), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Location.File, b.Location.File), cmp.Compare(a.Location.Line, b.Location.Line))
		})
		return nil
	}
	return fmt.Errorf("no order %q: want one of %s", key, strings.Join(StatisticsOrders(), ", "))
}
