package trace

// repeats finds zones inside zones of their own name and place, as a walk comes by: recursive functions, and wrappers that
// name their zone like the function inside. All methods are for one thread of the capture.
type repeats struct {
	tables *tables
	place  []int32          // of a location: the first one with the same label, file and line
	open   []int32          // by place: zones without a name of their own that are being walked
	named  map[uint64]int32 // likewise, those that have one, by place and number of the name
}

// newRepeats returns what a walk over the zones needs.
func (f *File) newRepeats() *repeats {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.places == nil {
		f.places = placesOf(f.locations)
	}
	return &repeats{&f.tables, f.places, make([]int32, len(f.locations)), map[uint64]int32{}}
}

// placesOf returns for each location the index of the first one that is the same to a reader.
func placesOf(locations []Location) []int32 {
	type place struct {
		label, file string
		line        uint32
	}
	first, places := make(map[place]int32, len(locations)), make([]int32, len(locations))
	for i := range locations {
		l := &locations[i]
		key := place{l.Label(), l.File, l.Line}
		at, known := first[key]
		if !known {
			at = int32(i)
			first[key] = at
		}
		places[i] = at
	}
	return places
}

// begin notes that the zones inside z come next.
func (r *repeats) begin(z *openZone) { r.count(z, 1) }

// end notes that there are no more.
func (r *repeats) end(z *openZone) { r.count(z, -1) }

func (r *repeats) count(z *openZone, by int32) {
	if r == nil {
		return
	}
	location := r.tables.locationIndex(z.location)
	switch {
	case location < 0 || uint64(z.extra) >= uint64(max(1, r.tables.extras.count)): // an error when the zone ends
	case r.name(z.extra) == 0:
		r.open[r.place[location]] += by
	default:
		key := r.key(location, z.extra)
		if r.named[key] += by; r.named[key] == 0 {
			delete(r.named, key) // there may be millions of names
		}
	}
}

// inside reports whether a zone at a location is inside another one of its name and place.
func (r *repeats) inside(location int, extra uint32) bool {
	if r.name(extra) == 0 {
		return r.open[r.place[location]] > 0
	}
	return len(r.named) > 0 && r.named[r.key(location, extra)] > 0
}

func (r *repeats) name(extra uint32) uint32 {
	if extra == 0 {
		return 0
	}
	return r.tables.NameNumber(extra)
}

func (r *repeats) key(location int, extra uint32) uint64 {
	return uint64(r.place[location])<<32 | uint64(r.name(extra))
}
