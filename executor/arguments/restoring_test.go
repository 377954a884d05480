package arguments

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"zonemark/executor/native"
	"zonemark/invocations"
)

// addresses makes frames that hold the addresses of the first two arrays.
func addresses(address func(i int) uintptr) (f native.Frame, err error) {
	f.Int(uint64(address(0)))
	f.Int(uint64(address(1)))
	return f, nil
}

// changedInts returns array y of the ring's set k of a made-up function.
func changedInts(r *Ring, k int) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(r.array(k, 0)))), 5)
}

// The sets of a ring have copies of what calls change, and nothing else; Ready restores them, and can write what calls
// have left in their place.
func TestCopies(t *testing.T) {
	m := newMadeUp(t, "2", "iota", Request{})
	changed := m.Changed(addresses)
	if changed.Bytes() != 20 {
		t.Errorf("calls change %d bytes", changed.Bytes())
	}
	ring, err := changed.Ring(3, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ring.Free)
	frames, err := ring.Frames()
	if err != nil || len(frames) != 3 || ring.Count() != 3 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	pristine, doubled := []int32{0, 1, 2, 3, 4}, []int32{4, 5, 6, 7, 8}
	m.call(0)
	m.call(0)
	if differs, same, err := ring.Keep(); err != nil || !differs || same {
		t.Errorf("what two calls have left is as at first (%t), or was kept before (%t), or %v", !differs, same, err)
	}
	for _, c := range []struct {
		worn bool
		want []int32
	}{{false, pristine}, {true, doubled}, {false, pristine}} {
		ring.UseWorn(c.worn)
		if !ring.Ready(2) {
			t.Error("calls do not begin with the first set")
		}
		for k := range 2 {
			if got := changedInts(ring, k); !slices.Equal(got, c.want) {
				t.Errorf("worn %t: set %d holds %v, want %v", c.worn, k, got, c.want)
			}
			clear(changedInts(ring, k))
		}
	}
	places := map[uintptr]bool{}
	for k := range 3 {
		place := uintptr(unsafe.Pointer(unsafe.SliceData(ring.array(k, 0))))
		if places[place] || place%64 != 0 || place == m.Address(0, 0) {
			t.Errorf("set %d is at %#x", k, place)
		}
		places[place] = true
	}
	ring.UseWorn(true)
	ring.Ready(1)
	if differs, same, err := ring.Keep(); err != nil || !differs || !same {
		t.Errorf("what was kept is as at first (%t), or is not what was kept before (%t), or %v", !differs, !same, err)
	}
	ring.UseWorn(false)
	ring.Ready(1)
	again, err := changed.Copies(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Free)
	if differs, _, err := again.Keep(); err != nil || differs {
		t.Errorf("what is restored differs from what was there at first, or %v", err)
	}
}

// Copies of arrays of a page or more lie to other arrays as the first set's do.
func TestCopiesKeepTheirPlaces(t *testing.T) {
	d := Description{Of: "f", Align: 64, Arrays: []Array{
		{Element: invocations.Float32, Bytes: 100, Usage: invocations.Input},
		{Element: invocations.Float32, Bytes: 5000, Usage: invocations.InputOutput},
		{Element: invocations.Float32, Bytes: 12, Usage: invocations.InputOutput},
	}}
	s := made(t, d, Request{})
	ring, err := s.Changed(addresses).Copies(5)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ring.Free)
	end := uintptr(0)
	for k := 1; k < 5; k++ {
		large, small := ring.array(k, 0), ring.array(k, 1)
		at, next := uintptr(unsafe.Pointer(&large[0])), uintptr(unsafe.Pointer(&small[0]))
		if at%pageBytes != s.Address(0, 1)%pageBytes || at < end || next < at+5000 || next%64 != 0 {
			t.Errorf("copy %d is at %#x and %#x; the first set at %#x", k, at, next, s.Address(0, 1))
		}
		end = next + 12
	}
}

// The sets of a mode that rotates them are restored when all of them are used, each to contents of its own.
func TestRotatedSetsAreRestored(t *testing.T) {
	const sets = 20
	m := newMadeUp(t, "2", "random", Request{Least: sets * 4 * 64, Seed: 3})
	changed := m.Changed(addresses)
	var first [][]int32
	for k := range sets {
		first = append(first, slices.Clone(m.ints(k, 1)))
	}
	for _, called := range []bool{false, true} {
		ring, err := changed.Ring(3, called)
		if err != nil || ring.Count() != sets {
			t.Fatalf("%d sets, %v", ring.Count(), err)
		}
		var rewinds []bool
		for range 6 {
			rewinds = append(rewinds, ring.Ready(8))
			for k := range sets {
				m.call(k)
			}
		}
		want := []bool{called, false, true, false, true, false}
		if !slices.Equal(rewinds, want) {
			t.Errorf("called %t: calls begin with the first set: %v, want %v", called, rewinds, want)
		}
		ring.Ready(sets)
		for k := range sets {
			if got := m.ints(k, 1); !slices.Equal(got, first[k]) {
				t.Errorf("set %d holds %v, and did hold %v", k, got, first[k])
			}
		}
	}
}

// What does not fit into memory is an error that callers can tell.
func TestCopiesTooLarge(t *testing.T) {
	s := made(t, Description{Of: "f", Align: 64, Arrays: []Array{
		{Element: invocations.Float32, Bytes: 1 << 20, Usage: invocations.InputOutput},
	}}, Request{})
	var memory *MemoryError
	if _, err := s.Changed(addresses).Copies(1 << 22); !errors.As(err, &memory) {
		t.Errorf("%v", err)
	}
}
