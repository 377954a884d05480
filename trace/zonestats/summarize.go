package zonestats

import (
	"hash/maphash"
	"iter"
	"math"
	"math/bits"

	"zonemark/trace"
	"zonemark/trace/histogram"
)

// Summarize sums zones up in one pass. Memory grows with the number of names, not of zones. If zones ends with an
// error, what was read before is returned with it. SummarizeFile does the same for a capture in less time.
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
			g = m.groups.at(m.group(z.DynamicName, z.Location))
		} else if g = byLocation[z.Location]; g == nil {
			g = m.groups.at(m.group(z.Location.Label(), z.Location))
			byLocation[z.Location] = g
		}
		g.add(z.DurationNS, z.SelfNS, o.Self, z.Repeats)
	}
	return m.finish(), nil
}

// summarizer is the state of a pass that sums zones up.
type summarizer struct {
	options Options
	watch   trace.Watcher
	sums    *Summary
	seed    maphash.Seed
	groups  groupList
	table   groupTable // of the groups by the hash of name, file and line
	pool    histogram.Pool
}

func newSummarizer(o Options) *summarizer {
	return &summarizer{
		options: o, watch: trace.Watcher{Call: o.Watch}, seed: maphash.MakeSeed(),
		sums: &Summary{Self: o.Self, FirstNS: math.MaxInt64, LastNS: math.MinInt64},
	}
}

// inside notes a zone in the sums over all zones.
func (m *summarizer) inside(start, duration, self int64) {
	s := m.sums
	s.InsideNS = trace.AddNS(s.InsideNS, self)
	s.FirstNS, s.LastNS = min(s.FirstNS, start), max(s.LastNS, start+duration)
}

// group returns the index of the group of the zones of a name at a location.
func (m *summarizer) group(name string, at *trace.Location) int {
	file, line := at.File, at.Line
	if m.options.ByName {
		file, line = "", 0
	}
	hash := uint32(maphash.String(m.seed, name) ^ bits.RotateLeft64(maphash.String(m.seed, file), 1) ^ uint64(line)<<16)
	for p := m.table.probe(hash); ; {
		index, ok := p.next()
		if !ok {
			break
		}
		g := m.groups.at(index)
		if g.Name == name && (m.options.ByName || g.Location.File == file && g.Location.Line == line) {
			return index
		}
	}
	g := m.groups.add()
	g.Name, g.Location, g.self, g.times = name, at, m.options.Self, histogram.In(&m.pool)
	m.table.add(hash, m.groups.count-1)
	return m.groups.count - 1
}

// finish completes the sums with what needs all zones.
func (m *summarizer) finish() *Summary {
	s := m.sums
	if s.FirstNS > s.LastNS {
		s.FirstNS, s.LastNS = 0, 0
	}
	s.Zones = m.groups.pointers()
	for _, g := range s.Zones {
		g.Count = g.times.Count()
		s.Count += g.Count
		g.Share = g.share(s.InsideNS)
	}
	return s
}
