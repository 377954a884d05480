package tracycsv

import (
	"cmp"
	"iter"
	"slices"

	"zonemark/trace"
)

// tableZone is a zone of a table, in as little memory as 100 MB of rows ask for.
type tableZone struct {
	start, duration, self int64
	ordinal, parent       int64
	location, depth       int32
	text, dynamicName     int32 // in the table's strings
	color                 uint32
	thread                uint16
	unfinished            bool
}

func (z *tableZone) end() int64 { return z.start + z.duration }

// nest recovers what encloses what by containment: a zone belongs to the innermost one of its thread that contains it.
// Of two with the same times, the first in the table is the outer one. A zone that only overlaps another is not inside
// it. Sorts the zones.
func nest(zones []tableZone) {
	slices.SortStableFunc(zones, func(a, b tableZone) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.start, b.start),
			cmp.Compare(b.duration, a.duration))
	})
	var open []int
	for i := range zones {
		z := &zones[i]
		for len(open) > 0 {
			if top := &zones[open[len(open)-1]]; top.thread == z.thread && z.end() <= top.end() &&
				z.start < max(top.end(), top.start+1) {
				break
			}
			open = open[:len(open)-1]
		}
		z.ordinal, z.parent, z.depth, z.self = int64(i), -1, int32(len(open)), z.duration
		if len(open) > 0 {
			parent := open[len(open)-1]
			z.parent = int64(parent)
			zones[parent].self -= z.duration
		}
		open = append(open, i)
	}
}

// nestNothing is for tables that do not tell threads apart.
func nestNothing(zones []tableZone) {
	slices.SortStableFunc(zones, func(a, b tableZone) int { return cmp.Compare(a.start, b.start) })
	for i := range zones {
		z := &zones[i]
		z.ordinal, z.parent, z.depth, z.self = int64(i), -1, 0, z.duration
	}
}

// nestedAlready says whether ordinals, parents and depths, as a table of ours holds them, are those of a forest. Sorts
// the zones by ordinal.
func nestedAlready(zones []tableZone) bool {
	slices.SortStableFunc(zones, func(a, b tableZone) int { return cmp.Compare(a.ordinal, b.ordinal) })
	for i := range zones {
		z := &zones[i]
		if z.ordinal < 0 || z.parent >= z.ordinal || z.parent < -1 || i > 0 && zones[i-1].ordinal == z.ordinal {
			return false
		}
		at, ok := slices.BinarySearchFunc(zones[:i], z.parent, func(one tableZone, ordinal int64) int {
			return cmp.Compare(one.ordinal, ordinal)
		})
		if ok && (zones[at].thread != z.thread || zones[at].depth+1 != z.depth) {
			return false
		}
		if z.parent < 0 && z.depth != 0 {
			return false
		}
	}
	return true
}

// Zones iterates over the zones of the table thread by thread, children before their parent, as File.Zones does.
func (t *Table) Zones() iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		var open []int
		type place struct{ location, name int32 }
		inside := map[place]int{} // how many of open
		placeOf := func(i int) place { return place{t.zones[i].location, t.zones[i].dynamicName} }
		last := func() trace.Zone {
			i := open[len(open)-1]
			inside[placeOf(i)]--
			z := t.zone(i)
			z.Repeats = inside[placeOf(i)] > 0
			return z
		}
		for i := range t.zones {
			z := &t.zones[i]
			for len(open) > 0 && (t.zones[open[len(open)-1]].thread != z.thread ||
				t.zones[open[len(open)-1]].depth >= z.depth) {
				if !yield(last(), nil) {
					return
				}
				open = open[:len(open)-1]
			}
			open = append(open, i)
			inside[placeOf(i)]++
		}
		for len(open) > 0 {
			if !yield(last(), nil) {
				return
			}
			open = open[:len(open)-1]
		}
	}
}

func (t *Table) zone(i int) trace.Zone {
	z := &t.zones[i]
	return trace.Zone{Ordinal: z.ordinal, Parent: z.parent, Depth: int(z.depth), Thread: int(z.thread),
		Location: t.locations[z.location], DynamicName: t.strings[z.dynamicName],
		Text: t.strings[z.text], Color: z.color, StartNS: z.start, DurationNS: z.duration, SelfNS: z.self,
		Unfinished: z.unfinished}
}
