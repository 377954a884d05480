package correlate

import (
	"fmt"

	"zonemark/trace"
)

// note is a zone, as far as its place goes. What zones have in common is in their kind.
type note struct {
	ordinal, parent int64
	start, duration int64
	thread, depth   int
	unfinished      bool
	kind            *kind
}

func (n *note) end() int64 { return n.start + n.duration }

// rawSource is a source whose zones can be had in the terms of a file, as those of a trace.File: without a Zone of each.
type rawSource interface {
	trace.Source
	WalkRaw(first []trace.RawZone, each func([]trace.RawZone) []trace.RawZone) error
	Resolve(*trace.RawZone) trace.Zone
	Locations() []trace.Location
	NameNumber(extra uint32) uint32
	NameOf(number uint32) string
}

// walk hands a note of each zone of a source to a function, with a function that returns the text of the zone. The
// function returns false if it has had enough. The error is the one that ends the zones, after those that were handed on.
func walk(src trace.Source, kinds *kinds, each func(n *note, text func() string) bool) error {
	if raw, ok := src.(rawSource); ok {
		return walkRaw(raw, kinds, each)
	}
	var z trace.Zone
	var n note // one for all, as it goes to the heap
	var err error
	text := func() string { return z.Text }
	for z, err = range src.Zones() {
		if err != nil {
			return err
		}
		if z.Location == nil {
			return noLocationError{&z}
		}
		n = note{z.Ordinal, z.Parent, z.StartNS, z.DurationNS, z.Thread, z.Depth, z.Unfinished,
			kinds.of(z.Location, z.DynamicName)}
		if !each(&n, text) {
			return nil
		}
	}
	return nil
}

// walkRaw is walk for the zones of a file.
func walkRaw(src rawSource, kinds *kinds, each func(n *note, text func() string) bool) error {
	locations := src.Locations()
	byLocation := make([]*kind, len(locations))
	byName := map[uint64]*kind{} // by the number of the name and the location
	var z *trace.RawZone
	text := func() string {
		zone := src.Resolve(z)
		return zone.Text
	}
	find := func() *kind {
		name := uint32(0)
		if z.Extra != 0 {
			name = src.NameNumber(z.Extra)
		}
		if name == 0 {
			k := byLocation[z.Location]
			if k == nil {
				k = kinds.of(&locations[z.Location], "")
				byLocation[z.Location] = k
			}
			return k
		}
		key := uint64(name)<<32 | uint64(z.Location)
		k := byName[key]
		if k == nil {
			if k = kinds.of(&locations[z.Location], src.NameOf(name)); len(byName) >= mostKinds {
				clear(byName)
			}
			byName[key] = k
		}
		return k
	}
	var n note
	return src.WalkRaw(make([]trace.RawZone, 0, trace.RawBatch), func(batch []trace.RawZone) []trace.RawZone {
		for i := range batch {
			z = &batch[i]
			k := byLocation[z.Location]
			if k == nil || z.Extra != 0 {
				k = find()
			}
			n.ordinal, n.parent, n.start, n.duration = z.Ordinal, z.Parent, z.StartNS, z.DurationNS
			n.thread, n.depth, n.unfinished, n.kind = int(z.Thread), int(z.Depth), z.Unfinished, k
			if !each(&n, text) {
				return nil
			}
		}
		return batch[:0]
	})
}

// noLocationError is about a zone without a source location. Nothing can be said of such zones, so it ends everything.
type noLocationError struct{ zone *trace.Zone }

func (e noLocationError) Error() string {
	return fmt.Sprintf("correlate: zone %d of thread %d has no source location", e.zone.Ordinal, e.zone.Thread)
}
