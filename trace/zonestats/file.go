package zonestats

import (
	"cmp"

	"zonemark/trace"
)

// SummarizeFile is Summarize for all zones of threads of a capture, without making a Zone of each.
func SummarizeFile(f *trace.File, o Options) (*Summary, error) {
	m := newSummarizer(o)
	groups := groupFinder{summarizer: m, file: f, byLocation: make([]*Group, len(f.Locations()))}
	var watched error
	err := f.WalkNamed(make([]trace.RawZone, 0, trace.RawBatch), func(batch []trace.RawZone) []trace.RawZone {
		if watched = m.watch.Seen(len(batch)); watched != nil {
			return nil
		}
		groups.add(batch)
		return batch[:0]
	})
	return m.finish(), cmp.Or(watched, err)
}

// groupFinder finds the groups of raw zones by the numbers that these have, mostly without a look at the names.
type groupFinder struct {
	*summarizer
	file       *trace.File
	byLocation []*Group     // of zones without names of their own
	byName     []namedGroup // of the others, by the number of the name; nil: there was none
	found      [trace.RawBatch]*Group
}

// namedGroup is the group of the zones of a name at the location where it was last. Nearly all names have one location.
type namedGroup struct {
	location int32
	group    uint32 // index + 1; 0: none
}

// add adds zones, at most trace.RawBatch, to the sums and to their groups. It finds all groups before it adds to them:
// in a capture of many names each step has to wait for the memory, and so the waits of a batch overlap.
func (w *groupFinder) add(zones []trace.RawZone) {
	sums := w.sums
	inside, first, last, self := sums.InsideNS, sums.FirstNS, sums.LastNS, w.options.Self
	for i := range zones {
		z := &zones[i]
		inside, first, last = trace.AddNS(inside, z.SelfNS), min(first, z.StartNS), max(last, z.StartNS+z.DurationNS)
		w.found[i] = nil
		if w.options.Select != nil {
			if zone := w.file.Resolve(z); !w.options.Select(&zone) {
				continue
			}
		}
		g := w.byLocation[z.Location]
		if g == nil || z.Name != 0 {
			g = w.of(z)
		}
		w.found[i] = g
	}
	for i, g := range w.found[:len(zones)] {
		if g != nil {
			g.add(zones[i].DurationNS, zones[i].SelfNS, self, zones[i].Repeats)
		}
	}
	sums.InsideNS, sums.FirstNS, sums.LastNS = inside, first, last
}

// of returns the group of a zone.
func (w *groupFinder) of(z *trace.RawZone) *Group {
	if z.Name != 0 {
		return w.named(z.Name, z.Location)
	}
	g := w.byLocation[z.Location]
	if g == nil {
		at := &w.file.Locations()[z.Location]
		g = w.groups.at(w.group(at.Label(), at))
		w.byLocation[z.Location] = g
	}
	return g
}

// named returns the group of the zones that have a name of their own, by its number, at a location.
func (w *groupFinder) named(name uint32, location int32) *Group {
	if w.byName == nil {
		w.byName = make([]namedGroup, w.file.Info().StringCount+1)
	}
	last := &w.byName[name]
	if last.group > 0 && last.location == location {
		return w.groups.at(int(last.group - 1))
	}
	at := &w.file.Locations()[location]
	// A name that is empty is none.
	index := w.group(cmp.Or(w.file.NameOf(name), at.Label()), at)
	*last = namedGroup{location, uint32(index + 1)}
	return w.groups.at(index)
}
