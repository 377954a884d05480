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
type ZoneStatistics struct {
	Name     string
	Location *Location // of the first of the zones
	Count    int64
	TotalNS  int64   // sum of the durations; a zone inside another one of its name counts twice
	SelfNS   int64   // sum of the durations without the children
	Share    float64 // of Statistics.InsideNS that is TotalNS, or SelfNS when Statistics.Self; above 1 only where zones of a name nest in themselves

	self  bool
	place *Location // of the last zone without a name of its own; several places share a group by name
	times distribution
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
// before is returned with it.
func Summarize(zones iter.Seq2[Zone, error], o StatisticsOptions) (*Statistics, error) {
	s := &Statistics{Self: o.Self, FirstNS: math.MaxInt64, LastNS: math.MinInt64}
	groups := map[zoneKey]*ZoneStatistics{}
	byLocation := map[*Location]*ZoneStatistics{} // for zones without a name of their own: hashing a pointer is several times as fast
	var recent [32]*ZoneStatistics                // by depth: neighbours at one depth are mostly of one location, and comparing is faster than hashing
	var failed error
	for z, err := range zones {
		if err != nil {
			failed = err
			break
		}
		s.InsideNS = addTime(s.InsideNS, z.SelfNS)
		s.FirstNS, s.LastNS = min(s.FirstNS, z.StartNS), max(s.LastNS, z.EndNS())
		if o.Select != nil {
			if selected := z; !o.Select(&selected) { // a copy, so that without Select no zone goes to the heap
				continue
			}
		}
		s.Count++
		last := &recent[z.Depth%len(recent)]
		g := *last
		if g == nil || g.place != z.Location {
			g = byLocation[z.Location]
		}
		if g == nil || z.DynamicName != "" {
			key := zoneKey{name: z.Name()}
			if !o.ByName {
				key.file, key.line = z.Location.File, z.Location.Line
			}
			if g = groups[key]; g == nil {
				g = &ZoneStatistics{Name: key.name, Location: z.Location, self: o.Self}
				groups[key] = g
				s.Zones = append(s.Zones, g)
			}
			if z.DynamicName == "" {
				byLocation[z.Location] = g
			}
		} else {
			g.place = z.Location
			*last = g
		}
		g.Count++
		g.TotalNS, g.SelfNS = addTime(g.TotalNS, z.DurationNS), addTime(g.SelfNS, z.SelfNS)
		if o.Self {
			g.times.add(z.SelfNS)
		} else {
			g.times.add(z.DurationNS)
		}
	}
	if s.FirstNS > s.LastNS {
		s.FirstNS, s.LastNS = 0, 0
	}
	for _, g := range s.Zones {
		if s.InsideNS > 0 {
			g.Share = float64(g.SumNS()) / float64(s.InsideNS)
		}
	}
	return s, failed
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
