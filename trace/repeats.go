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

// nowhere is the place of an open zone whose location or extra is not there, which is an error when it ends, unless the
// extra came too late.
const nowhere = -1

// begin notes that the zones inside z come next, and in z where that is noted.
func (r *repeats) begin(z *openZone) {
	location := r.tables.locationIndex(z.location)
	if location < 0 || uint64(z.extra) >= uint64(max(1, r.tables.extras.count)) {
		z.place = nowhere
		return
	}
	z.place, z.name = r.place[location], r.name(z.extra)
	if z.name == 0 {
		r.open[z.place]++
	} else {
		r.named[keyOf(z.place, z.name)]++
	}
}

// end notes that there are no more.
func (r *repeats) end(z *openZone) {
	switch {
	case z.place == nowhere:
	case z.name == 0:
		r.open[z.place]--
	default:
		key := keyOf(z.place, z.name)
		if r.named[key]--; r.named[key] == 0 {
			delete(r.named, key) // there may be millions of names
		}
	}
}

// inside reports whether a zone at a location, with a name of this number or 0, is inside another one of its name and
// place.
func (r *repeats) inside(location int, name uint32) bool {
	if name == 0 {
		return r.open[r.place[location]] > 0
	}
	return len(r.named) > 0 && r.named[keyOf(r.place[location], name)] > 0
}

func (r *repeats) name(extra uint32) uint32 {
	if extra == 0 {
		return 0
	}
	return r.tables.NameNumber(extra)
}

func keyOf(place int32, name uint32) uint64 { return uint64(place)<<32 | uint64(name) }
