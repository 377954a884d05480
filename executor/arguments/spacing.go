package arguments

import (
	"slices"
	"unsafe"

	"zonemark/executor/native"
	"zonemark/invocations"
)

// roomShare is the greatest share by which the room between arrays may enlarge several sets: they are to be as large
// together as was asked for, and what is beside an array is not to be fetched in its place.
const roomShare = 0.125

// spread leaves room before each array, so that it begins at an offset of its page that this launch has drawn for it.
// Loads and stores of arrays hinder each other by the distance of these offsets, and the places that arrays have one
// behind the other depend on nothing but their sizes. Arrays keep their alignment. Small arrays of several sets stay
// where they are.
func (s *Sets) spread(p Placement) {
	d := &s.description
	room := int64(0)
	for i := range d.Arrays {
		if d.Arrays[i].Bytes > 0 {
			room += pageBytes
		}
	}
	if p.place == 0 || pageBytes%d.Align != 0 || s.count > 1 && float64(room) > roomShare*float64(s.setBytes) {
		return
	}
	at := s.up(d.Header)
	for i := range d.Arrays {
		if d.Arrays[i].Bytes > 0 {
			begin := (int64(p.PageOffset) + at) % pageBytes
			at += (pageOffset(p.place, i+1, d.Align) - begin + pageBytes) % pageBytes
		}
		s.offsets[i] = s.begin(i, at)
		at = s.up(s.offsets[i] + d.Arrays[i].Bytes)
	}
	s.stride = at
}

// up rounds a place in a set up to the alignment.
func (s *Sets) up(n int64) int64 {
	align := s.description.Align
	return (n + align - 1) / align * align
}

// Lines returns the memory of the first set, for flushing.
func (s *Sets) Lines() (lines []native.Range) {
	if s.setBytes == 0 {
		return nil
	}
	set := s.Set(0)
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(set)))
	if s.stride == s.setBytes {
		return []native.Range{{Addr: begin, Len: uintptr(len(set))}}
	}
	if header := s.description.Header; header > 0 {
		lines = append(lines, native.Range{Addr: begin, Len: uintptr(header)})
	}
	for i := range s.description.Arrays {
		if bytes := s.description.Arrays[i].Bytes; bytes > 0 {
			lines = append(lines, native.Range{Addr: s.Address(0, i), Len: uintptr(bytes)})
		}
	}
	return lines
}

// Places returns where the arrays of the first set begin within a page.
func (s *Sets) Places() (list []invocations.ArrayPlace) {
	for i := range s.description.Arrays {
		if a := &s.description.Arrays[i]; a.Bytes > 0 {
			name := a.Name
			same := func(p invocations.ArrayPlace) bool { return p.Name == name }
			if name == "" || slices.ContainsFunc(list, same) {
				name = a.Label
			}
			list = append(list, invocations.ArrayPlace{Name: name, Offset: int64(s.Address(0, i) % pageBytes)})
		}
	}
	return list
}
